// What each type of image file holds.
#pragma once

#include <string>

#include "codecs/image_writer.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

inline constexpr int kMaxJpegSide = 65500;  ///< as libjpeg has it

/// PNG holds 1 to 4 channels of 8 or 16 bits; JPEG gray or RGB of 8 bits, at most 65500 pixels a side; BMP 8 bits, not
/// gray with alpha; TGA 8 bits, at most 65535 pixels a side. Throws Error{usage} for what `type` cannot hold, naming
/// the options that make it fit, and a type that holds it. `name` stands in messages.
void check_holds(ImageFileType type, int width, int height, PixelFormat format, const std::string& name);

}  // namespace gpuimg

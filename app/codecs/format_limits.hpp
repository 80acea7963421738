// What each image file format can hold.
#pragma once

#include <string>

#include "codecs/image_writer.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

inline constexpr int kMaxJpegSide = 65500;  ///< libjpeg's limit

/// PNG holds 1 to 4 channels of 8 or 16 bits; JPEG gray or RGB of 8 bits, at most 65500 pixels per side; BMP 8 bits,
/// but not gray with alpha; TGA 8 bits, at most 65535 pixels per side. Throws Error{usage} if `type` cannot hold the
/// image; the message names the options that make it fit, and a format that holds it. `name` appears in messages.
void check_holds(ImageFileType type, int width, int height, PixelFormat format, const std::string& name);

}  // namespace gpuimg::codecs

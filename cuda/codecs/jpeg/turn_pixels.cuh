// Turns pixels as their EXIF orientation says.
#pragma once

#include "device/workspace.hpp"
#include "jpeg/pixels.hpp"

namespace gpuimg::cuda {

/// `width` × `height` is the size of the result; a pixel has 1 or 3 bytes.
void turn_pixels(const Workspace& workspace, const std::uint8_t* from, std::uint8_t* to, int width, int height,
                 int pixel_bytes, const jpeg::Orientation& turn);

}  // namespace gpuimg::cuda

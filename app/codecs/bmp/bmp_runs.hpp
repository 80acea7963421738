// Run-length coded BMP, BI_RLE8 and BI_RLE4.
#pragma once

#include <array>
#include <span>
#include <string>

#include "codecs/bmp/bmp_header.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

using RgbColor = std::array<std::byte, 3>;

/// Paints the runs of `data`. Pixels that they skip get the first color, as in Pillow, OpenCV and ImageMagick. Refuses
/// runs that leave the image and its padding, indices outside the palette, and data that end too soon.
void read_bmp_runs(ByteSpan data, const BmpHeader& header, std::span<const RgbColor> palette, const std::string& name,
                   View to);

}  // namespace gpuimg::codecs

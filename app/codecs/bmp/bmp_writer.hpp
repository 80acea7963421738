// Writes a BMP from rows, as stb_image_write writes it from an image: uncompressed, from the bottom row up.
// Microsoft's BITMAPINFOHEADER and BITMAPV4HEADER.
#pragma once

#include <memory>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Codec::open_placing_writer of BMP: RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal channels.
std::unique_ptr<RowWriter> open_bmp_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const BytePlacer& place);

}  // namespace gpuimg::codecs

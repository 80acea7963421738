// The header of a PNG: IHDR, and what it declares together with the chunks before the image data.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

struct PngHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t bit_depth = 0;
  std::uint32_t color_type = 0;
  std::uint32_t interlace = 0;
};

/// Reads IHDR unchecked, before libpng sees the file, so that a decompression bomb costs nothing. Refuses a file that
/// does not start with it.
PngHeader read_png_header(ByteSpan bytes, const std::string& name);

/// Codec::declared of PNG.
DeclaredImage declared_png(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs

// A PNG of the kinds that png_fast_reader.hpp reads, taken apart: what its chunks say, without its pixels.
#pragma once

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/png/png_palette.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// 8 or 16 bits, not interlaced, colors not transparent but by an alpha channel or in a palette of 8-bit indices.
struct PlainPng {
  int width = 0;
  int height = 0;
  PixelFormat stored;  ///< what a row holds: for palettes, u8 and one channel
  std::optional<PngPalette> palette;
  std::vector<ByteSpan> image_data;  ///< borrowed; not empty, nor is any of them

  [[nodiscard]] std::size_t row_bytes() const { return static_cast<std::size_t>(width) * stored.bytes_per_pixel(); }
  [[nodiscard]] std::size_t deflated_bytes() const {
    return std::accumulate(image_data.begin(), image_data.end(), std::size_t{0},
                           [](std::size_t sum, ByteSpan piece) { return sum + piece.size(); });
  }
};

/// Nothing for another kind, and for a file in which anything is wrong or so unusual that libpng had better judge it.
/// The checksums of all critical chunks are right. Size limits are the caller's. Throws Error{decode} for a file that
/// ends before its IEND. `bytes` begins with the PNG signature.
std::optional<PlainPng> take_apart_plain_png(ByteSpan bytes, const std::string& name);

}  // namespace gpuimg

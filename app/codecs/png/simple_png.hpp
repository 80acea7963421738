// Parses the chunks of a simple PNG, the kind that png_fast_reader.hpp reads without libpng.
#pragma once

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/png/png_palette.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// 8 or 16 bits, not interlaced; transparency only as an alpha channel or in a palette with 8-bit indices.
struct SimplePng {
  int width = 0;
  int height = 0;
  PixelFormat stored;  ///< the format of a row; for palettes, u8 with one channel
  std::optional<PngPalette> palette;
  std::vector<ByteSpan> image_data;  ///< borrowed; at least one span, none of them empty

  [[nodiscard]] std::size_t row_bytes() const { return static_cast<std::size_t>(width) * stored.bytes_per_pixel(); }
  [[nodiscard]] std::size_t deflated_bytes() const {
    return std::accumulate(image_data.begin(), image_data.end(), std::size_t{0},
                           [](std::size_t sum, ByteSpan piece) { return sum + piece.size(); });
  }
};

/// Returns nullopt if the file needs libpng: for other kinds, and if anything is damaged or unusual. Checks the
/// checksums of all critical chunks; size limits are up to the caller. Throws Error{decode} if the file ends before
/// IEND. `bytes` starts with the PNG signature.
std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name);

}  // namespace gpuimg::codecs

// Parses the chunks of a simple PNG, the kind that png_fast_reader.hpp reads without libpng.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "codecs/byte_fields.hpp"
#include "codecs/png/png_palette.hpp"
#include "gpuimg/image.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

struct PngFile;

/// Gray, or red, green and blue; as decoded.
using PngColor = std::array<std::uint16_t, 3>;

/// Of any kind, not interlaced.
struct SimplePng {
  int width = 0;
  int height = 0;
  int bits = 8;        ///< of a stored sample: 1, 2, 4, 8 or 16
  PixelFormat stored;  ///< the format of a row whose samples have a byte at least; for palettes, u8 with one channel
  std::optional<PngPalette> palette;
  std::optional<PngColor> transparent;
  RandomAccess image_data;  ///< of all IDAT chunks, not empty

  /// What decoding gives.
  [[nodiscard]] PixelFormat decoded() const {
    return palette ? PixelFormat{Sample::u8, palette->channels()}
                   : PixelFormat{stored.sample, stored.channels + (transparent ? 1 : 0)};
  }
  [[nodiscard]] std::size_t row_bytes() const {
    return (static_cast<std::size_t>(width) * static_cast<std::size_t>(stored.channels * bits) + 7) / 8;
  }
  [[nodiscard]] std::size_t deflated_bytes() const { return image_data.size; }
};

/// Returns nullopt if the file needs libpng: for other kinds, and if anything is damaged or unusual. Checks the
/// checksums of all critical chunks; size limits are up to the caller. Throws Error{decode} if the file ends before
/// IEND. `bytes` starts with the PNG signature and must outlive the result.
std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name);

/// The same for a file whose image data stay there; their checksums are up to the caller. It must outlive the result.
std::optional<SimplePng> parse_simple_png(const PngFile& file, const std::string& name);

}  // namespace gpuimg::codecs

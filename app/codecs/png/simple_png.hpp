// Parses the chunks of a simple PNG, the kind that png_fast_reader.hpp reads without libpng.
#pragma once

#include <optional>
#include <string>

#include "codecs/byte_fields.hpp"
#include "codecs/png/png_palette.hpp"
#include "gpuimg/image.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

struct PngFile;

/// 8 or 16 bits, not interlaced; transparency only as an alpha channel or in a palette with 8-bit indices.
struct SimplePng {
  int width = 0;
  int height = 0;
  PixelFormat stored;  ///< the format of a row; for palettes, u8 with one channel
  std::optional<PngPalette> palette;
  RandomAccess image_data;  ///< of all IDAT chunks, not empty

  /// What decoding gives.
  [[nodiscard]] PixelFormat decoded() const { return palette ? PixelFormat{Sample::u8, palette->channels()} : stored; }
  [[nodiscard]] std::size_t row_bytes() const { return static_cast<std::size_t>(width) * stored.bytes_per_pixel(); }
  [[nodiscard]] std::size_t deflated_bytes() const { return image_data.size; }
};

/// Returns nullopt if the file needs libpng: for other kinds, and if anything is damaged or unusual. Checks the
/// checksums of all critical chunks; size limits are up to the caller. Throws Error{decode} if the file ends before
/// IEND. `bytes` starts with the PNG signature and must outlive the result.
std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name);

/// The same for a file whose image data stay there; their checksums are up to the caller. It must outlive the result.
std::optional<SimplePng> parse_simple_png(const PngFile& file, const std::string& name);

}  // namespace gpuimg::codecs

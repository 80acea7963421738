// The headers of BMP: Windows' and OS/2's, of all lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

struct BmpHeader {
  enum class Packing : std::uint8_t { plain, runs8, runs4 };

  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool is_top_down = false;
  std::uint32_t bits = 0;  ///< of a pixel: 1, 2, 4 or 8 with a palette; 16, 24 or 32
  Packing packing = Packing::plain;
  std::array<std::uint32_t, 4> masks{};  ///< red, green, blue and alpha, of up to 8 contiguous bits; 0 for no alpha
  std::size_t pixels = 0;                ///< offset of the pixels
  std::size_t palette = 0;               ///< offset of the palette
  std::size_t palette_entry_bytes = 4;
  std::size_t colors = 0;  ///< entries of the palette before the pixels

  std::uint32_t x_per_meter = 0;  ///< pixels; 0 if it is not said
  std::uint32_t y_per_meter = 0;
  bool names_profile = false;       ///< of another file
  std::uint64_t profile = 0;        ///< offset of the ICC profile
  std::uint64_t profile_bytes = 0;  ///< 0 without one

  [[nodiscard]] bool has_palette() const { return bits <= 8; }
  [[nodiscard]] bool has_alpha() const { return masks[3] != 0; }
  [[nodiscard]] std::size_t row_bytes() const { return (static_cast<std::size_t>(width) * bits + 31) / 32 * 4; }
};

/// `bytes` starts with the signature, and may be cut off after the header and its masks. Throws like decode_image; the
/// size is not checked.
BmpHeader read_bmp_header(ByteSpan bytes, const std::string& name);

}  // namespace gpuimg::codecs

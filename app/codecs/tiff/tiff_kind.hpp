// How a directory of a TIFF stores its image, and what gpuimg reads of it. TIFF 6.0; docs/operations.md, "Files".
#pragma once

#include <cstdint>

#include "codecs/tiff/tiff_file.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

struct TiffKind {
  enum class Color : std::uint8_t { gray, inverted_gray, palette, rgb, cmyk, ycbcr };
  enum class Alpha : std::uint8_t { none, plain, assumed, premultiplied };  ///< assumed: the file does not say

  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Color color = Color::gray;
  Alpha alpha = Alpha::none;
  int bits = 8;     ///< of a sample: 1, 2, 4, 8, 12 or 16
  int samples = 1;  ///< of a pixel, as stored
  bool is_planar = false;

  [[nodiscard]] int color_samples() const {
    return color == Color::cmyk ? 4 : color == Color::rgb || color == Color::ycbcr ? 3 : 1;
  }
  [[nodiscard]] int used_samples() const { return color_samples() + (alpha != Alpha::none ? 1 : 0); }
  [[nodiscard]] PixelFormat format() const {
    const bool is_gray = color == Color::gray || color == Color::inverted_gray;
    return {bits > 8 ? Sample::u16 : Sample::u8, (is_gray ? 1 : 3) + (alpha != Alpha::none ? 1 : 0)};
  }
};

/// Of the current directory. Throws like decode_image; the size is not checked.
TiffKind tiff_kind(const TiffFile& file);

}  // namespace gpuimg::codecs

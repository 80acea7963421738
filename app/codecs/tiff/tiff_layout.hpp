// How a directory of a TIFF stores its image: the samples of its pixels, and the strips or tiles that hold them. Checks
// reject files that gpuimg does not read, and sizes that would let libtiff or its libraries take too much memory.
// TIFF 6.0; docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codecs/tiff/tiff_file.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::tiff {

struct TiffKind {
  enum class Color : std::uint8_t { gray, inverted_gray, palette, rgb, cmyk, ycbcr, lab };
  enum class Alpha : std::uint8_t { none, plain, assumed, premultiplied };  ///< assumed: the file does not say

  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Color color = Color::gray;
  Alpha alpha = Alpha::none;
  int bits = 8;     ///< of a sample: 1 to 16
  int samples = 1;  ///< of a pixel, as stored
  bool is_planar = false;
  std::vector<std::string> notes;  ///< for the user: what the directory leaves open or says wrongly

  [[nodiscard]] int color_samples() const {
    return color == Color::cmyk ? 4 : color == Color::rgb || color == Color::ycbcr || color == Color::lab ? 3 : 1;
  }
  [[nodiscard]] int used_samples() const { return color_samples() + (alpha != Alpha::none ? 1 : 0); }
  [[nodiscard]] int planes() const { return is_planar ? used_samples() : 1; }  ///< that hold the samples
  /// YCbCr that is not in planes: its blocks hold clumps.
  [[nodiscard]] bool has_clumps() const { return color == Color::ycbcr && !is_planar; }
  /// The colors of a palette have 8 bits, whatever its indices have.
  [[nodiscard]] PixelFormat format() const {
    const bool is_gray = color == Color::gray || color == Color::inverted_gray;
    return {bits > 8 && color != Color::palette ? Sample::u16 : Sample::u8,
            (is_gray ? 1 : 3) + (alpha != Alpha::none ? 1 : 0)};
  }
  /// DeclaredImage::scaled_from
  [[nodiscard]] std::uint32_t scaled_from() const {
    return bits == 1 || bits == 8 || bits == 16 || color == Color::palette ? 0 : (1U << bits) - 1;
  }
};

/// The kind of the current directory's image. Throws like decode_image; the size is not checked.
TiffKind tiff_kind(const TiffFile& file);

struct TiffBlocks {
  bool are_tiles = false;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint64_t bytes = 0;        ///< of a block, of one plane
  std::uint64_t row_bytes = 0;    ///< of a line
  std::uint32_t line_height = 1;  ///< rows of pixels in a line: more than one if chroma is subsampled
  std::uint32_t count = 0;
  std::uint32_t missing = 0;  ///< blocks without data, in a sparse file

  [[nodiscard]] std::uint64_t lines(std::uint32_t rows) const { return (rows + line_height - 1) / line_height; }
};

/// Throws if the blocks have an impossible size, lie beyond the end of the file, are shorter than their pixels, or
/// would take far more memory than the image.
TiffBlocks tiff_blocks(const TiffFile& file, const TiffKind& kind);

}  // namespace gpuimg::codecs::tiff

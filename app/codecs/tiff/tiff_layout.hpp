// Reads from a TIFF directory how the image is stored: the samples of its pixels, and the strips or tiles that hold
// them. Rejects files that gpuimg does not read, and sizes for which libtiff or its libraries would take too much
// memory. TIFF 6.0; docs/operations.md, "Files".
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
  enum class Alpha : std::uint8_t { none, plain, assumed, premultiplied };  ///< assumed: the file does not define it

  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Color color = Color::gray;
  Alpha alpha = Alpha::none;
  int bits = 8;     ///< bits of a sample: 1 to 16
  int samples = 1;  ///< stored samples per pixel
  bool is_planar = false;
  std::vector<std::string> notes;  ///< for the user: missing or wrong statements in the directory

  [[nodiscard]] int color_samples() const {
    return color == Color::cmyk ? 4 : color == Color::rgb || color == Color::ycbcr || color == Color::lab ? 3 : 1;
  }
  [[nodiscard]] int used_samples() const { return color_samples() + (alpha != Alpha::none ? 1 : 0); }
  [[nodiscard]] int planes() const { return is_planar ? used_samples() : 1; }  ///< planes that hold the samples
  /// True for YCbCr that is not in planes: its blocks consist of clumps.
  [[nodiscard]] bool has_clumps() const { return color == Color::ycbcr && !is_planar; }
  /// Colors of a palette always have 8 bits; the size of the indices does not matter.
  [[nodiscard]] PixelFormat format() const {
    const bool is_gray = color == Color::gray || color == Color::inverted_gray;
    return {bits > 8 && color != Color::palette ? Sample::u16 : Sample::u8,
            (is_gray ? 1 : 3) + (alpha != Alpha::none ? 1 : 0)};
  }
  /// See DeclaredImage::scaled_from.
  [[nodiscard]] std::uint32_t scaled_from() const {
    return bits == 1 || bits == 8 || bits == 16 || color == Color::palette ? 0 : (1U << bits) - 1;
  }
};

/// The kind of the current directory's image. Throws like decode_image. Does not check the size.
TiffKind tiff_kind(const TiffFile& file);

struct TiffBlocks {
  bool are_tiles = false;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint64_t bytes = 0;        ///< bytes in one plane of a block
  std::uint64_t row_bytes = 0;    ///< bytes in a line
  std::uint32_t line_height = 1;  ///< pixel rows in a line: more than one if chroma is subsampled
  std::uint32_t count = 0;
  std::uint32_t missing = 0;  ///< number of blocks without data, in a sparse file

  [[nodiscard]] std::uint64_t lines(std::uint32_t rows) const { return (rows + line_height - 1) / line_height; }
};

/// Throws if the blocks have an impossible size, extend past the end of the file, are too short for their pixels, or
/// would take far more memory than the image.
TiffBlocks tiff_blocks(const TiffFile& file, const TiffKind& kind);

}  // namespace gpuimg::codecs::tiff

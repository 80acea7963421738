// How a directory of a TIFF stores its image: the samples of its pixels, and the strips or tiles that hold them. Checks
// reject files that gpuimg does not read, and sizes that would let libtiff or its libraries take too much memory.
// TIFF 6.0; docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/tiff/tiff_file.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::tiff {

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
  [[nodiscard]] int planes() const { return is_planar ? used_samples() : 1; }  ///< that hold the samples
  [[nodiscard]] PixelFormat format() const {
    const bool is_gray = color == Color::gray || color == Color::inverted_gray;
    return {bits > 8 ? Sample::u16 : Sample::u8, (is_gray ? 1 : 3) + (alpha != Alpha::none ? 1 : 0)};
  }
};

/// Of the current directory. Throws like decode_image; the size is not checked.
TiffKind tiff_kind(const TiffFile& file);

struct TiffBlocks {
  bool are_tiles = false;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint64_t bytes = 0;        ///< of a block, of one plane
  std::uint64_t row_bytes = 0;    ///< of a line
  std::uint32_t line_height = 1;  ///< rows of pixels in a line: more than one if chroma is subsampled

  [[nodiscard]] std::uint64_t lines(std::uint32_t rows) const { return (rows + line_height - 1) / line_height; }
};

/// Throws if the blocks have an impossible size, lie beyond the end of the file, or would take far more memory than the
/// image.
TiffBlocks tiff_blocks(const TiffFile& file, const TiffKind& kind);

/// Chroma with or without subsampling, as decoded blocks hold it: clumps of luma samples with one Cb and one Cr.
/// TIFF 6.0, section 21. The tables are libtiff's, so that the pixels are those of other programs.
class YcbcrConverter {
 public:
  /// Throws Error{decode} for an impossible subsampling.
  explicit YcbcrConverter(const TiffFile& file);

  /// Rows of pixels that share a row of clumps.
  [[nodiscard]] std::uint32_t clump_height() const { return vertical_; }

  [[nodiscard]] std::uint64_t bytes_of_clump_row(std::uint64_t width) const {
    return (width + horizontal_ - 1) / horizontal_ * (std::uint64_t{horizontal_} * vertical_ + 2);
  }

  /// Converts a row of clumps to RGB. Of its clump_height() rows of pixels, fills `to` from row `first` on. Computes as
  /// libtiff does.
  void convert(const std::byte* clumps, std::uint32_t first, View to);

 private:
  void set_pixel(std::uint8_t luma, const std::uint8_t* chroma, std::uint8_t* pixel) const;

  std::uint32_t horizontal_ = 1;
  std::uint32_t vertical_ = 1;
  std::vector<std::uint64_t> memory_;  ///< of tables_
  TIFFYCbCrToRGB* tables_ = nullptr;
};

}  // namespace gpuimg::codecs::tiff

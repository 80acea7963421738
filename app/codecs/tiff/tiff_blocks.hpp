// How a TIFF is divided into strips or tiles, after checks that keep libtiff and the libraries behind it within memory.
#pragma once

#include <cstdint>

#include "codecs/tiff/tiff_file.hpp"
#include "codecs/tiff/tiff_kind.hpp"

namespace gpuimg::codecs {

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

}  // namespace gpuimg::codecs

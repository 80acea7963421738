// Decodes the pixels of a page, block by block (strips or tiles).
#pragma once

#include <cstdint>

#include "codecs/rows.hpp"
#include "codecs/tiff/tiff_blocks.hpp"
#include "codecs/tiff/tiff_file.hpp"
#include "codecs/tiff/tiff_kind.hpp"

namespace gpuimg::codecs {

/// Passes the pixels on in bands, from top to bottom. Besides a band it holds one decoded block; but a row of tiles
/// that ends in a later band is held as a whole. Throws like decode_image, and what the output throws.
void read_tiff_pixels(TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks, const BandOutput& to);

/// The memory of a row of decoded blocks.
std::uint64_t bytes_of_block_row(const TiffKind& kind, const TiffBlocks& blocks);

}  // namespace gpuimg::codecs

// Black and white pixels at one bit each, as PNG, PBM and TIFF store them: eight to a byte, the leftmost in the highest
// bit; every row starts with a new byte.
#pragma once

#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// True for pixels that can be written at one bit each: 8-bit gray. They must be 0 or 255.
constexpr bool can_pack_bits(PixelFormat format) { return format == PixelFormat{Sample::u8, 1}; }

/// Bytes of a packed row: ⌈width/8⌉.
constexpr int packed_row_bytes(int width) { return (width - 1) / 8 + 1; }

/// A row of packed_row_bytes for each row of pixels, with `white` (0 or 1) for white and 0 after the last pixel. Throws
/// Error{out_of_memory}.
Image packed_bits(ConstView pixels, unsigned white = 1);

}  // namespace gpuimg::codecs

// GIF's variant of LZW: codes of up to 12 bits in a chain of blocks. GIF89a specification, appendix F.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/gif/gif_blocks.hpp"

namespace gpuimg::codecs {

inline constexpr int kMaxLzwRootBits = 11;

/// Decodes a chain of blocks to color indices and returns how many it wrote to `pixels`. Stops at the end code or when
/// `pixels` is full, and skips the rest of the chain. Codes below 2^root_bits stand for one color each; root_bits is 1
/// to kMaxLzwRootBits. Refuses the file as damaged at an impossible code.
std::size_t decode_lzw(GifBlocks& blocks, int root_bits, std::span<std::uint8_t> pixels);

}  // namespace gpuimg::codecs

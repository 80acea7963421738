// The LZW codes of a GIF: GIF89a specification, appendix F.
#pragma once

#include <cstdint>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

/// The codes of one frame, cleared at their beginning and whenever the reader's table is full, with an end behind them.
/// `packed`: runs of pixels that occurred before become one code; else every pixel is a code of its own.
FileBytes gif_codes(const std::vector<std::uint32_t>& indices, int root_bits, bool packed);

}  // namespace gpuimg::test

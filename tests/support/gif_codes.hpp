// The LZW codes of a GIF: GIF89a specification, appendix F.
#pragma once

#include <cstdint>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct GifPacking {
  bool runs = false;             ///< runs of pixels that occurred before become one code; else each pixel has its own
  bool clears_at_first = true;   ///< a code that clears the table stands before all others
  bool clears_when_full = true;  ///< else a full table stays as it is
  std::size_t clears_every = 0;  ///< codes; 0: never but for these
};

/// The codes of one frame, with an end behind them.
FileBytes gif_codes(const std::vector<std::uint32_t>& indices, int root_bits, const GifPacking& packing);

}  // namespace gpuimg::test

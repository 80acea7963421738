// Encodes the LZW codes of a GIF. GIF89a specification, appendix F.
#pragma once

#include <cstdint>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct GifPacking {
  bool runs = false;             ///< a repeated run of pixels becomes one code; otherwise each pixel has its own code
  bool clears_at_first = true;   ///< starts with a clear code
  bool clears_when_full = true;  ///< clears a full table; otherwise it stays as it is
  std::size_t clears_every = 0;  ///< clears the table after this many codes; 0 for never
};

/// The codes of one frame, followed by the end code.
FileBytes gif_codes(const std::vector<std::uint32_t>& indices, int root_bits, const GifPacking& packing);

}  // namespace gpuimg::test

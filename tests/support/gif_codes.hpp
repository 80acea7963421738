// The LZW encoding of a GIF. GIF89a specification, appendix F.
#pragma once

#include <cstdint>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct GifPacking {
  bool runs = false;             ///< codes a repeated run of pixels as one code; otherwise each pixel has its own code
  bool clears_at_first = true;   ///< starts with a clear code
  bool clears_when_full = true;  ///< clears a full table; otherwise the table stays full
  std::size_t clears_every = 0;  ///< clears the table after this many codes; 0 for never
};

/// The codes of one frame, followed by the end code.
FileBytes gif_codes(const std::vector<std::uint32_t>& indices, int root_bits, const GifPacking& packing);

}  // namespace gpuimg::test

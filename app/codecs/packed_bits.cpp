// One byte of pixels at a time.
#include "codecs/packed_bits.hpp"

#include <algorithm>
#include <cstdint>

namespace gpuimg::codecs {

Image packed_bits(ConstView pixels, unsigned white) {
  const int row_bytes = packed_row_bytes(pixels.width);
  Image packed(row_bytes, pixels.height, {Sample::u8, 1});
  const unsigned flip = white == 1 ? 0U : 1U;
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row = pixels.row<std::uint8_t>(y);
    auto* out = packed.view().row<std::uint8_t>(y);
    for (int i = 0; i < row_bytes; ++i) {
      const int first = 8 * i;
      const int count = std::min(8, pixels.width - first);
      unsigned bits = 0;
      for (int bit = 0; bit < count; ++bit) {
        bits |= ((row[first + bit] >> 7U) ^ flip) << (7 - bit);
      }
      out[i] = static_cast<std::uint8_t>(bits);
    }
  }
  return packed;
}

}  // namespace gpuimg::codecs

// A straightforward LZW encoder.
#include "support/gif_codes.hpp"

#include <map>
#include <utility>

namespace gpuimg::test {

FileBytes gif_codes(const std::vector<std::uint32_t>& indices, int root_bits, const GifPacking& packing) {
  FileBytes bytes;
  std::uint32_t held = 0;
  int held_bits = 0;
  int code_bits = root_bits + 1;
  const auto put = [&](std::uint32_t code) {
    held |= code << held_bits;
    for (held_bits += code_bits; held_bits >= 8; held_bits -= 8, held >>= 8) {
      add_le(bytes, held & 0xFFU, 1);
    }
  };
  constexpr std::uint32_t kMaxCodes = 4096;
  const std::uint32_t clear = 1U << root_bits;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      runs;                        // maps a run's code and the next pixel to the code of the longer run
  std::uint32_t used = clear + 1;  // entries in the decoder's table, which grows with each code after the first
  if (packing.clears_at_first) {
    put(clear);
  }
  std::size_t codes = 0;  // since the last clear code
  for (std::size_t i = 0; i < indices.size(); ++i, ++codes) {
    if ((used == kMaxCodes && packing.clears_when_full) || (codes > 0 && codes == packing.clears_every)) {
      codes = 0;
      put(clear);
      runs.clear();
      code_bits = root_bits + 1;
      used = clear + 1;
    }
    std::uint32_t code = indices[i];
    while (i + 1 < indices.size() && runs.contains({code, indices[i + 1]})) {
      code = runs.at({code, indices[++i]});
    }
    put(code);
    if (used == kMaxCodes) {
      continue;
    }
    ++used;
    code_bits += used == (1U << code_bits) && code_bits < 12 ? 1 : 0;
    if (packing.runs && i + 1 < indices.size() && used < kMaxCodes) {
      runs[{code, indices[i + 1]}] = used;
    }
  }
  put(clear + 1);
  if (held_bits > 0) {
    add_le(bytes, held, 1);
  }
  return bytes;
}

}  // namespace gpuimg::test

// Sixteen levels from any place of a row.
#pragma once

#include <cstdint>

namespace gpuimg::cuda {

/// Of which the first `rest` are there, or all: the others are zeros, and at most three bytes behind them are read.
__device__ __forceinline__ uint4 load_unaligned(const std::uint8_t* from, int rest = 16) {
  const auto misplaced = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from - misplaced);
  std::uint32_t word[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    word[i] = 4 * i - misplaced < rest ? __ldg(words + i) : 0U;
  }
  std::uint32_t levels[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int inside = min(max(rest - 4 * i, 0), 4);
    const std::uint32_t mask = inside == 4 ? 0xFFFFFFFFU : (1U << (8 * inside)) - 1;
    levels[i] = __funnelshift_r(word[i], word[i + 1], 8 * misplaced) & mask;
  }
  return make_uint4(levels[0], levels[1], levels[2], levels[3]);
}

}  // namespace gpuimg::cuda

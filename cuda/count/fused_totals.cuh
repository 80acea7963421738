// What the one-launch equalizations share: totals in global memory that need no clearing of their own.
#pragma once

#include "count/column_counters.cuh"

namespace gpuimg::cuda {

/// Two sets of totals take turns: the launch adds to one and clears the other one for the next launch.
struct FusedTotals {
  unsigned long long* now;
  unsigned long long* next;

  /// By the first threads of a block.
  __device__ void clear_next() const {
    if (blockIdx.x == 0 && threadIdx.x < kNarrowBins) {
      next[threadIdx.x] = 0;
    }
  }

  /// Adds the columns of a block of at least 256 threads.
  __device__ void add(const std::uint32_t* columns) const {
    if (threadIdx.x < kNarrowBins) {
      unsigned int sum = 0;
#pragma unroll 8
      for (unsigned c = 0; c < kColumns; ++c) {
        sum += columns[threadIdx.x * kColumns + (threadIdx.x + c) % kColumns];
      }
      if (sum != 0) {
        atomicAdd(now + threadIdx.x, static_cast<unsigned long long>(sum));
      }
    }
  }
};

/// The totals of the next launch, which is to follow at once.
inline FusedTotals next_fused_totals(Workspace& workspace) {
  auto* totals =
      workspace.zeroed(workspace.fused_totals, 2 * kNarrowBins * sizeof(std::uint64_t)).as<unsigned long long>();
  const bool odd = workspace.fused_launches % 2 != 0;
  return {totals + (odd ? kNarrowBins : 0), totals + (odd ? 0 : kNarrowBins)};
}

}  // namespace gpuimg::cuda

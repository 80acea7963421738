// Totals in global memory for the fused equalizations, alternating so that no separate launch has to clear them.
#pragma once

#include "count/column_counters.cuh"

namespace gpuimg::cuda {

/// A launch adds to one set of totals and clears the other for the next launch.
struct FusedTotals {
  unsigned long long* now;
  unsigned long long* next;

  /// Clears the next set, on the first threads of block 0.
  __device__ void clear_next() const {
    if (blockIdx.x == 0 && threadIdx.x < kColumnBins) {
      next[threadIdx.x] = 0;
    }
  }

  /// Adds the columns of a block of at least 256 threads.
  __device__ void add(const std::uint32_t* columns) const {
    if (threadIdx.x < kColumnBins) {
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

/// The totals of the next launch, which must follow at once.
inline FusedTotals next_fused_totals(Workspace& workspace) {
  auto* totals =
      workspace.zeroed(workspace.fused_totals, 2 * kColumnBins * sizeof(std::uint64_t)).as<unsigned long long>();
  const bool odd = workspace.fused_launches % 2 != 0;
  return {totals + (odd ? kColumnBins : 0), totals + (odd ? 0 : kColumnBins)};
}

}  // namespace gpuimg::cuda

// Counters for histograms of up to 256 bins in shared memory, one private column per lane. A lane's column lies in its
// own bank, so the lanes of a warp never conflict, whatever the image. Design and measurements: docs/performance.md,
// "Histogram, up to 256 bins".
#pragma once

#include "table/level_table.cuh"

namespace gpuimg::cuda {

constexpr int kColumns = 32;
constexpr int kColumnBins = 256;
constexpr int kColumnThreads = 1024;
constexpr std::size_t kColumnBytes = std::size_t{kColumnBins} * kColumns * sizeof(std::uint32_t);

/// Where the blocks of a launch combine their counts.
struct Target256 {
  unsigned long long* totals = nullptr;  ///< kHistograms × 256, zero between launches
  unsigned int* arrived = nullptr;       ///< blocks that have added their counts; zero between launches
  unsigned long long* counts = nullptr;  ///< the result: kHistograms × bins
  int bins = kColumnBins;
  TableTarget table;
};

/// The shared-memory address of the calling lane's column.
__device__ __forceinline__ std::uint32_t column_address(const unsigned int* columns) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(columns + threadIdx.x % kColumns));
}

/// Adds 1 to a level of a column. Inline assembly computes the address with one multiply-add; `histogram` only changes
/// a constant offset.
template <int histogram = 0>
__device__ __forceinline__ void count_in_column(std::uint32_t column, std::uint32_t level) {
  asm volatile("red.shared.add.u32 [%0 + %1], 1;" ::"r"(level * (kColumns * 4U) + column), "n"(histogram * kColumnBytes)
               : "memory");
}

template <int kHistograms>
class ColumnCounters {
 public:
  static constexpr std::size_t kBytes = kHistograms * kColumnBytes;

  /// `memory` is kBytes of shared memory, aligned to 16. A barrier must follow before the first add().
  __device__ explicit ColumnCounters(std::byte* memory)
      : columns_(reinterpret_cast<unsigned int*>(memory)), mine_(column_address(columns_)) {
    for (std::size_t i = threadIdx.x; i < kBytes / sizeof(uint4); i += blockDim.x) {
      reinterpret_cast<uint4*>(memory)[i] = make_uint4(0, 0, 0, 0);
    }
  }

  template <int histogram = 0>
  __device__ __forceinline__ void add(std::uint32_t level) {
    count_in_column<histogram>(mine_, level);
  }

  /// Adds this block's counts to the totals. The last block to do so writes the result and clears the totals. A column
  /// cannot overflow: that would take 2³² pixels in one block.
  __device__ void finish(const Target256& target) {
    __shared__ bool is_last;
    __shared__ SegmentScratch scratch;
    __syncthreads();  // all pixels of the block are counted
    for (unsigned bin = threadIdx.x; bin < kHistograms * kColumnBins; bin += blockDim.x) {
      unsigned int sum = 0;
#pragma unroll 8
      for (unsigned c = 0; c < kColumns; ++c) {
        sum += columns_[bin * kColumns + (bin + c) % kColumns];  // starting at bin % 32 gives each lane its own bank
      }
      if (sum != 0) {
        atomicAdd(target.totals + bin, static_cast<unsigned long long>(sum));
      }
    }
    __threadfence();
    __syncthreads();  // the block's additions are visible before it counts as arrived
    if (threadIdx.x == 0) {
      is_last = atomicAdd(target.arrived, 1U) == gridDim.x - 1;
    }
    __syncthreads();  // is_last is written
    if (is_last) {
      __threadfence();
      write_result(target, scratch);
    }
  }

 private:
  __device__ void write_result(const Target256& target, SegmentScratch& scratch) {
    bool changed = false;
    for (int h = 0; h < kHistograms; ++h) {
      unsigned long long count = 0;
      if (threadIdx.x < kColumnBins) {
        count = atomicExch(target.totals + h * kColumnBins + threadIdx.x, 0ULL);
      }
      if (static_cast<int>(threadIdx.x) < target.bins) {
        target.counts[h * target.bins + threadIdx.x] = count;
      }
      if (target.table.maps != nullptr) {
        const std::uint32_t entry = segment_table_entry(target.table.formula, count, scratch);
        changed = changed || entry != threadIdx.x;
        if (threadIdx.x < kColumnBins) {
          target.table.maps[h * kColumnBins + threadIdx.x] = static_cast<std::uint16_t>(entry);
        }
      }
    }
    const int any_changed = __syncthreads_or(changed ? 1 : 0);
    if (threadIdx.x == 0) {
      *target.arrived = 0;
      if (target.table.changes != nullptr) {
        *target.table.changes = static_cast<std::uint32_t>(any_changed);
      }
    }
  }

  unsigned int* columns_;
  std::uint32_t mine_;
};

}  // namespace gpuimg::cuda

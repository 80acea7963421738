// 65536 counters of 16 bits in 128 KiB of shared memory, and how they stay exact. Design: docs/performance.md.
#pragma once

#include "count_levels.hpp"

namespace gpuimg::cuda {

constexpr int kWideBins = 65536;
constexpr int kWideWords = kWideBins / 2;
constexpr int kWideThreads = 1024;
constexpr std::size_t kWideBytes = std::size_t{kWideWords} * sizeof(std::uint32_t);

/// Bins v and v + 32768 share a word. Who raises a counter to 32768 moves these 32768 to `spills` in global memory.
/// Between two barriers a block may count at most 24 pixels a thread: a counter then starts below 32768 and ends below
/// 32768 + 24·1024 < 65536, so that no half ever carries into the other one.
class PackedCounters {
 public:
  static constexpr int kPixelsBetweenBarriers = 24;

  /// `memory`: kWideBytes of shared memory. Needs a barrier before the first add().
  __device__ PackedCounters(std::byte* memory, unsigned long long* spills)
      : words_(reinterpret_cast<unsigned int*>(memory)), spills_(spills) {
    for (unsigned i = threadIdx.x; i < kWideBytes / sizeof(uint4); i += blockDim.x) {
      reinterpret_cast<uint4*>(memory)[i] = make_uint4(0, 0, 0, 0);
    }
  }

  /// Counts `pixels` pixels of one level.
  __device__ __forceinline__ void add(std::uint32_t level, std::uint32_t pixels = 1) {
    const unsigned int half = (level >> 11) & 16U;  // shift of the counter inside its word: 0 or 16
    unsigned int* word = words_ + (level & 0x7FFFU);
    const unsigned int before = atomicAdd(word, pixels << half);
    const unsigned int raised = (before + (pixels << half)) & ~before & (0x8000U << half);
    if (raised != 0) {
      atomicSub(word, raised);
      atomicAdd(spills_ + level, 32768ULL);
    }
  }

  /// Writes this block's words; to be called by all threads.
  __device__ void store(std::uint32_t* partial) const {
    __syncthreads();  // every pixel of the block is counted, and every raised counter lowered
    for (unsigned i = threadIdx.x; i < kWideWords / 4; i += blockDim.x) {
      reinterpret_cast<uint4*>(partial)[i] = reinterpret_cast<const uint4*>(words_)[i];
    }
  }

 private:
  unsigned int* words_;
  unsigned long long* spills_;
};

}  // namespace gpuimg::cuda

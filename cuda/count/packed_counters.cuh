// 65536 counters of 16 bits in 128 KiB of shared memory, and how they stay exact. Design: docs/performance.md,
// "Histogram, 65536 bins".
#pragma once

#include "count/count_levels.cuh"

namespace gpuimg::cuda {

constexpr int kPackedBins = 65536;
constexpr int kPackedWords = kPackedBins / 2;
constexpr int kPackedThreads = 1024;
constexpr std::size_t kPackedBytes = std::size_t{kPackedWords} * sizeof(std::uint32_t);

/// Bins v and v + 32768 share a word. The bank of a word is the level's low bits XORed with its higher bits, so images
/// with few or evenly spaced levels use all banks.
///
/// There are two exact ways to count. Checked: the thread that raises a counter to 32768 moves those 32768 to `spills`
/// in global memory. A block may count at most 24 pixels per thread between two barriers. A counter then starts below
/// 32768 and ends below 32768 + 24·1024 < 65536, so a low half never carries into the high half. Unchecked: an addition
/// costs half as much. If a low half overflows, the sum of all counters is 65535 too small; if a high half overflows,
/// 65536. So comparing the sum with the number of pixels detects an overflow.
class PackedCounters {
 public:
  static constexpr int kPixelsBetweenBarriers = 24;

  /// `memory` is kPackedBytes of shared memory. Call clear() and then a barrier before the first addition.
  __device__ PackedCounters(std::byte* memory, unsigned long long* spills)
      : words_(reinterpret_cast<unsigned int*>(memory)),
        address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory))),
        spills_(spills) {}

  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < kPackedBytes / sizeof(uint4); i += blockDim.x) {
      reinterpret_cast<uint4*>(words_)[i] = make_uint4(0, 0, 0, 0);
    }
  }

  /// Counts `pixels` pixels of one level, checked.
  __device__ __forceinline__ void add(std::uint32_t level, std::uint32_t pixels = 1) {
    const unsigned int half = (level >> 11) & 16U;  // shift of the counter within its word: 0 or 16
    unsigned int* word = words_ + (mixed_pair(level) & 0x7FFFU);
    const unsigned int before = atomicAdd(word, pixels << half);
    const unsigned int raised = (before + (pixels << half)) & ~before & (0x8000U << half);
    if (raised != 0) {
      atomicSub(word, raised);
      atomicAdd(spills_ + level, 32768ULL);
    }
  }

  /// Counts `pixels` pixels of one level, unchecked.
  __device__ __forceinline__ void add_unchecked(std::uint32_t level, std::uint32_t pixels = 1) {
    add_mixed((mixed_pair(level) & 0x7FFFU) * 4U, (level & 0x8000U) != 0 ? pixels << 16 : pixels);
  }

  /// Counts two levels, one in each half of `levels`, unchecked.
  __device__ __forceinline__ void add_pair_unchecked(std::uint32_t levels) {
    const std::uint32_t mixed = mixed_pair(levels);
    add_mixed((mixed & 0x7FFFU) * 4U, (mixed & 0x8000U) != 0 ? 0x10000U : 1U);
    add_mixed((mixed >> 14) & 0x1FFFCU, static_cast<std::int32_t>(mixed) < 0 ? 0x10000U : 1U);
  }

  /// True if any counter has reached `count`. All threads must call this, after a barrier.
  __device__ bool has_reached(std::uint32_t count) const {
    unsigned int most = 0;
    for (unsigned i = threadIdx.x; i < kPackedWords / 4; i += blockDim.x) {
      const uint4 v = reinterpret_cast<const uint4*>(words_)[i];
      most = __vmaxu2(most, __vmaxu2(__vmaxu2(v.x, v.y), __vmaxu2(v.z, v.w)));
    }
    return __syncthreads_or((most & 0xFFFFU) >= count || (most >> 16) >= count) != 0;
  }

  /// Writes this block's words. All threads must call this. Returns the sum of the counters that the calling thread
  /// wrote.
  __device__ std::uint32_t store(std::uint32_t* partial) const {
    __syncthreads();  // all pixels of the block are counted and all spills are subtracted
    std::uint32_t sum = 0;
    for (unsigned i = threadIdx.x; i < kPackedWords; i += blockDim.x) {
      const unsigned int word = words_[mixed_pair(i)];
      partial[i] = word;
      sum += (word & 0xFFFFU) + (word >> 16);
    }
    return sum;
  }

  /// Adds this block's counts to those of the other blocks. The total must be below 2³², because only the low words of
  /// the counts are updated. All threads must call this.
  __device__ void add_to(unsigned long long* counts) const {
    __syncthreads();                            // all pixels of the block are counted
    const unsigned start = blockIdx.x * 1024U;  // blocks start at different counts to avoid contention
    for (unsigned k = threadIdx.x; k < kPackedWords; k += blockDim.x) {
      const unsigned i = (start + k) % kPackedWords;
      const unsigned int word = words_[mixed_pair(i)];
      if ((word & 0xFFFFU) != 0) {
        atomicAdd(reinterpret_cast<unsigned int*>(counts + i), word & 0xFFFFU);
      }
      if ((word >> 16) != 0) {
        atomicAdd(reinterpret_cast<unsigned int*>(counts + i + kPackedWords), word >> 16);
      }
    }
  }

 private:
  /// XORs bits 0-4 of each half of the word with its bits 5-9 and 10-14.
  static __device__ __forceinline__ std::uint32_t mixed_pair(std::uint32_t levels) {
    return levels ^ ((levels >> 5) & 0x001F001FU) ^ ((levels >> 10) & 0x001F001FU);
  }

  __device__ __forceinline__ void add_mixed(std::uint32_t offset, std::uint32_t increment) {
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address_ + offset), "r"(increment) : "memory");
  }

  unsigned int* words_;
  std::uint32_t address_;
  unsigned long long* spills_;
};

}  // namespace gpuimg::cuda

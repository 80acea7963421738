// 65536 counters of 16 bits in 128 KiB of shared memory, and how they stay exact. Design: docs/performance.md.
#pragma once

#include "count/count_levels.hpp"

namespace gpuimg::cuda {

constexpr int kWideBins = 65536;
constexpr int kWideWords = kWideBins / 2;
constexpr int kWideThreads = 1024;
constexpr std::size_t kWideBytes = std::size_t{kWideWords} * sizeof(std::uint32_t);

/// Bins v and v + 32768 share a word. A word's bank is its level's low bits mixed with the higher ones, so that images
/// of few or evenly spaced levels use all banks.
///
/// Two ways to stay exact. Checked: who raises a counter to 32768 moves these 32768 to `spills` in global memory;
/// between two barriers a block may count at most 24 pixels a thread: a counter then starts below 32768 and ends below
/// 32768 + 24·1024 < 65536, so that no half ever carries into the other one. Unchecked: an addition costs half as much;
/// a low half that overflows loses 65535 pixels from the sum of all counters and a high half 65536, so the sum tells.
class PackedCounters {
 public:
  static constexpr int kPixelsBetweenBarriers = 24;

  /// `memory`: kWideBytes of shared memory. clear() and a barrier before the first addition.
  __device__ PackedCounters(std::byte* memory, unsigned long long* spills)
      : words_(reinterpret_cast<unsigned int*>(memory)),
        address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory))),
        spills_(spills) {}

  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < kWideBytes / sizeof(uint4); i += blockDim.x) {
      reinterpret_cast<uint4*>(words_)[i] = make_uint4(0, 0, 0, 0);
    }
  }

  /// Counts `pixels` pixels of one level, checked.
  __device__ __forceinline__ void add(std::uint32_t level, std::uint32_t pixels = 1) {
    const unsigned int half = (level >> 11) & 16U;  // shift of the counter inside its word: 0 or 16
    unsigned int* word = words_ + (mixed_pair(level) & 0x7FFFU);
    const unsigned int before = atomicAdd(word, pixels << half);
    const unsigned int raised = (before + (pixels << half)) & ~before & (0x8000U << half);
    if (raised != 0) {
      atomicSub(word, raised);
      atomicAdd(spills_ + level, 32768ULL);
    }
  }

  /// The same unchecked.
  __device__ __forceinline__ void add_unchecked(std::uint32_t level, std::uint32_t pixels = 1) {
    add_mixed((mixed_pair(level) & 0x7FFFU) * 4U, (level & 0x8000U) != 0 ? pixels << 16 : pixels);
  }

  /// Two levels, one in each half of a word, unchecked.
  __device__ __forceinline__ void add_pair_unchecked(std::uint32_t levels) {
    const std::uint32_t mixed = mixed_pair(levels);
    add_mixed((mixed & 0x7FFFU) * 4U, (mixed & 0x8000U) != 0 ? 0x10000U : 1U);
    add_mixed((mixed >> 14) & 0x1FFFCU, static_cast<std::int32_t>(mixed) < 0 ? 0x10000U : 1U);
  }

  /// True if some counter has reached `count`; to be called by all threads, after a barrier.
  __device__ bool has_reached(std::uint32_t count) const {
    unsigned int most = 0;
    for (unsigned i = threadIdx.x; i < kWideWords / 4; i += blockDim.x) {
      const uint4 v = reinterpret_cast<const uint4*>(words_)[i];
      most = __vmaxu2(most, __vmaxu2(__vmaxu2(v.x, v.y), __vmaxu2(v.z, v.w)));
    }
    return __syncthreads_or((most & 0xFFFFU) >= count || (most >> 16) >= count) != 0;
  }

  /// Writes this block's words; to be called by all threads. Returns the sum of the counters that the thread wrote.
  __device__ std::uint32_t store(std::uint32_t* partial) const {
    __syncthreads();  // every pixel of the block is counted, and every raised counter lowered
    std::uint32_t sum = 0;
    for (unsigned i = threadIdx.x; i < kWideWords; i += blockDim.x) {
      const unsigned int word = words_[mixed_pair(i)];
      partial[i] = word;
      sum += (word & 0xFFFFU) + (word >> 16);
    }
    return sum;
  }

  /// Adds this block's counts to those of the other ones, fewer than 2³² in all: the low words of the counts take them.
  /// To be called by all threads.
  __device__ void add_to(unsigned long long* counts) const {
    __syncthreads();                            // as above
    const unsigned start = blockIdx.x * 1024U;  // blocks keep off each other's counts
    for (unsigned k = threadIdx.x; k < kWideWords; k += blockDim.x) {
      const unsigned i = (start + k) % kWideWords;
      const unsigned int word = words_[mixed_pair(i)];
      if ((word & 0xFFFFU) != 0) {
        atomicAdd(reinterpret_cast<unsigned int*>(counts + i), word & 0xFFFFU);
      }
      if ((word >> 16) != 0) {
        atomicAdd(reinterpret_cast<unsigned int*>(counts + i + kWideWords), word >> 16);
      }
    }
  }

 private:
  /// Bits 0-4 of each half of the word, mixed with its bits 5-9 and 10-14.
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

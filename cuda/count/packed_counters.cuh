// 65536 exact counters of 16 bits in 128 KiB of shared memory. Design: docs/performance.md,
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
/// There are two exact ways to count. Checked: the thread that raises a counter to 32768 moves these 32768 counts to
/// `spills` in global memory. A block may count at most 24 pixels per thread between two barriers. A counter then
/// starts below 32768 and ends below 32768 + 24·1024 < 65536, so a low half never carries into the high half.
/// Unchecked: an addition costs half as much. If a low half overflows, the sum of all counters is 65535 too small; if a
/// high half overflows, it is 65536 too small. So comparing the sum with the number of pixels detects an overflow.
class PackedCounters {
 public:
  static constexpr int kPixelsBetweenBarriers = 24;

  /// `memory` is kPackedBytes of shared memory. Call clear() and then a barrier before the first addition.
  __device__ PackedCounters(std::byte* memory, unsigned long long* spills)
      : words_(reinterpret_cast<unsigned int*>(memory)),
        address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory))),
        spills_(spills) {}

  __device__ void clear() {
#pragma unroll
    for (unsigned i = threadIdx.x; i < kPackedBytes / sizeof(uint4); i += kPackedThreads) {
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

  /// Adds this block's counts to `counts`, which all blocks share. The total must be below 2³², because only the low
  /// words of the counts are updated. All threads must call this.
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

  /// Number of columns that store_bytes writes. A column has sixteen counters of one byte each.
  static constexpr unsigned kColumns = kPackedBins / 16;

  /// Writes this block's counters as bytes, capped at 255. Adds the excess to `spills`, which has a word per level. All
  /// threads must call this, after a barrier.
  __device__ void store_bytes(uint4* columns, unsigned int* spills) const {
    constexpr std::uint32_t kMost = 0x00FF00FFU;
#pragma unroll
    for (unsigned column = threadIdx.x; column < kColumns; column += kPackedThreads) {
      const auto* from = reinterpret_cast<const uint4*>(words_) + first_group(column);
      const uint4 a = from[0];
      const uint4 b = from[kPackedThreads];
      spill(column, ((a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w) & ~kMost) != 0, spills);
      const auto bytes = [](std::uint32_t v, std::uint32_t w) {
        return __byte_perm(__vminu2(v, kMost), __vminu2(w, kMost), 0x6420);
      };
      __stcg(columns + column, make_uint4(bytes(a.x, a.y), bytes(a.z, a.w), bytes(b.x, b.y), bytes(b.z, b.w)));
    }
  }

  /// The level of byte 0 … 15 of a column.
  static __device__ __forceinline__ std::uint32_t level_of_byte(unsigned column, unsigned byte) {
    return mixed_pair(word_of_byte(column, byte)) + byte % 2 * kPackedWords;
  }

 private:
  /// Index of the four words in the first half of a column. The words of the second half are kPackedThreads groups
  /// further.
  static __device__ __forceinline__ unsigned first_group(unsigned column) {
    return column / kPackedThreads * (2 * kPackedThreads) + column % kPackedThreads;
  }
  static __device__ __forceinline__ unsigned word_of_byte(unsigned column, unsigned byte) {
    return 4 * (first_group(column) + byte / 8 * kPackedThreads) + byte % 8 / 2;
  }

  /// For the columns of the lanes with `exceeds` set: adds each counter's excess over 255 to `spills`. Lanes 0 to 15
  /// take one counter each. All lanes of the warp must call this.
  __device__ void spill(unsigned column, bool exceeds, unsigned int* spills) const {
    constexpr unsigned kAll = 0xFFFFFFFFU;
    const unsigned byte = threadIdx.x % 16;
    for (unsigned left = __ballot_sync(kAll, exceeds); left != 0; left &= left - 1) {
      const unsigned exceeding = __shfl_sync(kAll, column, __ffs(static_cast<int>(left)) - 1);
      const unsigned int word = words_[word_of_byte(exceeding, byte)];
      const unsigned int count = byte % 2 == 0 ? word & 0xFFFFU : word >> 16;
      if (threadIdx.x % 32 < 16 && count > 0xFFU) {
        atomicAdd(spills + level_of_byte(exceeding, byte), count - 0xFFU);
      }
    }
  }

  /// XORs bits 0-4 of each half of the word with its bits 5-9 and 10-14. This function is its own inverse.
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

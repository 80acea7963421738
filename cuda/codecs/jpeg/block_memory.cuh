// Copies between global and shared memory by a whole block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuimg::cuda {

/// `bytes` is a multiple of 16, as are both addresses.
__device__ __forceinline__ void copy_to_shared(void* to, const void* from, std::uint32_t bytes) {
  for (std::uint32_t i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x) {
    static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
  }
}

/// Where in a buffer in shared memory the bytes for `to` begin, so that whole words are stored.
__device__ __forceinline__ std::uint32_t word_offset(const void* to) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) & 3U);
}

/// Stores `count` bytes that begin at word_offset(to) of `buffer`: words in the middle, bytes at both ends.
__device__ __forceinline__ void store_words(std::uint8_t* to, const std::uint8_t* buffer, std::uint32_t count) {
  const std::uint32_t begin = word_offset(to);
  const std::uint32_t end = begin + count;
  std::uint8_t* const base = to - begin;
  for (std::uint32_t i = 4 * threadIdx.x; i < end; i += 4 * blockDim.x) {
    if (i >= begin && i + 4 <= end) {
      *reinterpret_cast<std::uint32_t*>(base + i) = *reinterpret_cast<const std::uint32_t*>(buffer + i);
    } else {
      for (std::uint32_t k = i < begin ? begin : i; k < end && k < i + 4; ++k) {
        base[k] = buffer[k];
      }
    }
  }
}

}  // namespace gpuimg::cuda

// Copies between global and shared memory, each done by all threads of a block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuimg::cuda {

/// `bytes` and both addresses must be multiples of 16.
__device__ __forceinline__ void copy_to_shared(void* to, const void* from, std::uint32_t bytes) {
  for (std::uint32_t i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x) {
    static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
  }
}

/// The offset in a shared buffer at which the bytes for `to` must begin, so that store_words can store whole words.
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

/// Stores the first `count` bytes of a shared buffer at an address of any alignment: 16 bytes at once if `to` is
/// aligned to 16, else words that are shifted into place.
__device__ __forceinline__ void store_bytes(std::uint8_t* to, const uint4* buffer, std::uint32_t count) {
  const auto misaligned = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % sizeof(uint4));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(buffer);
  if (misaligned == 0) {
    for (std::uint32_t i = threadIdx.x; i < count / sizeof(uint4); i += blockDim.x) {
      reinterpret_cast<uint4*>(to)[i] = buffer[i];
    }
    const std::uint32_t rest = count % sizeof(uint4);
    if (threadIdx.x < rest) {
      to[count - rest + threadIdx.x] = bytes[count - rest + threadIdx.x];
    }
    return;
  }
  // The first aligned word of `to` receives the bytes that begin at `head` in the buffer.
  const std::uint32_t head = min(count, (4 - misaligned % 4) % 4);
  const std::uint32_t words = (count - head) / 4;
  const std::uint32_t tail = head + 4 * words;
  if (threadIdx.x < head) {
    to[threadIdx.x] = bytes[threadIdx.x];
  }
  if (threadIdx.x < count - tail) {
    to[tail + threadIdx.x] = bytes[tail + threadIdx.x];
  }
  const auto* const from = reinterpret_cast<const std::uint32_t*>(buffer);
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    const std::uint32_t word = head == 0 ? from[i] : __funnelshift_r(from[i], from[i + 1], 8 * head);
    reinterpret_cast<std::uint32_t*>(to + head)[i] = word;
  }
}

}  // namespace gpuimg::cuda

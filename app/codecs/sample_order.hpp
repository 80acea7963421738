// Converts 16-bit samples between byte orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuimg::codecs {

/// Copies `bytes` bytes of whole samples from `from` to `to` and swaps the two bytes of each sample. `to` may equal
/// `from`, but must not overlap it otherwise.
inline void swap_sample_bytes(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  constexpr std::uint64_t kLowBytes = 0x00FF00FF00FF00FFU;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t four;
    std::memcpy(&four, from + i, sizeof four);
    four = (four & kLowBytes) << 8 | (four >> 8 & kLowBytes);
    std::memcpy(to + i, &four, sizeof four);
  }
  for (; i < bytes; i += 2) {
    const std::uint8_t first = from[i];
    to[i] = from[i + 1];
    to[i + 1] = first;
  }
}

}  // namespace gpuimg::codecs

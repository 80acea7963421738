// A zero is stuffed behind each 0xFF of a scan (ITU-T T.81, F.1.2.3).
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/scan_bytes.hpp"

namespace gpuimg::jpeg {

/// From the order of bits, first bit highest, to the order of bytes in memory, and back.
GPUIMG_HD inline std::uint32_t byte_swapped(std::uint32_t word) {
  return word << 24 | (word & 0xFF00U) << 8 | (word >> 8 & 0xFF00U) | word >> 24;
}

/// Which of the first `count` of 16 bytes are 0xFF: bit i is byte i. `words` are little-endian.
GPUIMG_HD inline std::uint32_t mark_bytes(const std::uint32_t words[4], std::uint32_t count) {
  std::uint32_t marks = 0;
  for (int i = 0; i < 4; ++i) {
    marks |= bytes_equal(words[i], 0xFF) << (4 * i);
  }
  return count >= kScanChunkBytes ? marks : marks & ((1U << count) - 1U);
}

}  // namespace gpuimg::jpeg

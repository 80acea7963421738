// Classifies the bytes of a scan, 16 at a time: data, stuffed zeros and markers (ITU-T T.81, B.1.1.5 and F.1.2.3).
#pragma once

#include <cstdint>

#include "host_device.hpp"

namespace gpuimg::jpeg {

constexpr std::uint32_t kScanChunkBytes = 16;

/// Classification of 16 bytes of a scan: bit i of each mask stands for byte i.
struct ScanChunk {
  std::uint32_t coded = 0;     ///< data; includes a 0xFF, but not the 0x00 stuffed after it
  std::uint32_t restarts = 0;  ///< the 0xFF of a restart marker
  std::uint32_t fills = 0;     ///< a 0xFF before another 0xFF; the host handles these
  std::uint32_t ends = 0;      ///< the 0xFF of any other marker

  /// Drops the bytes from `first` on, because they lie after the end of the scan.
  GPUIMG_HD void cut(std::uint32_t first) {
    const std::uint32_t kept = first >= kScanChunkBytes ? 0xFFFFU : (1U << first) - 1U;
    coded &= kept;
    restarts &= kept;
    fills &= kept;
    ends &= kept;
  }
};

/// Four bits: which bytes of `word` equal `value`.
GPUIMG_HD inline std::uint32_t bytes_equal(std::uint32_t word, std::uint32_t value) {
  const std::uint32_t difference = word ^ (value * 0x01010101U);
  const std::uint32_t nonzero = ((difference & 0x7F7F7F7FU) + 0x7F7F7F7FU) | difference;
  return ((~nonzero >> 7 & 0x01010101U) * 0x01020408U) >> 24 & 15U;
}

/// `words` are little-endian. `count` of the 16 bytes are in the file. `before` and `after` are the neighboring bytes:
/// pass 0 before the scan; after the end of the file pass 1, so that a final 0xFF counts as a marker.
GPUIMG_HD inline ScanChunk classify(const std::uint32_t words[4], std::uint32_t count, std::uint32_t before,
                                    std::uint32_t after) {
  constexpr std::uint32_t kAll = 0xFFFF;
  constexpr std::uint32_t kMark = 0xFF;
  const std::uint32_t valid = count >= kScanChunkBytes ? kAll : (1U << count) - 1U;
  std::uint32_t marks = 0;
  std::uint32_t zeros = 0;
  std::uint32_t restarts = 0;
  for (int i = 0; i < 4; ++i) {
    marks |= bytes_equal(words[i], kMark) << (4 * i);
    zeros |= bytes_equal(words[i], 0) << (4 * i);
    restarts |= bytes_equal(words[i] & 0xF8F8F8F8U, 0xD0) << (4 * i);
  }
  marks &= valid;
  // For each byte i, properties of byte i + 1. After the last byte of the file comes `after`.
  const std::uint32_t last =
      count >= kScanChunkBytes ? 1U << (kScanChunkBytes - 1) : (count == 0 ? 0U : 1U << (count - 1));
  const std::uint32_t inner = valid >> 1;
  const std::uint32_t zero_next = (zeros >> 1 & inner) | (after == 0 ? last : 0U);
  const std::uint32_t restart_next = (restarts >> 1 & inner) | ((after & 0xF8U) == 0xD0U ? last : 0U);
  const std::uint32_t mark_next = (marks >> 1 & inner) | (after == kMark ? last : 0U);
  const std::uint32_t behind_mark = marks << 1 | (before == kMark ? 1U : 0U);
  ScanChunk chunk;
  chunk.coded = valid & ~(behind_mark & (zeros | restarts)) & (~marks | zero_next);
  chunk.restarts = marks & restart_next;
  chunk.fills = marks & mark_next;
  chunk.ends = marks & ~(zero_next | restart_next | mark_next);
  return chunk;
}

// --- For the encoder, which stuffs a zero after each 0xFF ------------------------------------------------------------

/// Converts between bit order, first bit highest, and the byte order of memory.
GPUIMG_HD inline std::uint32_t byte_swapped(std::uint32_t word) {
  return word << 24 | (word & 0xFF00U) << 8 | (word >> 8 & 0xFF00U) | word >> 24;
}

/// Mask of the 0xFF bytes among the first `count` of 16 bytes: bit i stands for byte i. `words` are little-endian.
GPUIMG_HD inline std::uint32_t mark_bytes(const std::uint32_t words[4], std::uint32_t count) {
  std::uint32_t marks = 0;
  for (int i = 0; i < 4; ++i) {
    marks |= bytes_equal(words[i], 0xFF) << (4 * i);
  }
  return count >= kScanChunkBytes ? marks : marks & ((1U << count) - 1U);
}

}  // namespace gpuimg::jpeg

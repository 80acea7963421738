// The parts of JPEG decoding that the host can do for a device: the bytes of a scan without stuffing, and the states of
// its subsequences, which flat images never reach by synchronization. Defined in core/jpeg_scan_walk.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuimg/jpeg/subsequences.hpp"

namespace gpuimg::jpeg {

/// A scan without stuffed bytes and restart markers.
struct CleanScan {
  std::vector<std::uint32_t> words;       ///< its bytes, and kReadableBytesAfterScan zeros or more
  std::vector<std::uint32_t> first_byte;  ///< of each restart segment, and the end of the last
  std::uint32_t defects = 0;              ///< not 0: the rest is of no use
};

/// `scan` reaches to the end of the file, and is below 2²⁹ bytes. Little-endian hosts only.
CleanScan clean_scan(std::span<const std::byte> scan, std::uint32_t segment_count);

/// The first subsequence of each segment, and the end of the last.
std::vector<std::uint32_t> first_subsequences(const std::vector<std::uint32_t>& first_byte,
                                              std::uint32_t subsequence_bits);

/// Decodes the whole scan in order: fills `ends`, `own` and `before`, and clears `before_tile`. The table must have one
/// tile.
void walk_states(const SubsequenceTable& table, const Segments& segments, const ScanCode& code);

}  // namespace gpuimg::jpeg

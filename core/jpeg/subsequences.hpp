// Cuts a scan into subsequences, and makes a SubsequenceTask from the results of skimming each subsequence. The host
// can do part of the work for a device: remove stuffing, and find the states in flat images, where synchronization
// never succeeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host_device.hpp"
#include "jpeg/entropy.hpp"

namespace gpuimg::jpeg {

/// Restart segments of a scan without stuffing. Element i of both arrays belongs to segment i; one more element marks
/// the end of the last segment.
struct Segments {
  const std::uint32_t* first_byte = nullptr;
  const std::uint32_t* first_subsequence = nullptr;
  std::uint32_t count = 0;
  std::uint32_t subsequence_bits = 0;  ///< a multiple of 8
};

/// Number of subsequences of a segment. At least one, so that an empty segment is reported as lacking blocks.
GPUIMG_HD inline std::uint32_t subsequences_of(std::uint32_t bytes, std::uint32_t subsequence_bits) {
  const std::uint32_t each = subsequence_bits / 8;
  return bytes == 0 ? 1U : (bytes + each - 1) / each;
}

/// Where a subsequence lies in the scan.
struct Subsequence {
  std::uint32_t segment = 0;
  std::uint32_t begin = 0;  ///< in bits, like all positions here
  std::uint32_t end = 0;
  std::uint32_t segment_end = 0;
  bool is_first = false;  ///< first subsequence of its segment
  bool is_last = false;

  [[nodiscard]] GPUIMG_HD DecoderState guess() const { return {begin, 0, 0}; }
};

/// A subsequence is synchronized in `parts` steps. Returns the bit at which step `part` ends.
GPUIMG_HD inline std::uint32_t part_end(std::uint32_t begin, std::uint32_t end, std::uint32_t bits, std::uint32_t part,
                                        std::uint32_t parts) {
  const std::uint32_t at = begin + bits * (part + 1) / parts;
  return at < end ? at : end;
}

GPUIMG_HD inline Subsequence subsequence_at(const Segments& segments, std::uint32_t number) {
  std::uint32_t low = 0;
  for (std::uint32_t high = segments.count; high - low > 1;) {
    const std::uint32_t middle = low + (high - low) / 2;
    (segments.first_subsequence[middle] <= number ? low : high) = middle;
  }
  const std::uint32_t first = segments.first_subsequence[low];
  Subsequence place;
  place.segment = low;
  place.segment_end = segments.first_byte[low + 1] * 8;
  place.begin = segments.first_byte[low] * 8 + (number - first) * segments.subsequence_bits;
  place.is_first = number == first;
  place.is_last = number + 1 == segments.first_subsequence[low + 1];
  place.end = place.is_last ? place.segment_end : place.begin + segments.subsequence_bits;
  return place;
}

/// Sums that restart at the beginning of each segment. Addition is associative.
struct SegmentSums {
  ScanSums sums;
  std::uint32_t begins_segment = 0;  ///< 1: a summand began a segment; a whole word, so that there is no padding

  GPUIMG_HD friend SegmentSums operator+(const SegmentSums& a, const SegmentSums& b) {
    return {b.begins_segment != 0 ? b.sums : a.sums + b.sums, a.begins_segment | b.begins_segment};
  }
};

/// The results for the subsequences, and for tiles of `tile_size` subsequences each. Each tile is synchronized
/// independently, after a run-in over the last few subsequences before it.
struct SubsequenceTable {
  DecoderState* ends = nullptr;          ///< the state at the end of each subsequence
  ScanSums* own = nullptr;               ///< the sums over each subsequence
  ScanSums* before = nullptr;            ///< sums before each, from its segment's or tile's beginning (the later one)
  DecoderState* assumed_ends = nullptr;  ///< per tile: assumed state at the end of the preceding subsequence
  SegmentSums* tile_sums = nullptr;      ///< per tile: its sums
  ScanSums* before_tile = nullptr;  ///< per tile: sums before it, from the beginning of the segment that it starts in
  std::uint32_t count = 0;          ///< number of subsequences
  std::uint32_t tile_size = 0;

  [[nodiscard]] GPUIMG_HD std::uint32_t tile_count() const { return (count + tile_size - 1) / tile_size; }
  [[nodiscard]] GPUIMG_HD std::uint32_t tile_end(std::uint32_t tile) const {
    const std::uint32_t end = (tile + 1) * tile_size;
    return end < count ? end : count;
  }
};

/// True if the state that the tile started from is the true state at the end of the preceding subsequence.
GPUIMG_HD inline bool tile_agrees(const SubsequenceTable& table, const Segments& segments, std::uint32_t tile) {
  const std::uint32_t first = tile * table.tile_size;
  return tile == 0 || table.assumed_ends[tile] == table.ends[first - 1] || subsequence_at(segments, first).is_first;
}

/// Skims a tile again from `state`, the true end state of the previous tile, until the states agree. Each subsequence
/// costs 1 of `budget`. Returns false if the budget runs out.
GPUIMG_HD inline bool repair_tile(const SubsequenceTable& table, const Segments& segments, const ScanCode& code,
                                  std::uint32_t tile, DecoderState state, std::uint32_t& budget) {
  table.assumed_ends[tile] = state;
  for (std::uint32_t i = tile * table.tile_size; i < table.tile_end(tile); ++i) {
    const Subsequence place = subsequence_at(segments, i);
    if (place.is_first) {
      break;
    }
    if (budget == 0) {
      return false;
    }
    --budget;
    table.own[i] = skim(code, state, place.end);
    const bool agrees = state == table.ends[i];
    table.ends[i] = state;
    if (agrees) {
      break;
    }
  }
  return true;
}

GPUIMG_HD inline SubsequenceTask task_at(const SubsequenceTable& table, const Segments& segments, const Layout& layout,
                                         std::uint32_t number) {
  const Subsequence place = subsequence_at(segments, number);
  const std::uint32_t tile = number / table.tile_size;
  const bool began_earlier = segments.first_subsequence[place.segment] < tile * table.tile_size;
  SubsequenceTask task;
  task.from = place.is_first ? place.guess() : table.ends[number - 1];
  task.to = table.ends[number];
  task.before = began_earlier ? table.before_tile[tile] + table.before[number] : table.before[number];
  task.own = table.own[number];
  task.end = place.end;
  task.segment_end = place.segment_end;
  task.is_last = place.is_last;
  task.first_block = layout.first_block(place.segment);
  task.segment_blocks = layout.blocks_of(place.segment);
  return task;
}

// --- On the host -----------------------------------------------------------------------------------------------------

/// A scan without stuffed bytes and restart markers.
struct CleanScan {
  std::vector<std::uint32_t> words;       ///< its bytes, then at least kReadableBytesAfterScan zeros
  std::vector<std::uint32_t> first_byte;  ///< of each restart segment; the last element is the end of the scan
  std::uint32_t defects = 0;              ///< if not 0, the other members are meaningless
};

/// `scan` must extend to the end of the file and be shorter than 2²⁹ bytes. Works only on little-endian hosts.
CleanScan clean_scan(std::span<const std::byte> scan, std::uint32_t segment_count);

/// The number of the first subsequence of each segment; the last element is the total.
std::vector<std::uint32_t> first_subsequences(const std::vector<std::uint32_t>& first_byte,
                                              std::uint32_t subsequence_bits);

/// Decodes the whole scan in order. Fills `ends`, `own` and `before`, and clears `before_tile`. The table must have
/// exactly one tile.
void walk_states(const SubsequenceTable& table, const Segments& segments, const ScanCode& code);

}  // namespace gpuimg::jpeg

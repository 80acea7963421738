// How a scan is cut into subsequences, and how what is known of each becomes a SubsequenceTask. The host can do a part
// for a device: a scan without stuffing, and the states of flat images, which synchronization never finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host_device.hpp"
#include "jpeg/entropy.hpp"

namespace gpuimg::jpeg {

/// Restart segments in the bytes without stuffing. Element i of both arrays belongs to segment i; a last element
/// follows.
struct Segments {
  const std::uint32_t* first_byte = nullptr;
  const std::uint32_t* first_subsequence = nullptr;
  std::uint32_t count = 0;
  std::uint32_t subsequence_bits = 0;  ///< a multiple of 8
};

/// At least one, so that a segment without bytes is seen to lack blocks.
GPUIMG_HD inline std::uint32_t subsequences_of(std::uint32_t bytes, std::uint32_t subsequence_bits) {
  const std::uint32_t each = subsequence_bits / 8;
  return bytes == 0 ? 1U : (bytes + each - 1) / each;
}

/// A subsequence's place.
struct Subsequence {
  std::uint32_t segment = 0;
  std::uint32_t begin = 0;  ///< bits
  std::uint32_t end = 0;
  std::uint32_t segment_end = 0;
  bool is_first = false;  ///< in its segment
  bool is_last = false;

  [[nodiscard]] GPUIMG_HD DecoderState guess() const { return {begin, 0, 0}; }
};

/// A subsequence is synchronized part by part: the bit at which part `part` of `parts` ends.
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

/// Sums that begin anew at each segment; an associative operation.
struct SegmentSums {
  ScanSums sums;
  std::uint32_t begins_segment = 0;  ///< 1: some summand did. A word, so that no padding is copied

  GPUIMG_HD friend SegmentSums operator+(const SegmentSums& a, const SegmentSums& b) {
    return {b.begins_segment != 0 ? b.sums : a.sums + b.sums, a.begins_segment | b.begins_segment};
  }
};

/// What is known of the subsequences, and of tiles of `tile_size` of them. Each tile is synchronized by itself, from a
/// run-in of a few subsequences before it.
struct SubsequenceTable {
  DecoderState* ends = nullptr;          ///< the state behind each subsequence
  ScanSums* own = nullptr;               ///< what each adds up to
  ScanSums* before = nullptr;            ///< of its segment, from the beginning of its tile
  DecoderState* assumed_ends = nullptr;  ///< by tile: where the tile takes the subsequence before it to end
  SegmentSums* tile_sums = nullptr;      ///< by tile
  ScanSums* before_tile = nullptr;       ///< by tile: of the segment in which the tile begins
  std::uint32_t count = 0;               ///< of subsequences
  std::uint32_t tile_size = 0;

  [[nodiscard]] GPUIMG_HD std::uint32_t tile_count() const { return (count + tile_size - 1) / tile_size; }
  [[nodiscard]] GPUIMG_HD std::uint32_t tile_end(std::uint32_t tile) const {
    const std::uint32_t end = (tile + 1) * tile_size;
    return end < count ? end : count;
  }
};

/// True if the tile started from where the subsequence before it really ends.
GPUIMG_HD inline bool tile_agrees(const SubsequenceTable& table, const Segments& segments, std::uint32_t tile) {
  const std::uint32_t first = tile * table.tile_size;
  return tile == 0 || table.assumed_ends[tile] == table.ends[first - 1] || subsequence_at(segments, first).is_first;
}

/// Skims a tile anew from `state`, the true end of the one before it, until the states agree. Takes one off `budget`
/// for each subsequence; returns false once there is nothing left.
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

// CLAHE: tables of tiles, interpolation between them, and how a device distributes the pixels over its blocks and
// threads. Specified in docs/operations.md, "CLAHE". Results must equal OpenCV's, so multiplications and additions must
// not be fused. The design for devices: docs/decisions/0019-local-operations.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "gpuimg/ops/clahe.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// Consecutive rows or columns of an image.
struct SourceRun {
  int first = 0;
  int count = 0;
};

/// The rows or columns that appear at positions [begin, end). Positions may lie beyond the `size` rows or columns of
/// the image, which is reflected there without repeating the edge.
inline std::vector<SourceRun> source_runs(int begin, int end, int size) {
  std::vector<SourceRun> runs;
  for (int at = begin; at < end;) {
    const int phase = size == 1 ? 0 : at % (2 * size - 2);
    const bool rises = phase < size;
    const int mirrored = 2 * size - 2 - phase;  // descending from here to 1
    const int count = std::min(end - at, rises ? size - phase : mirrored);
    runs.push_back({rises ? phase : mirrored - count + 1, count});
    at += count;
  }
  return runs;
}

/// The parts of the image that a tile sees. There are several if the tile reaches beyond the right or the bottom edge.
/// Tiles are numbered row by row.
inline std::vector<Rect> sources_of_tile(const TileGrid& grid, std::size_t tile) {
  const int i = static_cast<int>(tile) % grid.tiles_x;
  const int j = static_cast<int>(tile) / grid.tiles_x;
  std::vector<Rect> parts;
  for (const SourceRun& rows : source_runs(j * grid.tile_height, (j + 1) * grid.tile_height, grid.height)) {
    for (const SourceRun& columns : source_runs(i * grid.tile_width, (i + 1) * grid.tile_width, grid.width)) {
      parts.push_back({columns.first, rows.first, columns.count, rows.count});
    }
  }
  return parts;
}

/// The intersection of both rectangles; nullopt if it is empty.
inline std::optional<Rect> common_part(const Rect& a, const Rect& b) {
  const int x = std::max(a.x, b.x);
  const int y = std::max(a.y, b.y);
  const int width = std::min(a.x + a.width, b.x + b.width) - x;
  const int height = std::min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? std::optional(Rect{x, y, width, height}) : std::nullopt;
}

/// How to turn the counts of one tile into a table.
struct ClipRule {
  std::uint64_t limit = 0;   ///< upper limit of each count
  std::uint64_t bonus = 0;   ///< added to each count: the clipped sum divided by the number of levels
  std::uint32_t rest = 0;    ///< remainder of this division: the number of levels that get one more count;
  std::uint32_t stride = 1;  ///< these are the levels 0, stride, 2·stride, …
  float scale = 0.0F;        ///< float32(V) / float32(counted)
};

/// The limit of each count in a tile of `counted` > 0 pixels.
GPUIMG_HD inline std::uint64_t clip_limit(double clip, std::uint64_t counted, std::uint32_t levels) {
  const double limit = clip * static_cast<double>(counted) / levels;
  if (!(clip > 0.0) || limit >= static_cast<double>(counted)) {
    return counted;
  }
  return limit < 1.0 ? 1 : static_cast<std::uint64_t>(limit);
}

/// `clipped` is the sum that the limit cut off. `v_max` is the highest level that the table maps to.
GPUIMG_HD inline ClipRule clip_rule(std::uint64_t limit, std::uint64_t clipped, std::uint64_t counted,
                                    std::uint32_t levels, std::uint32_t v_max) {
  ClipRule rule;
  rule.limit = limit;
  rule.bonus = clipped / levels;
  rule.rest = static_cast<std::uint32_t>(clipped % levels);
  rule.stride = rule.rest == 0 ? 1 : levels / rule.rest;
  rule.scale = static_cast<float>(v_max) / static_cast<float>(counted);
  return rule;
}
GPUIMG_HD inline ClipRule clip_rule(std::uint64_t limit, std::uint64_t clipped, std::uint64_t counted,
                                    std::uint32_t levels) {
  return clip_rule(limit, clipped, counted, levels, levels - 1);
}

/// The count of a level after clipping.
GPUIMG_HD inline std::uint64_t clipped_count(const ClipRule& rule, std::uint32_t level, std::uint64_t count) {
  const bool gets_more = level % rule.stride == 0 && level / rule.stride < rule.rest;
  return (count < rule.limit ? count : rule.limit) + rule.bonus + (gets_more ? 1 : 0);
}

/// 1.5 · 2²³. Adding this to 0 ≤ x < 2²² leaves no bits for a fraction, so the sum is rounded to an integer, ties to
/// even.
inline constexpr float kNoFraction = 12582912.0F;

/// rint(x) for 0 ≤ x < 2²². On many processors, rint itself is a function call.
GPUIMG_HD constexpr float rounded_to_even(float x) { return (x + kNoFraction) - kNoFraction; }

/// rint(x) in the low 22 bits, for 0 ≤ x < 2²²; the higher bits are constant. On devices, additions are faster than
/// conversions.
GPUIMG_HD inline std::uint32_t rounded_bits(float x) {
  const float sum = x + kNoFraction;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &sum, sizeof(bits));
  return bits;
}

GPUIMG_HD inline std::uint32_t clahe_level(const ClipRule& rule, std::uint64_t cumulative, std::uint32_t v_max) {
  const float mapped = rounded_to_even(static_cast<float>(static_cast<std::int64_t>(cumulative)) * rule.scale);
  return mapped >= static_cast<float>(v_max) ? v_max : static_cast<std::uint32_t>(mapped);
}

/// Writes the table of a tile, with one entry per count. If nothing was counted, the table is the identity.
template <class Count>
void clahe_map(const Count* counts, std::uint32_t levels, double clip, std::uint16_t* map) {
  std::uint64_t counted = 0;
  for (std::uint32_t level = 0; level < levels; ++level) {
    counted += counts[level];
  }
  if (counted == 0) {
    for (std::uint32_t level = 0; level < levels; ++level) {
      map[level] = static_cast<std::uint16_t>(level);
    }
    return;
  }
  const std::uint64_t limit = clip_limit(clip, counted, levels);
  std::uint64_t clipped = 0;
  for (std::uint32_t level = 0; level < levels; ++level) {
    clipped += counts[level] > limit ? counts[level] - limit : 0;
  }
  const ClipRule rule = clip_rule(limit, clipped, counted, levels);
  std::uint64_t cumulative = 0;
  std::uint32_t rest = rule.rest;
  std::uint32_t next = 0;  // next level that gets one more count
  for (std::uint32_t level = 0; level < levels; ++level) {
    cumulative += std::min<std::uint64_t>(counts[level], limit) + rule.bonus;
    if (rest != 0 && level == next) {
      ++cumulative;
      --rest;
      next += rule.stride;
    }
    map[level] = static_cast<std::uint16_t>(clahe_level(rule, cumulative, levels - 1));
  }
}

/// For 16 bits with 256 bins: each bin covers 256 levels, and its table entry applies to the center of the bin.
inline constexpr std::uint32_t kClaheBins = 256;
inline constexpr std::uint32_t kLevelsOfBin = 256;

/// The table entry for a level: interpolated between the two nearest bin centers, rounded half up.
template <class Entry>
GPUIMG_HD constexpr std::uint16_t entry_between_bins(const Entry* entries, std::uint32_t level) {
  constexpr std::uint32_t kWidth = 2 * kLevelsOfBin;  // in half levels, because centers lie between two levels
  constexpr std::uint32_t kFirst = kLevelsOfBin - 1;
  if (2 * level <= kFirst) {
    return static_cast<std::uint16_t>(entries[0]);
  }
  const std::uint32_t bin = (2 * level - kFirst) / kWidth;
  if (bin >= kClaheBins - 1) {
    return static_cast<std::uint16_t>(entries[kClaheBins - 1]);
  }
  const std::uint32_t part = (2 * level - kFirst) % kWidth;
  return static_cast<std::uint16_t>((entries[bin] * (kWidth - part) + entries[bin + 1] * part + kWidth / 2) / kWidth);
}

/// Writes the table of a tile from 65536 counts, which are first summed into 256 bins.
template <class Count>
void clahe_map_of_bins(const Count* counts, double clip, std::uint16_t* map) {
  constexpr std::uint32_t kLevels = kClaheBins * kLevelsOfBin;
  std::array<std::uint64_t, kClaheBins> bins{};
  std::uint64_t counted = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    bins[level / kLevelsOfBin] += counts[level];
    counted += counts[level];
  }
  if (counted == 0) {
    std::iota(map, map + kLevels, std::uint16_t{0});
    return;
  }
  const std::uint64_t limit = clip_limit(clip, counted, kClaheBins);
  std::uint64_t clipped = 0;
  for (const std::uint64_t count : bins) {
    clipped += count > limit ? count - limit : 0;
  }
  const ClipRule rule = clip_rule(limit, clipped, counted, kClaheBins, kLevels - 1);
  std::array<std::uint32_t, kClaheBins> entries{};
  std::uint64_t cumulative = 0;
  for (std::uint32_t bin = 0; bin < kClaheBins; ++bin) {
    cumulative += clipped_count(rule, bin, bins[bin]);
    entries[bin] = clahe_level(rule, cumulative, kLevels - 1);
  }
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    map[level] = entry_between_bins(entries.data(), level);
  }
}

/// Writes the table of a tile, with or without bins, depending on the options.
template <class Count>
void clahe_map(const Count* counts, std::uint32_t levels, const ClaheOptions& options, std::uint16_t* map) {
  if (levels > kClaheBins && !options.full_bins) {
    clahe_map_of_bins(counts, options.clip, map);
  } else {
    clahe_map(counts, levels, options.clip, map);
  }
}

/// The two adjacent tiles, along one axis, between whose centers a pixel lies.
struct TilePlace {
  int cell = 0;  ///< 0 before the first tile's center, 1 between the first two, …
  int first = 0;
  int second = 0;
  float weight = 0.0F;
};

/// `inverse` is 1.0F / tile size.
GPUIMG_HD inline TilePlace tile_place(int at, float inverse, int tiles) {
  const float position = static_cast<float>(at) * inverse - 0.5F;
  const float floored = floorf(position);
  const int tile = static_cast<int>(floored);
  return {tile + 1, tile < 0 ? 0 : tile, tile + 1 < tiles ? tile + 1 : tiles - 1, position - floored};
}

/// Table entries of the four tiles around a pixel, for its level.
struct FourLevels {
  float above_left = 0.0F;
  float above_right = 0.0F;
  float below_left = 0.0F;
  float below_right = 0.0F;
};

/// Weights of two adjacent tiles.
struct TwoWeights {
  float first = 0.0F;
  float second = 0.0F;
};

GPUIMG_HD constexpr TwoWeights two_weights(float second) { return {1.0F - second, second}; }

/// Interpolates between four table entries; does not round. The result never rounds to V + 1: two weights sum to at
/// most 1 + 2⁻²⁵, and each of the six other roundings adds at most 2⁻²⁴ of the value, together less than 0.04.
GPUIMG_HD constexpr float level_between(const FourLevels& four, TwoWeights x, TwoWeights y) {
  const float upper = four.above_left * x.first + four.above_right * x.second;
  const float lower = four.below_left * x.first + four.below_right * x.second;
  return upper * y.first + lower * y.second;
}

GPUIMG_HD inline std::uint32_t interpolated(const FourLevels& four, float right, float below) {
  return rounded_bits(level_between(four, two_weights(right), two_weights(below))) & 0x3FFFFFU;
}

// --- For devices. A cell is the rectangle between four tile centers: all of its pixels use the same four tables ------

/// The boundaries of the cells along one axis of an image, or of a part of it. Cell c is [begin[c], begin[c + 1]), and
/// may be empty.
struct CellEdges {
  int cells = 0;
  int begin[kMaxTiles + 2] = {};
};

/// The boundaries among `count` positions from `first` on, relative to `first`.
inline CellEdges cell_edges(int first, int count, int tile_size, int tiles) {
  CellEdges edges;
  edges.cells = tiles + 1;
  const float inverse = 1.0F / static_cast<float>(tile_size);
  for (int cell = 0; cell <= edges.cells; ++cell) {
    int low = cell == 0 ? 0 : edges.begin[cell - 1];
    for (int high = count; low < high;) {  // binary search: a later position never lies in an earlier cell
      const int middle = low + (high - low) / 2;
      if (tile_place(first + middle, inverse, tiles).cell < cell) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    edges.begin[cell] = low;
  }
  return edges;
}

/// tile_place().weight for a position that is known to lie in `cell`.
GPUIMG_HD inline float weight_in_cell(int at, float inverse, int cell) {
  return (static_cast<float>(at) * inverse - 0.5F) - static_cast<float>(cell - 1);
}

/// The tiles whose centers bound a cell: the tile before it, and the tile after it.
GPUIMG_HD constexpr int tile_before(int cell) { return cell == 0 ? 0 : cell - 1; }
GPUIMG_HD constexpr int tile_after(int cell, int tiles) { return cell < tiles ? cell : tiles - 1; }

/// Distributes the columns [begin, end) of a rectangle over the threads of a block, in aligned groups of adjacent
/// pixels. Thread t processes the groups t mod at_once, t mod at_once + at_once, … of the rows t div at_once, t div
/// at_once + rows_at_once, …
struct ColumnDeal {
  int begin = 0;
  int end = 0;
  int first_group = 0;
  int groups = 0;  ///< groups with at least one column; the first and last group may reach beyond the rectangle
  int at_once = 1;
  int rows_at_once = 1;
};

/// Tries 1 to 4 passes over the columns, and chooses the number that leaves the fewest threads idle.
inline ColumnDeal deal_columns(int begin, int end, int pixels_per_group, int threads) {
  ColumnDeal deal{begin, end, begin / pixels_per_group, 0, 1, 1};
  deal.groups = begin < end ? (end + pixels_per_group - 1) / pixels_per_group - deal.first_group : 0;
  constexpr int kMaxPasses = 4;
  const int fewest = std::max(1, (deal.groups + threads - 1) / threads);
  int best_passes = 0;
  for (int passes = fewest; passes < fewest + kMaxPasses; ++passes) {
    const int at_once = std::max(1, (deal.groups + passes - 1) / passes);
    const int rows = threads / at_once;
    if (best_passes == 0 || rows * best_passes > deal.rows_at_once * passes) {
      best_passes = passes;
      deal.at_once = at_once;
      deal.rows_at_once = rows;
    }
  }
  return deal;
}

/// Number of rows of a rectangle, at most `columns` wide, that one block processes: large enough to make the fixed cost
/// of blocks small, and small enough to keep all multiprocessors busy.
inline int rows_per_block_of(int columns, std::uint64_t pixels, std::uint64_t blocks_wanted, std::uint64_t min_pixels,
                             std::uint64_t max_pixels) {
  const std::uint64_t share = std::clamp(pixels / std::max<std::uint64_t>(blocks_wanted, 1), min_pixels, max_pixels);
  const auto row = static_cast<std::uint64_t>(std::max(columns, 1));
  return static_cast<int>(std::clamp<std::uint64_t>((share + row - 1) / row, 1, 1U << 30));
}

}  // namespace gpuimg

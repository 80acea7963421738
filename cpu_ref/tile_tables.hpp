// The tables of CLAHE's tiles: counts each tile and clips its counts. Specified in docs/operations.md, "CLAHE".
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "levels.hpp"
#include "ops/clahe.hpp"
#include "table_levels.hpp"

namespace gpuimg::cpu {

/// What is counted and mapped in one pass: the level of the color mode, or one of three channels.
struct Plane {
  ConstView pixels;
  const ClaheOptions& options;
  std::optional<Channel> channel;  ///< nothing: the level of a color image that the mode maps

  /// The levels of `count` pixels of row y from pixel `first` on. Fills `buffer` if it has to.
  template <class T, int channels>
  const T* levels(int y, int first, int count, T* buffer) const {
    if (channel) {
      return read_levels<T>(pixels, y, first, count, *channel, options.luma, buffer);
    }
    if constexpr (channels >= 3) {
      const T* row = pixels.row<T>(y) + static_cast<std::size_t>(first) * channels;
      read_table_levels<T, channels>(row, static_cast<std::size_t>(count), options.color, options.luma, buffer);
    }
    return buffer;
  }
};

/// Counts tiles one after the other, on one thread.
template <class T>
class TileCounter {
 public:
  explicit TileCounter(int width)
      : counters_(kLevels * kCounters),
        totals_(kLevels),
        levels_(static_cast<std::size_t>(width)),
        flags_(static_cast<std::size_t>(width)) {}

  /// Writes the table of a tile.
  template <int channels>
  void make_table(const Plane& plane, const TileGrid& grid, std::size_t tile, std::uint16_t* map) {
    const Rect whole{0, 0, grid.width, grid.height};
    const Rect region = plane.options.selection.region.value_or(whole);
    for (const Rect& source : sources_of_tile(grid, tile)) {
      if (const auto part = common_part(region, source)) {
        count_part<channels>(plane, *part);
      }
    }
    if constexpr (sizeof(T) == 2) {
      if (!is_flushed_) {
        clahe_map_16(counters_.data(), plane.options.clip, map);
        unflushed_ = 0;
        return;
      }
    }
    flush();
    clahe_map(totals_.data(), static_cast<std::uint32_t>(kLevels), plane.options.clip, map);
    std::fill(totals_.begin(), totals_.end(), 0U);
    is_flushed_ = false;
  }

 private:
  static constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  static constexpr std::size_t kCounters = sizeof(T) == 1 ? kByteCounters : 1;  ///< of a level, adjacent
  static constexpr std::uint64_t kMaxUnflushed = (std::uint64_t{1} << 31) - 1;

  template <int channels>
  void count_part(const Plane& plane, const Rect& part) {
    Selection selection = plane.options.selection;
    selection.region = part;
    const CountedPixels counted(plane.pixels, selection);
    const auto width = static_cast<std::size_t>(part.width);
    for (int y = 0; y < part.height; ++y) {
      if (unflushed_ + width > kMaxUnflushed) {
        flush();
      }
      unflushed_ += width;
      const T* levels = plane.levels<T, channels>(part.y + y, part.x, part.width, levels_.data());
      if (!counted.all()) {
        counted.flags(y, flags_.data());
        for (std::size_t x = 0; x < width; ++x) {
          counters_[levels[x] * kCounters] += flags_[x];
        }
      } else if constexpr (sizeof(T) == 1) {
        count_bytes(levels, width, counters_.data());
      } else {
        for (std::size_t x = 0; x < width; ++x) {
          ++counters_[levels[x]];
        }
      }
    }
  }

  void flush() {
    for (std::size_t level = 0; level < kLevels; ++level) {
      for (std::size_t c = 0; c < kCounters; ++c) {
        totals_[level] += counters_[level * kCounters + c];
      }
    }
    std::fill(counters_.begin(), counters_.end(), 0U);
    unflushed_ = 0;
    is_flushed_ = true;
  }

  std::vector<std::uint32_t> counters_;
  std::vector<std::uint64_t> totals_;
  std::vector<T> levels_;
  std::vector<std::uint8_t> flags_;
  std::uint64_t unflushed_ = 0;
  bool is_flushed_ = false;  ///< the totals hold counts
};

/// Writes V + 1 entries for each tile of the rows [begin, end) of tiles.
template <class T, int channels>
void make_tables(const Plane& plane, const TileGrid& grid, int begin, int end, std::uint16_t* maps) {
  constexpr std::size_t kLevels = kMaxOf<T> + std::size_t{1};
  const auto tiles_x = static_cast<std::size_t>(grid.tiles_x);
  const std::size_t first = static_cast<std::size_t>(begin) * tiles_x;
  tbb::enumerable_thread_specific<TileCounter<T>> counters([&] { return TileCounter<T>(grid.width); });
  tbb::parallel_for(first, static_cast<std::size_t>(end) * tiles_x, [&](std::size_t tile) {
    counters.local().template make_table<channels>(plane, grid, tile, maps + (tile - first) * kLevels);
  });
}

}  // namespace gpuimg::cpu

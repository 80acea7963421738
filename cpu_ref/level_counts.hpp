// Counts the levels of selected pixels on all threads. Used by the histogram and by equalization.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "levels.hpp"
#include "row_bands.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {

/// Counters of one thread. Levels must be below `bins`. Each level has several counters, used in turn: consecutive
/// increments of the same counter would have to wait for each other.
template <class Level>
class LevelCounter {
 public:
  explicit LevelCounter(std::size_t bins) : totals_(bins), counts_(bins * kCountersALevel) {}

  void add(const Level* levels, std::size_t count) {
    make_room(count);
    if constexpr (sizeof(Level) == 1) {
      count_bytes(levels, count, counts_.data());
    } else {
      for (std::size_t x = 0; x < count; ++x) {
        ++counts_[levels[x] * kCountersALevel + x % kCountersALevel];
      }
    }
  }

  /// Counts levels[x] where flags[x] is 1. Flags are 0 or 1.
  void add_flagged(const Level* levels, const std::uint8_t* flags, std::size_t count) {
    make_room(count);
    for (std::size_t x = 0; x < count; ++x) {
      counts_[levels[x] * kCountersALevel + x % kCountersALevel] += flags[x];
    }
  }

  void add_to(std::vector<std::uint64_t>& sums) {
    flush();
    for (std::size_t bin = 0; bin < totals_.size(); ++bin) {
      sums[bin] += totals_[bin];
    }
  }

 private:
  static constexpr std::size_t kCountersALevel = sizeof(Level) == 1 ? kByteCounters : 4;
  static constexpr std::uint64_t kMaxUnflushed = std::uint64_t{1} << 31;

  void make_room(std::size_t count) {
    unflushed_ += count;
    if (unflushed_ > kMaxUnflushed) {
      flush();
      unflushed_ = count;
    }
  }

  void flush() {
    for (std::size_t bin = 0; bin < totals_.size(); ++bin) {
      const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(bin * kCountersALevel);
      totals_[bin] = std::accumulate(first, first + kCountersALevel, totals_[bin]);
    }
    counts_.assign(counts_.size(), 0U);
    unflushed_ = 0;
  }

  std::vector<std::uint64_t> totals_;
  std::vector<std::uint32_t> counts_;  ///< the counters of one level are adjacent
  std::uint64_t unflushed_ = 0;
};

/// V + 1 counts of luma, red, green, blue or alpha. Defined in hist.cpp.
std::vector<std::uint64_t> count_channel(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma);

/// Returns `bins` counts. read_row(y, buffer) returns the levels of row y of the region, each below `bins`. It either
/// fills `buffer`, which holds one row, or returns a pointer to levels that already exist in memory.
template <class Level, class ReadRow>
std::vector<std::uint64_t> count_levels(const CountedPixels& counted, std::size_t bins, const ReadRow& read_row) {
  struct Worker {
    LevelCounter<Level> counter;
    std::vector<Level> levels;
    std::vector<std::uint8_t> flags;
  };
  const Rect& region = counted.region();
  const auto width = static_cast<std::size_t>(region.width);
  tbb::enumerable_thread_specific<Worker> workers([&] {
    return Worker{LevelCounter<Level>(bins), std::vector<Level>(width), std::vector<std::uint8_t>(width)};
  });
  for_row_bands(region.width, region.height, [&](int begin, int end) {
    Worker& worker = workers.local();
    for (int y = begin; y < end; ++y) {
      const Level* levels = read_row(y, worker.levels.data());
      const bool whole = counted.all() || counted.flags(y, worker.flags.data());
      if (whole) {  // the faster loop
        worker.counter.add(levels, width);
      } else {
        worker.counter.add_flagged(levels, worker.flags.data(), width);
      }
    }
  });
  std::vector<std::uint64_t> totals(bins);
  for (Worker& worker : workers) {
    worker.counter.add_to(totals);
  }
  return totals;
}

}  // namespace gpuimg::cpu

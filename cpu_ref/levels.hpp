// Extracts one channel of a row as levels, a step that histograms, equalization and summed-area tables share. Also
// selects the pixels that count, and counts levels on all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/luma.hpp"
#include "gpuimg/selection.hpp"
#include "parallel_loops.hpp"
#include "pixel_memory.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {

/// Returns the levels (0 … V) of `count` pixels of row y, starting at pixel `first`. Returns a pointer into the row if
/// possible, else fills `buffer`. T is the picture's sample type. `channel` must be luma, red, green, blue or alpha.
template <class T>
const T* read_levels(ConstView pixels, int y, int first, int count, Channel channel, Luma luma, T* buffer);

extern template const std::uint8_t* read_levels(ConstView, int, int, int, Channel, Luma, std::uint8_t*);
extern template const std::uint16_t* read_levels(ConstView, int, int, int, Channel, Luma, std::uint16_t*);

/// One channel of a picture as an image: the picture itself if it has only this channel.
class LevelPlane {
 public:
  LevelPlane(ConstView pixels, Channel channel, Luma luma, PixelPool& pool);
  [[nodiscard]] ConstView levels() const { return levels_; }

 private:
  Image own_;
  ConstView levels_;
};

/// Writes the bins (0 … bins − 1) of hue, saturation or lightness; the other parameters are the same as for
/// read_levels().
void read_hsl_bins(ConstView pixels, int y, int first, int count, Channel channel, int bins, std::uint16_t* buffer);

/// The pixels that a Selection selects.
class CountedPixels {
 public:
  /// Keeps references to both arguments.
  CountedPixels(ConstView pixels, const Selection& selection);

  [[nodiscard]] const Rect& region() const { return region_; }

  /// True if every pixel of the region counts. The caller can then omit flags().
  [[nodiscard]] bool all() const { return !check_alpha_ && mask_ == nullptr; }

  /// Writes 1 for each selected pixel of row y of the region, else 0. Returns true if all pixels of the row are
  /// selected.
  bool flags(int y, std::uint8_t* out) const;

 private:
  ConstView pixels_;
  Rect region_;
  const Picture* mask_;
  bool check_alpha_;
};

/// The counters of one thread. Levels must be below `bins`. Each level has several counters that are used in turn,
/// because consecutive increments of one counter would have to wait for each other.
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

  /// Counts levels[x] if flags[x] is 1. Every flag must be 0 or 1.
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

/// The V + 1 counts of luma, red, green, blue or alpha. Defined in levels.cpp.
std::vector<std::uint64_t> count_channel(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma);

template <class Level>
struct CountingThread {
  LevelCounter<Level> counter;
  std::vector<Level> levels;
  std::vector<std::uint8_t> flags;
};

/// Returns `bins` counts. read_row(y, buffer) must return the levels of row y of the region, each below `bins`. It
/// either fills `buffer`, which has room for one row, or returns a pointer to levels that exist in memory.
template <class Level, class ReadRow>
std::vector<std::uint64_t> count_levels(const CountedPixels& counted, std::size_t bins, const ReadRow& read_row) {
  const Rect& region = counted.region();
  const auto width = static_cast<std::size_t>(region.width);
  PerThread<CountingThread<Level>> threads([&] {
    return CountingThread<Level>{LevelCounter<Level>(bins), std::vector<Level>(width),
                                 std::vector<std::uint8_t>(width)};
  });
  for_row_bands(region.width, region.height, [&](int begin, int end) {
    CountingThread<Level>& thread = threads.local();
    for (int y = begin; y < end; ++y) {
      const Level* levels = read_row(y, thread.levels.data());
      const bool whole = counted.all() || counted.flags(y, thread.flags.data());
      if (whole) {  // the faster loop
        thread.counter.add(levels, width);
      } else {
        thread.counter.add_flagged(levels, thread.flags.data(), width);
      }
    }
  });
  std::vector<std::uint64_t> totals(bins);
  threads.for_each([&](CountingThread<Level>& thread) { thread.counter.add_to(totals); });
  return totals;
}

}  // namespace gpuimg::cpu

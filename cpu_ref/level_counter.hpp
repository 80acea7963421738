// Counts levels into several counters a level in turn, because equal neighbours would wait for each other's increment
// of one counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {

/// Counters of one thread for levels of type Level, each below `bins`.
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

  /// Counts levels[x] where flags[x] is 1; flags are 0 or 1.
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
  static constexpr std::uint64_t kMostUnflushed = std::uint64_t{1} << 31;

  void make_room(std::size_t count) {
    unflushed_ += count;
    if (unflushed_ > kMostUnflushed) {
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
  std::vector<std::uint32_t> counts_;  ///< counters of one level side by side
  std::uint64_t unflushed_ = 0;
};

}  // namespace gpuimg::cpu

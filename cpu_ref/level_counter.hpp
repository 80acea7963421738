// Counts levels into several tables in turn, because equal neighbours would wait for each other's increment of one
// counter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace gpuimg::cpu {

/// Tables of one thread for levels of type Level, each below `bins`.
template <class Level>
class LevelCounter {
 public:
  explicit LevelCounter(std::size_t bins) : bins_(bins), totals_(bins), counts_(bins * kTables) {}

  void add(const Level* levels, std::size_t count) {
    make_room(count);
    std::size_t x = 0;
    if constexpr (sizeof(Level) == 1) {
      for (; x + kTables <= count; x += kTables) {
        add_eight(levels + x);
      }
    } else {
      for (; x + kTables <= count; x += kTables) {
        for (std::size_t table = 0; table < kTables; ++table) {
          ++counts_[table * bins_ + levels[x + table]];
        }
      }
    }
    for (; x < count; ++x) {
      ++counts_[levels[x]];
    }
  }

  /// Counts levels[x] where flags[x] is 1; flags are 0 or 1.
  void add_flagged(const Level* levels, const std::uint8_t* flags, std::size_t count) {
    make_room(count);
    for (std::size_t x = 0; x < count; ++x) {
      counts_[(x % kTables) * bins_ + levels[x]] += flags[x];
    }
  }

  void add_to(std::vector<std::uint64_t>& sums) {
    flush();
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      sums[bin] += totals_[bin];
    }
  }

 private:
  static constexpr std::size_t kTables = sizeof(Level) == 1 ? 8 : 4;
  static constexpr std::uint64_t kMostUnflushed = std::uint64_t{1} << 31;

  /// One 8-byte load, eight increments.
  void add_eight(const Level* levels) {
    std::uint64_t eight;
    std::memcpy(&eight, levels, sizeof eight);
    std::uint32_t* counts = counts_.data();
    ++counts[eight & 255U];
    ++counts[256 + ((eight >> 8) & 255U)];
    ++counts[512 + ((eight >> 16) & 255U)];
    ++counts[768 + ((eight >> 24) & 255U)];
    ++counts[1024 + ((eight >> 32) & 255U)];
    ++counts[1280 + ((eight >> 40) & 255U)];
    ++counts[1536 + ((eight >> 48) & 255U)];
    ++counts[1792 + (eight >> 56)];
  }

  void make_room(std::size_t count) {
    unflushed_ += count;
    if (unflushed_ > kMostUnflushed) {
      flush();
      unflushed_ = count;
    }
  }

  void flush() {
    for (std::size_t table = 0; table < kTables; ++table) {
      const std::uint32_t* counts = counts_.data() + table * bins_;
      for (std::size_t bin = 0; bin < bins_; ++bin) {
        totals_[bin] += counts[bin];
      }
    }
    std::fill(counts_.begin(), counts_.end(), 0U);
    unflushed_ = 0;
  }

  std::size_t bins_;
  std::vector<std::uint64_t> totals_;
  std::vector<std::uint32_t> counts_;
  std::uint64_t unflushed_ = 0;
};

}  // namespace gpuimg::cpu

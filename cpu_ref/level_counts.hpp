// Counts levels of the pixels that count, row by row, on all threads: under hist.cpp and equalize.cpp.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "levels.hpp"
#include "row_bands.hpp"

namespace gpuimg::cpu {

/// Tables of one thread. Equal neighbours would wait for each other's increment of one counter, so four tables take turns.
class LevelCounter {
 public:
  explicit LevelCounter(std::size_t bins) : bins_(bins), counts_(bins * kTables) {}
  void add(const std::uint16_t* levels, std::size_t count) {
    std::size_t x = 0;
    for (; x + kTables <= count; x += kTables) {
      for (std::size_t table = 0; table < kTables; ++table) {
        ++counts_[table * bins_ + levels[x + table]];
      }
    }
    for (; x < count; ++x) {
      ++counts_[levels[x]];
    }
  }

  void add_flagged(const std::uint16_t* levels, const std::uint8_t* flags, std::size_t count) {
    for (std::size_t x = 0; x < count; ++x) {
      counts_[(x % kTables) * bins_ + levels[x]] += flags[x];
    }
  }

  void add_to(std::vector<std::uint64_t>& totals) const {
    for (std::size_t table = 0; table < kTables; ++table) {
      for (std::size_t bin = 0; bin < bins_; ++bin) {
        totals[bin] += counts_[table * bins_ + bin];
      }
    }
  }

 private:
  static constexpr std::size_t kTables = 4;
  std::size_t bins_;
  std::vector<std::uint64_t> counts_;
};

/// read_row(y, levels) writes the levels of row y of the region, each below `bins`. Returns `bins` counts.
template <class ReadRow>
std::vector<std::uint64_t> count_levels(const CountedPixels& counted, std::size_t bins, const ReadRow& read_row) {
  struct Worker {
    LevelCounter counter;
    std::vector<std::uint16_t> levels;
    std::vector<std::uint8_t> flags;
  };
  const Rect& region = counted.region();
  const auto width = static_cast<std::size_t>(region.width);
  tbb::enumerable_thread_specific<Worker> workers([&] {
    return Worker{LevelCounter(bins), std::vector<std::uint16_t>(width), std::vector<std::uint8_t>(width)};
  });
  for_row_bands(region.width, region.height, [&](int begin, int end) {
    Worker& worker = workers.local();
    for (int y = begin; y < end; ++y) {
      read_row(y, worker.levels.data());
      if (counted.all()) {
        worker.counter.add(worker.levels.data(), width);
      } else {
        counted.flags(y, worker.flags.data());
        worker.counter.add_flagged(worker.levels.data(), worker.flags.data(), width);
      }
    }
  });
  std::vector<std::uint64_t> totals(bins);
  for (const Worker& worker : workers) {
    worker.counter.add_to(totals);
  }
  return totals;
}

}  // namespace gpuimg::cpu

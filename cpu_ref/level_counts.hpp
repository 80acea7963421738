// Counts levels of the pixels that count, row by row, on all threads: under hist.cpp and equalize.cpp.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "level_counter.hpp"
#include "levels.hpp"
#include "row_bands.hpp"

namespace gpuimg::cpu {

/// V + 1 counts of luma, red, green, blue or alpha. Defined in hist.cpp.
std::vector<std::uint64_t> count_channel(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma);

/// read_row(y, buffer) returns the levels of row y of the region, each below `bins`: either written to the buffer,
/// which has room for them, or where they stand already. Returns `bins` counts.
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
      if (counted.all()) {
        worker.counter.add(levels, width);
      } else {
        counted.flags(y, worker.flags.data());
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

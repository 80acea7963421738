// From the counters of each block to counts and a look-up table of 65536 levels.
#pragma once

#include "count/count_levels.hpp"

namespace gpuimg::cuda {

/// What a counting kernel leaves behind.
struct WideTarget {
  std::uint32_t* partials = nullptr;         ///< kWideWords words a block
  unsigned long long* spills = nullptr;      ///< kWideBins, cleared before
  unsigned long long* group_sums = nullptr;  ///< counts of 256 bins each, 256 of them
};

/// Adds to counts in global memory, kWideBins of them: for devices that have no kWideBytes of shared memory.
void count_wide_in_memory(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                          unsigned long long* counts);

/// Adds up what `blocks` blocks have counted into `bins` counts, and builds the table if one is asked for.
void finish_wide_counts(Workspace& workspace, const WideTarget& target, int blocks, std::uint32_t bins,
                        std::uint64_t* counts, const TableTarget& table);

}  // namespace gpuimg::cuda

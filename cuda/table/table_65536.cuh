// Turns the counters of all blocks into counts and a look-up table of 65536 levels.
#pragma once

#include "count/count_levels.cuh"

namespace gpuimg::cuda {

/// What a counting kernel produces.
struct Target65536 {
  std::uint32_t* partials = nullptr;         ///< kPackedWords words per block
  unsigned long long* spills = nullptr;      ///< kPackedBins counts, cleared before the launch
  unsigned long long* group_sums = nullptr;  ///< 256 sums of 256 bins each
};

/// Adds the counters of `blocks` blocks to `bins` counts, and builds the table if one is requested.
void finish_histogram_65536(Workspace& workspace, const Target65536& target, int blocks, std::uint32_t bins,
                            std::uint64_t* counts, const TableTarget& table);

}  // namespace gpuimg::cuda

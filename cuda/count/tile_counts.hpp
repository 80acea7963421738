// Counts the levels of every tile of CLAHE. Specified in docs/operations.md, "CLAHE".
#pragma once

#include "count/count_levels.cuh"
#include "gpuimg/ops/clahe.hpp"

namespace gpuimg::cuda {

/// Writes source.bins counts for each of the tiles [begin, end) to `counts` in device memory. Only what `counted`
/// selects is counted.
void count_tiles(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, const TileGrid& grid,
                 std::size_t begin, std::size_t end, const DeviceMemory& counts);

}  // namespace gpuimg::cuda

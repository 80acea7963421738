// Parallel loops over bands of whole rows. A band is large enough to outweigh its scheduling cost.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gpuimg::cpu {

constexpr int kPixelsPerBand = 1 << 16;

inline int rows_per_band(int width) { return std::max(1, kPixelsPerBand / std::max(1, width)); }

/// At least as many as the bands of for_row_bands, which are halved until they have no more than rows_per_band.
inline std::int64_t max_bands(int width, int height) {
  const int rows = rows_per_band(width);
  return height <= rows ? 1 : 2 * (std::int64_t{height} / rows + 1);
}

/// Calls body(first_row, end_row) for bands that together cover 0 … height, on the threads of the current arena.
template <class Body>
void for_row_bands(int width, int height, const Body& body) {
  const auto grain = static_cast<std::size_t>(rows_per_band(width));
  tbb::parallel_for(tbb::blocked_range<int>(0, height, grain),
                    [&](const tbb::blocked_range<int>& rows) { body(rows.begin(), rows.end()); });
}

}  // namespace gpuimg::cpu

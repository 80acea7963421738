// How a device deals the pixels of CLAHE to its blocks and threads. The pixels between four tile centers, a cell, share
// four tables. Design: docs/decisions/0019-local-operations.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpuimg/ops/clahe.hpp"

namespace gpuimg {

/// Where the cells begin along one axis of an image or of a part of it: cell c is [begin[c], begin[c + 1]), maybe
/// empty.
struct CellEdges {
  int cells = 0;
  int begin[kMaxTiles + 2] = {};
};

/// Of `count` positions from `first` on. The edges count from `first`.
inline CellEdges cell_edges(int first, int count, int tile_size, int tiles) {
  CellEdges edges;
  edges.cells = tiles + 1;
  const float inverse = 1.0F / static_cast<float>(tile_size);
  for (int cell = 0; cell <= edges.cells; ++cell) {
    int low = cell == 0 ? 0 : edges.begin[cell - 1];
    for (int high = count; low < high;) {  // cells never fall from one position to the next
      const int middle = low + (high - low) / 2;
      if (tile_place(first + middle, inverse, tiles).cell < cell) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    edges.begin[cell] = low;
  }
  return edges;
}

/// tile_place().weight, for a position that is known to lie in this cell.
GPUIMG_HD inline float weight_in_cell(int at, float inverse, int cell) {
  return (static_cast<float>(at) * inverse - 0.5F) - static_cast<float>(cell - 1);
}

/// The tile before a cell, and the one after it.
GPUIMG_HD constexpr int tile_before(int cell) { return cell == 0 ? 0 : cell - 1; }
GPUIMG_HD constexpr int tile_after(int cell, int tiles) { return cell < tiles ? cell : tiles - 1; }

/// Deals the columns [begin, end) of a rectangle to the threads of a block, in aligned groups of adjacent pixels.
/// Thread t takes the groups t mod at_once, that + at_once, … of the rows t div at_once, that + rows_at_once, …
struct ColumnDeal {
  int begin = 0;
  int end = 0;
  int first_group = 0;
  int groups = 0;  ///< that contain a column; the first and the last one may begin before, or end after, the rectangle
  int at_once = 1;
  int rows_at_once = 1;
};

/// Of 1 to 4 passes over the columns, those that leave the fewest threads idle.
inline ColumnDeal deal_columns(int begin, int end, int pixels_per_group, int threads) {
  ColumnDeal deal{begin, end, begin / pixels_per_group, 0, 1, 1};
  deal.groups = begin < end ? (end + pixels_per_group - 1) / pixels_per_group - deal.first_group : 0;
  constexpr int kMaxPasses = 4;
  const int fewest = std::max(1, (deal.groups + threads - 1) / threads);
  int best_passes = 0;
  for (int passes = fewest; passes < fewest + kMaxPasses; ++passes) {
    const int at_once = std::max(1, (deal.groups + passes - 1) / passes);
    const int rows = threads / at_once;
    if (best_passes == 0 || rows * best_passes > deal.rows_at_once * passes) {
      best_passes = passes;
      deal.at_once = at_once;
      deal.rows_at_once = rows;
    }
  }
  return deal;
}

/// Rows of a rectangle that one block takes, of at most `columns` columns: so many that the blocks' fixed cost is
/// small, and so few that all multiprocessors have work.
inline int rows_per_block_of(int columns, std::uint64_t pixels, std::uint64_t blocks_wanted, std::uint64_t min_pixels,
                             std::uint64_t max_pixels) {
  const std::uint64_t share = std::clamp(pixels / std::max<std::uint64_t>(blocks_wanted, 1), min_pixels, max_pixels);
  const auto row = static_cast<std::uint64_t>(std::max(columns, 1));
  return static_cast<int>(std::clamp<std::uint64_t>((share + row - 1) / row, 1, 1U << 30));
}

}  // namespace gpuimg

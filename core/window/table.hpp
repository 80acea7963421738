// The entries of a summed-area table, and how to get the sum of a window from them: from four entries inside the image,
// and from more entries at its borders. Specified in docs/operations.md, "Integral image" and "Windows".
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "host_device.hpp"
#include "ops/window.hpp"

namespace gpuimg {

/// Converts an exact sum to a table entry: modulo 2³² for u32, rounded once (ties to even) for f32 and f64.
template <class Entry>
GPUIMG_HD constexpr Entry table_entry(std::uint64_t sum) {
  return static_cast<Entry>(sum);
}

/// The sum of the first n samples of a line that is continued beyond its end. prefix(i) must be the sum of its first i
/// samples, for i ≤ size. All sums wrap like `Sum`, modulo 2³² or 2⁶⁴.
template <class Sum, class Prefix>
GPUIMG_HD Sum continued_prefix(int n, int size, Border border, const Prefix& prefix) {
  if (n <= size) {
    return prefix(n);
  }
  if (border == Border::cut) {
    return prefix(size);
  }
  if (border == Border::replicate || size == 1) {
    return prefix(size) + static_cast<Sum>(n - size) * (prefix(size) - prefix(size - 1));
  }
  const std::int64_t period = 2 * (std::int64_t{size} - 1);
  const std::int64_t periods = n / period;
  const std::int64_t rest = n - periods * period;
  const Sum there_and_back = prefix(size) + prefix(size - 1);
  const Sum in_rest =
      rest <= size ? prefix(static_cast<int>(rest)) : there_and_back - prefix(static_cast<int>(period - rest + 1));
  return static_cast<Sum>(periods) * (there_and_back - prefix(1)) + in_rest;
}

/// The sum of the window around position `at` of a line, given its prefix sums.
template <class Sum, class Prefix>
GPUIMG_HD Sum window_sum(int at, int radius, int size, Border border, const Prefix& prefix) {
  const Sum through = continued_prefix<Sum>(at + radius + 1, size, border, prefix);
  if (at >= radius) {
    return through - prefix(at - radius);
  }
  const int outside = radius - at;  // samples before the line
  if (border == Border::cut) {
    return through;
  }
  if (border == Border::replicate || size == 1) {
    return through + static_cast<Sum>(outside) * prefix(1);
  }
  return through + continued_prefix<Sum>(outside + 1, size, border, prefix) - prefix(1);
}

/// A padded summed-area table; row 0 and column 0 are zero.
template <class Sum>
struct PaddedTable {
  const Sum* entries = nullptr;
  std::size_t pitch = 0;  ///< entries between the beginnings of two rows
  int width = 0;          ///< of the image
  int height = 0;
};

namespace detail {

/// For one row of a table: the sums of its first columns.
template <class Sum>
struct TableRow {
  const Sum* row;
  GPUIMG_HD Sum operator()(int columns) const { return row[columns]; }
};

/// For the columns of one window: the sums of the first rows.
template <class Sum>
struct TableRows {
  const PaddedTable<Sum>& table;
  int x;
  const WindowShape& shape;
  GPUIMG_HD Sum operator()(int rows) const {
    const TableRow<Sum> row{table.entries + static_cast<std::size_t>(rows) * table.pitch};
    return window_sum<Sum>(x, shape.radius_x, table.width, shape.border, row);
  }
};

}  // namespace detail

/// Computed modulo 2³² or 2⁶⁴. Correct if the sum fits in `Sum`, even if entries of the table wrap.
template <class Sum>
GPUIMG_HD Sum window_sum(const PaddedTable<Sum>& table, int x, int y, const WindowShape& shape) {
  const int across = shape.radius_x;
  const int down = shape.radius_y;
  const bool is_inside = x >= across && y >= down && x < table.width - across && y < table.height - down;
  if (is_inside) {
    const Sum* above = table.entries + static_cast<std::size_t>(y - down) * table.pitch;
    const Sum* below = table.entries + static_cast<std::size_t>(y + down + 1) * table.pitch;
    return (below[x + across + 1] - below[x - across]) - (above[x + across + 1] - above[x - across]);
  }
  return window_sum<Sum>(y, down, table.height, shape.border, detail::TableRows<Sum>{table, x, shape});
}

// --- Windows whose pixels have weights -------------------------------------------------------------------------------

/// Part number `part` of `weight` times `level` to the power of `power`: 16 bits, lowest part first. Summed-area tables
/// are built of such parts.
GPUIMG_HD constexpr std::uint16_t weighted_part(std::uint32_t weight, std::uint32_t level, int power, int part) {
  std::uint64_t product = weight;
  for (int i = 0; i < power; ++i) {
    product *= level;
  }
  return static_cast<std::uint16_t>(product >> (16 * part));
}

/// Number of parts of such a product, for samples of this size.
constexpr int weighted_parts(std::size_t sample_bytes, int power) {
  return (static_cast<int>(sample_bytes) * (1 + power) + 1) / 2;
}

/// The tables of all parts of weights, of weighted levels, and of weighted squares.
struct WeightedTables {
  static constexpr int kPowers = 3;
  static constexpr int kMostParts = 3;
  PaddedTable<std::uint64_t> tables[kPowers][kMostParts];
  int parts[kPowers] = {0, 0, 0};  ///< 0 for squares if they are not needed

  /// The sums of the window around a pixel. If all its weights are V, they are divided by V.
  [[nodiscard]] GPUIMG_HD WeightedSums at(int x, int y, const WindowShape& shape, std::uint32_t v_max) const {
    Uint128 sums[kPowers] = {};
    for (int power = 0; power < kPowers; ++power) {
      for (int part = 0; part < parts[power]; ++part) {
        sums[power] += Uint128{window_sum(tables[power][part], x, y, shape)} << (16 * part);
      }
    }
    const PaddedTable<std::uint64_t>& table = tables[0][0];
    const std::uint64_t n = shape.positions_at(x, y, table.width, table.height);
    return without_common_weight({static_cast<std::uint64_t>(sums[0]), static_cast<std::uint64_t>(sums[1]), sums[2]}, n,
                                 v_max);
  }
};

}  // namespace gpuimg

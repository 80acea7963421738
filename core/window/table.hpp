// The entries of a summed-area table, and the sum of a window from them: four entries inside the image, more at its
// borders. Specified in docs/operations.md, "Integral image" and "Windows".
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// Converts an exact sum to a table entry: modulo 2³² for u32, rounded once (ties to even) for f32 and f64.
template <class Entry>
GPUIMG_HD constexpr Entry table_entry(std::uint64_t sum) {
  return static_cast<Entry>(sum);
}

/// Σ of the first n samples of a line that is continued beyond its end. prefix(i) is the sum of its first i samples,
/// i ≤ size. All sums are modulo 2³² or 2⁶⁴, like those of `Sum`.
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

/// Σ of the window around position `at` of a line with these sums.
template <class Sum, class Prefix>
GPUIMG_HD Sum window_sum(int at, int radius, int size, Border border, const Prefix& prefix) {
  const Sum through = continued_prefix<Sum>(at + radius + 1, size, border, prefix);
  if (at >= radius) {
    return through - prefix(at - radius);
  }
  const int outside = radius - at;  // samples before the first
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
  std::size_t pitch = 0;  ///< entries from row to row
  int width = 0;          ///< of the image
  int height = 0;
};

namespace detail {

/// Sums of the first columns of a row of a table.
template <class Sum>
struct TableRow {
  const Sum* row;
  GPUIMG_HD Sum operator()(int columns) const { return row[columns]; }
};

/// Sums over the window's columns of the first rows.
template <class Sum>
struct TableRows {
  const PaddedTable<Sum>& table;
  int x;
  int radius;
  Border border;
  GPUIMG_HD Sum operator()(int rows) const {
    const TableRow<Sum> row{table.entries + static_cast<std::size_t>(rows) * table.pitch};
    return window_sum<Sum>(x, radius, table.width, border, row);
  }
};

}  // namespace detail

/// Modulo 2³² or 2⁶⁴: right if the sum fits `Sum`, even where the table's entries wrap.
template <class Sum>
GPUIMG_HD Sum window_sum(const PaddedTable<Sum>& table, int x, int y, int radius, Border border) {
  const bool is_inside = x >= radius && y >= radius && x < table.width - radius && y < table.height - radius;
  if (is_inside) {
    const Sum* above = table.entries + static_cast<std::size_t>(y - radius) * table.pitch;
    const Sum* below = table.entries + static_cast<std::size_t>(y + radius + 1) * table.pitch;
    return (below[x + radius + 1] - below[x - radius]) - (above[x + radius + 1] - above[x - radius]);
  }
  return window_sum<Sum>(y, radius, table.height, border, detail::TableRows<Sum>{table, x, radius, border});
}

}  // namespace gpuimg

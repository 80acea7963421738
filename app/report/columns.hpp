// Groups histogram bins into the columns that fit a chart. Shared by the SVG plot and the terminal chart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/report.hpp"

namespace gpuimg {

/// Bins per column, so that at most `limit` columns are needed. Prefers a divisor of `bins` if one is less than twice
/// the smallest possible value, so that all columns have the same width.
std::size_t bins_per_column(std::size_t bins, std::size_t limit);

/// One entry per column: the sum of its bins, or the last of them if the values are cumulative.
std::vector<std::uint64_t> columns_of(const ChannelReport& channel, std::size_t per_column, bool cumulative);

}  // namespace gpuimg

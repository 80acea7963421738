// Bins gathered into the columns that a chart has room for. Shared by the SVG plot and the terminal chart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/report.hpp"

namespace gpuimg {

/// Bins to a column so that at most `limit` columns are needed. A number that divides `bins` is taken where there is
/// one below twice the smallest possible, so that no column is narrower than the others.
std::size_t bins_per_column(std::size_t bins, std::size_t limit);

/// One entry a column: the sum of its bins, which makes it a histogram of coarser bins; the last one of cumulative
/// values.
std::vector<std::uint64_t> columns_of(const ChannelReport& channel, std::size_t per_column, bool cumulative);

}  // namespace gpuimg

// How high the vertical axis of a plot reaches. Shared by the SVG plot and the terminal chart.
#pragma once

#include <cstdint>
#include <vector>

namespace gpuimg {

/// The largest column, unless few tower above the others, as clipped levels do: then five quarters of the largest of
/// the others. Few are two columns, or 2 % of the non-empty ones; they tower if they are more than four times as high.
std::uint64_t count_ceiling(const std::vector<std::uint64_t>& columns);

}  // namespace gpuimg

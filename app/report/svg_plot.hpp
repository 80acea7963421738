// A histogram as an SVG plot for browsers, on light and dark backgrounds.
#pragma once

#include <string>

#include "report/report.hpp"

namespace gpuimg {

struct SvgOptions {
  bool log = false;   ///< vertical axis in log(1 + count)
  std::string title;  ///< any bytes; empty = "Histogram of " and the image's name
};

/// Draws the report's values, all channels over each other on one axis: filled, or as lines where they are cumulative.
/// More than 1024 bins are summed into 1024 columns or fewer, which the axis label then says. Self-contained,
/// well-formed XML with no script and no reference to the outside; colors follow prefers-color-scheme.
std::string to_svg(const HistogramReport& report, const SvgOptions& options);

}  // namespace gpuimg

// Draws a histogram as an SVG plot for browsers, with light and dark colors.
#pragma once

#include <string>

#include "report/histogram_report.hpp"

namespace gpuimg {

struct SvgOptions {
  bool log = false;   ///< vertical axis in log(1 + count)
  std::string title;  ///< any bytes; empty: "Histogram of " and the image's name
};

/// Draws the report's values, all channels on one axis: filled, or as lines if they are cumulative. More than 1024 bins
/// are summed into at most 1024 columns, and the axis label says so. The result is self-contained, well-formed XML with
/// no script and no external reference; colors follow prefers-color-scheme.
std::string to_svg(const HistogramReport& report, const SvgOptions& options);

}  // namespace gpuimg

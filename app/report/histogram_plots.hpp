// Draws a histogram for people: as an SVG plot for browsers, in light and dark colors, and as a small chart with a few
// lines of statistics for terminals.
#pragma once

#include <string>

#include "report/histogram_report.hpp"

namespace gpuimg {

struct SvgOptions {
  bool log = false;   ///< vertical axis in log(1 + count)
  std::string title;  ///< any bytes; empty: "Histogram of " and the image's name
};

/// Draws the report's values, with all channels on one axis: as filled areas, or as lines if they are cumulative. More
/// than 1024 bins are summed into at most 1024 columns, which the axis label mentions. The result is self-contained,
/// well-formed XML without scripts or external references; colors follow prefers-color-scheme.
std::string to_svg(const HistogramReport& report, const SvgOptions& options);

struct TerminalStyle {
  int columns = 80;     ///< width of the terminal; the chart uses 16 to 264
  bool color = false;   ///< ANSI escapes
  bool unicode = true;  ///< draw with eighth blocks; else ASCII
  int rows = 24;        ///< height of the terminal; one row stays free for the prompt
  bool log = false;     ///< heights in log(1 + count)
};

/// Lays out a line with name and size, the chart, an axis and statistics: three lines for a single channel, or one line
/// per channel. Each channel has its own rows and is scaled to count_ceiling(), which is printed next to its top row;
/// higher columns end in an arrow. A column with at least one pixel is always visible. Text that does not fit the width
/// wraps. If the terminal has too few rows, a single channel still gets 6 rows, and several channels get 2 each. Lines
/// end in LF.
std::string to_terminal(const HistogramReport& report, const TerminalStyle& style);

}  // namespace gpuimg

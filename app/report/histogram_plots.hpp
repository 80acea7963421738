// A histogram drawn for people: as an SVG plot for browsers, with light and dark colors, and as a small chart with a
// few lines of statistics, for terminals.
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

struct TerminalStyle {
  int columns = 80;     ///< width of the terminal; the chart takes 16 to 264
  bool color = false;   ///< ANSI escapes
  bool unicode = true;  ///< eighth blocks; else ASCII
  int rows = 24;        ///< height of the terminal, of which one stays free for the prompt
  bool log = false;     ///< heights in log(1 + count)
};

/// A line with name and size, the chart, an axis and statistics: three lines for one channel, one line each for
/// several. Each channel has rows of its own and is scaled to count_ceiling(), printed next to its top row; higher
/// columns end in an arrow. A column with at least one pixel is always visible. What does not fit the width wraps; a
/// low terminal gets 6 rows for one channel and 2 each for several. Lines end in LF.
std::string to_terminal(const HistogramReport& report, const TerminalStyle& style);

}  // namespace gpuimg

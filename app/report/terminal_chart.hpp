// A histogram as a small chart and a few lines of statistics, for terminals.
#pragma once

#include <string>

#include "report/report.hpp"

namespace gpuimg {

struct TerminalStyle {
  int columns = 80;     ///< width of the terminal; the chart takes 16 to 136
  bool color = false;   ///< ANSI escapes
  bool unicode = true;  ///< eighth blocks; else ASCII
};

/// One channel: 6 rows, an axis and 3 lines of statistics. More channels: 2 rows each, an axis, and a line each. Each
/// channel is drawn to its own largest value, which stands beside its top row; a column of one pixel or more always
/// shows. Statistics that do not fit the width take more lines. Names no file. Lines end in LF.
std::string to_terminal(const HistogramReport& report, const TerminalStyle& style);

}  // namespace gpuimg

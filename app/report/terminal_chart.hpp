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

/// One channel: 6 rows, an axis and 3 lines of statistics. Several channels: 2 rows, an axis and one line each. Each
/// channel is scaled to its largest value, printed next to its top row; a column with at least one pixel is always
/// visible. Statistics wrap if they do not fit the width. Contains no file name. Lines end in LF.
std::string to_terminal(const HistogramReport& report, const TerminalStyle& style);

}  // namespace gpuimg

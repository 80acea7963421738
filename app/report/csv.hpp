// A histogram as CSV: docs/operations.md, "Histogram".
#pragma once

#include <string>

#include "report/report.hpp"

namespace gpuimg {

/// Header `bin,luma`, `bin,r,g,b` …, then one row per bin; rows end in LF. If `bins` is set, a second column `from`
/// holds the smallest value in the bin: a level, degrees for hue, 0 … 1 for saturation and lightness.
std::string to_csv(const HistogramReport& report);

}  // namespace gpuimg

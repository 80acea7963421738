// The CPU's operations on host pixels, one source file each. They run on the threads of the current task arena;
// arguments are checked by the backend before they are called.
#pragma once

#include "gpuimg/backend.hpp"

namespace gpuimg::cpu {

Histogram histogram(ConstView pixels, const HistogramOptions& options);
LevelCounts table_counts(ConstView pixels, const EqualizeOptions& options);
Image equalize(ConstView pixels, const EqualizeOptions& options, LevelTables* used);
Image integral(ConstView pixels, const IntegralOptions& options);
Image to_hsl(ConstView pixels, HslEncoding encoding);
Image from_hsl(ConstView pixels, HslEncoding encoding, Sample sample);
Image adjust_hsl(ConstView pixels, const HslAdjustment& by);

}  // namespace gpuimg::cpu

// The operations of the CPU backend, one source file each. They run on the current task arena, expect arguments that
// the backend has checked, and allocate results from the pool.
#pragma once

#include "gpuimg/backend.hpp"
#include "pixel_memory.hpp"

namespace gpuimg::cpu {

Histogram histogram(ConstView pixels, const HistogramOptions& options);
LevelCounts table_counts(ConstView pixels, const EqualizeOptions& options);
Image equalize(ConstView pixels, const EqualizeOptions& options, LevelTables* used, PixelPool& pool);
void equalize_in_place(View pixels, const EqualizeOptions& options, LevelTables* used);

// One for each PictureOperation.
Image apply(ConstView pixels, const ClaheOptions& options, PixelPool& pool);
Image apply(ConstView pixels, const IntegralOptions& options, PixelPool& pool);
Image apply(ConstView pixels, const ToHslOptions& options, PixelPool& pool);
Image apply(ConstView pixels, const FromHslOptions& options, PixelPool& pool);
Image apply(ConstView pixels, const HslAdjustment& by, PixelPool& pool);
Image apply(ConstView pixels, const WindowOptions& options, PixelPool& pool);
Image apply(ConstView pixels, const ThresholdOptions& options, PixelPool& pool);
Image apply(ConstView pixels, const DenoiseOptions& options, PixelPool& pool);

}  // namespace gpuimg::cpu

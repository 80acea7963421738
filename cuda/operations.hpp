// The operations of the CUDA backend, one entry file each, and the backend as tests make it. Operations expect
// arguments that the backend has checked.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

Histogram histogram(Workspace& workspace, const Picture& picture, const HistogramOptions& options);
LevelCounts table_counts(Workspace& workspace, const Picture& picture, const EqualizeOptions& options);
Picture equalize(Workspace& workspace, const Picture& picture, const EqualizeOptions& options, LevelTables* used);

// One for each PictureOperation that this backend has.
Picture apply(Workspace& workspace, const Picture& picture, const ClaheOptions& options);
Picture apply(Workspace& workspace, const Picture& picture, const IntegralOptions& options);
Picture apply(Workspace& workspace, const Picture& picture, const ToHslOptions& options);
Picture apply(Workspace& workspace, const Picture& picture, const FromHslOptions& options);
Picture apply(Workspace& workspace, const Picture& picture, const HslAdjustment& by);
Picture apply(Workspace& workspace, const Picture& picture, const WindowOptions& options);
Picture apply(Workspace& workspace, const Picture& picture, const ThresholdOptions& options);
Picture apply(Workspace& workspace, const Picture& picture, const DenoiseOptions& options);

/// Like make_cuda_backend, on a device changed for a test.
std::unique_ptr<Backend> make_test_backend(int device, const DeviceTestOptions& options);

}  // namespace gpuimg::cuda

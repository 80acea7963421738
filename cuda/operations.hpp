// The operations of the CUDA backend, one entry file each, and the constructor of the backend for tests. Operations
// expect arguments that the backend has checked.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

Histogram histogram(Workspace& workspace, const Picture& picture, const HistogramOptions& options);
LevelCounts table_counts(Workspace& workspace, const Picture& picture, const EqualizeOptions& options);
Picture equalize(Workspace& workspace, const Picture& picture, const EqualizeOptions& options, LevelTables* used);
WolfScale wolf_scale(Workspace& workspace, const Picture& picture, const ThresholdOptions& options, int first_row,
                     int end_row);

/// One overload for each PictureOperation that this backend has.
#define GPUIMG_DECLARE(Options) Picture apply(Workspace& workspace, const Picture& picture, const Options& options);
GPUIMG_PICTURE_OPERATIONS(GPUIMG_DECLARE)
#undef GPUIMG_DECLARE

/// False for an operation that this backend lacks. Must agree with only_on in the operation's traits.
template <class Options>
inline constexpr bool kHasOperation = true;
template <>
inline constexpr bool kHasOperation<DespeckleOptions> = false;
template <>
inline constexpr bool kHasOperation<DeskewOptions> = false;

/// Like make_cuda_backend, with options that only tests use.
std::unique_ptr<Backend> make_test_backend(int device, const DeviceTestOptions& options);

}  // namespace gpuimg::cuda

// The operations of the OpenCL backend, one entry file each. They expect arguments that the backend has checked.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::opencl {

using DevicePointer = std::shared_ptr<Device>;

Histogram histogram(const DevicePointer& device, const Picture& picture, const HistogramOptions& options);
LevelCounts table_counts(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options);
Picture equalize(const DevicePointer& device, const Picture& picture, const EqualizeOptions& options,
                 LevelTables* used);

// One for each PictureOperation that this backend has.
Picture apply(const DevicePointer& device, const Picture& picture, const IntegralOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const ToHslOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const FromHslOptions& options);
Picture apply(const DevicePointer& device, const Picture& picture, const HslAdjustment& by);

}  // namespace gpuimg::opencl

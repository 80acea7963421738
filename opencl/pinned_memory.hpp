// Host memory that the driver copies from and to at full speed.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::opencl {

/// Falls back to ordinary memory if the driver has no more. May be freed on any thread, and after the backend.
PixelMemory allocate_pinned_pixels(const std::shared_ptr<Device>& device, std::size_t bytes);

}  // namespace gpuimg::opencl

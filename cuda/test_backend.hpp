// A CUDA backend with settings that only tests use.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

/// Like make_cuda_backend, on a device changed for a test.
std::unique_ptr<Backend> make_test_backend(int device, const DeviceTestOptions& options);

}  // namespace gpuimg::cuda

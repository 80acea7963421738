// The CUDA backend with what only tests ask for.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

/// make_cuda_backend of gpuimg/cuda.hpp on a device that is changed for a test.
std::unique_ptr<Backend> make_trial_backend(int device, const DeviceTrial& trial);

}  // namespace gpuimg::cuda

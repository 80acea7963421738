// Describes CUDA: what is built in, the driver and the devices. In a build without CUDA, says so.
#pragma once

#include "backends/backends.hpp"

namespace gpuimg {

extern const DeviceFacts kCudaFacts;

}  // namespace gpuimg

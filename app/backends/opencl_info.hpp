// Describes OpenCL: its devices, and where compiled programs are kept. In a build without OpenCL, says so.
#pragma once

#include <string>

#include "backends/backends.hpp"

namespace gpuimg {

extern const DeviceFacts kOpenclFacts;

/// $XDG_CACHE_HOME/gpuimg/opencl, or the same in ~/.cache; empty if there is no home.
std::string program_cache_folder();

/// Throws Error{backend_unavailable} if doctor found that the device computes wrong results, or if it cannot be used.
void refuse_failed_device(int number);

}  // namespace gpuimg

// Describes OpenCL: its devices, and where compiled programs are kept. In a build without OpenCL, says so.
#pragma once

#include <string>

#include "backends/backends.hpp"

namespace gpuimg {

extern const DeviceFacts kOpenclFacts;

/// $XDG_CACHE_HOME/gpuimg/opencl, or the same in ~/.cache; empty if there is no home.
std::string program_cache_folder();

}  // namespace gpuimg

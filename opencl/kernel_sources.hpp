// The OpenCL C sources of kernels/, embedded when the library is built.
#pragma once

#include <string>

namespace gpuimg::opencl {

/// A file of kernels/ by its name without ending, after the files that all of them use.
std::string kernel_source(const std::string& file);

}  // namespace gpuimg::opencl

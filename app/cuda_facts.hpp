// What is to be said of CUDA: what is built in, the driver, the devices. Without CUDA it says that there is none.
#pragma once

#include <string>

namespace gpuimg {

/// One line, without touching the driver: "CUDA runtime 13.0, code for sm_75 sm_90", or "CUDA none: built without it".
std::string cuda_build_text();

/// Prints the driver and each device to standard output. Throws Error{backend_unavailable} that names what is missing.
void print_cuda_facts();

}  // namespace gpuimg

// Turns every CUDA error code into an Error with a sentence. Which kind means what: docs/architecture.md, "Errors".
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace gpuimg::cuda {

/// Throws unless `code` is cudaSuccess: Error{out_of_memory} when memory ran out (the device stays usable),
/// Error{backend_unavailable} for a missing driver, device or architecture, Error{device_fault} for anything else.
/// `doing` completes "while …", for example "counting levels". Clears the runtime's last error.
void cuda_check(cudaError_t code, const char* doing, std::source_location where = std::source_location::current());

/// For after every launch: throws if the launch itself was refused.
void check_launch(const char* doing, std::source_location where = std::source_location::current());

}  // namespace gpuimg::cuda

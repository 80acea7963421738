// Converts every CUDA error code to an Error with a message. Kinds of errors: docs/library.md, "Errors".
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace gpuimg::cuda {

/// Throws unless `code` is cudaSuccess: Error{out_of_memory} if memory ran out (the device stays usable),
/// Error{backend_unavailable} for a missing driver, device or architecture, Error{device_fault} for anything else.
/// `doing` completes "while …", for example "counting levels". Clears the runtime's last error.
void cuda_check(cudaError_t code, const char* doing, std::source_location where = std::source_location::current());

/// Call after every launch. Throws if the launch itself failed.
void check_launch(const char* doing, std::source_location where = std::source_location::current());

}  // namespace gpuimg::cuda

// What can be asked before a backend is made: devices, and whether this build holds code for them.
#pragma once

namespace gpuimg::cuda {

/// Devices that CUDA shows, at least 1. Throws Error{backend_unavailable} that names what is missing.
int device_count();

/// Throws Error{backend_unavailable} if no code that is built in runs on the current device.
void check_code_for_device();

}  // namespace gpuimg::cuda

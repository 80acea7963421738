// Tests whether this build contains code for a device.
#pragma once

namespace gpuimg::cuda {

/// Throws Error{backend_unavailable} if no built-in code runs on the current device.
void check_code_for_device();

}  // namespace gpuimg::cuda

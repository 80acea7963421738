// A real fault of the device, as a broken kernel would cause it.
#pragma once

#include <cuda_runtime_api.h>

namespace gpuimg::faults {

/// Launches a kernel that writes where no memory is: from then on the driver itself refuses every call that uses the
/// device. Returns before that happens.
void launch_illegal_write(cudaStream_t stream);

}  // namespace gpuimg::faults

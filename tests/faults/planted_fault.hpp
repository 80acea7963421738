// Causes a real device fault, as a faulty kernel would.
#pragma once

#include <cuda_runtime_api.h>

namespace gpuimg::faults {

/// Launches a kernel that writes to an illegal address. After the write, the driver rejects every call that uses the
/// device. Returns before the write happens.
void launch_illegal_write(cudaStream_t stream);

}  // namespace gpuimg::faults

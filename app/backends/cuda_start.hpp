// How CUDA starts in this process: with the queues that the work needs, and with the devices that it uses.
#pragma once

#include "backends/backends.hpp"

namespace gpuimg {

/// DeviceFacts::expect_work of CUDA.
void expect_work_on_cuda(const DeviceWork& work);

/// The number that CUDA has for a device: 0 if it is the only one that expect_work_on_cuda() left visible. Throws
/// Error{backend_unavailable} if there is none.
int visible_index(int device);

}  // namespace gpuimg

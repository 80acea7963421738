// An empty kernel. If the build contains its code for a device, it contains the code of all kernels for that device.
#include "device/device.hpp"

#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

__global__ void nothing() {}

}  // namespace

void check_code_for_device() {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, nothing), "looking for device code");
}

}  // namespace gpuimg::cuda

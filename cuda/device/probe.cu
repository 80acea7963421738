// A kernel that does nothing: whether it is there tells whether the others are.
#include "device/probe.hpp"

#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

__global__ void nothing() {}

}  // namespace

void check_code_for_device() {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, nothing), "looking for code for the device");
}

}  // namespace gpuimg::cuda

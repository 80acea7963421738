// Tests the CUDA seam on any machine: calls succeed or fail in the order given by the test's environment
// (CMakeLists.txt), with or without a device.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

bool good = true;

void expect(const char* what, cudaError_t found, cudaError_t expected) {
  if (found != expected) {
    std::printf("%s: %s, expected %s\n", what, cudaGetErrorName(found), cudaGetErrorName(expected));
    good = false;
  }
}

cudaError_t allocation() {
  void* memory = nullptr;
  const cudaError_t code = cudaMallocHost(&memory, 16);
  if (code == cudaSuccess) {
    (void)cudaFreeHost(memory);
  }
  return code;
}

__global__ void nothing() {}

}  // namespace

// GPUIMG_FAIL=cuda_memory:2,cuda_copy:1+,cuda_launch:1,cuda_lost:40
int main() {
  const cudaError_t untouched = allocation();  // success, or the error of a machine without a device
  expect("the second allocation", allocation(), cudaErrorMemoryAllocation);
  expect("the last error after it", cudaGetLastError(), cudaErrorMemoryAllocation);
  expect("the last error, asked again", cudaGetLastError(), untouched);
  expect("the third allocation", allocation(), untouched);
  (void)cudaGetLastError();
  for (int copy = 0; copy < 2; ++copy) {
    expect("every copy", cudaMemsetAsync(nullptr, 0, 0, nullptr), cudaErrorUnknown);
    expect("the last error after it", cudaGetLastError(), cudaErrorUnknown);
  }
  nothing<<<1, 1>>>();
  expect("a launch", cudaGetLastError(), cudaErrorLaunchOutOfResources);
  nothing<<<1, 1>>>();
  expect("the next launch", cudaGetLastError(), untouched);
  int calls = 0;
  for (int count = 0; cudaGetDeviceCount(&count) != cudaErrorIllegalAddress && calls < 100; ++calls) {
  }
  std::printf("lost after %d more calls\n", calls);
  expect("an allocation on a lost device", allocation(), cudaErrorIllegalAddress);
  expect("the last error", cudaGetLastError(), cudaErrorIllegalAddress);
  expect("the last error, asked again", cudaGetLastError(), cudaErrorIllegalAddress);
  nothing<<<1, 1>>>();
  expect("a launch on a lost device", cudaGetLastError(), cudaErrorIllegalAddress);
  return good ? 0 : 1;
}

// Tests that KeptCudaDevice restores a thread's current device, with the two devices of stand_in_device.cpp.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <thread>

#include "gpuimg/cuda.hpp"

namespace {

bool good = true;

void expect_device(const char* when, int expected) {
  int found = -1;
  if (cudaGetDevice(&found) != cudaSuccess || found != expected) {
    std::printf("%s: device %d is current, expected %d\n", when, found, expected);
    good = false;
  }
}

void use_device(int device) {
  const auto backend = gpuimg::make_cuda_backend(device);
  expect_device("a backend was made", device);
}

void use_devices() {
  expect_device("before", 0);
  {
    const gpuimg::KeptCudaDevice kept;
    use_device(1);
    {
      const gpuimg::KeptCudaDevice inner;
      use_device(0);
      gpuimg::wait_for_cuda_device(1);
      expect_device("a device was waited for", 0);
    }
    expect_device("after the inner one", 1);
    (void)gpuimg::cuda_devices();
  }
  expect_device("after the outer one", 0);
  use_device(1);
  expect_device("without one", 1);
  gpuimg::wait_for_cuda_device(0);
  expect_device("another device was waited for", 1);
}

}  // namespace

int main() {
  std::thread(use_devices).join();
  use_devices();
  return good ? 0 : 1;
}

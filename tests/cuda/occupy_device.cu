// Occupies device memory until only a given number of MiB is free. Keeps the memory until standard input is closed.
// usage: gpuimg_occupy_device FREE_MIB
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const std::size_t left = argc == 2 ? std::strtoull(argv[1], nullptr, 10) << 20 : 0;
  for (std::size_t step = std::size_t{4} << 30; step >= std::size_t{1} << 20;) {
    std::size_t available = 0;
    std::size_t total = 0;
    if (const cudaError_t code = cudaMemGetInfo(&available, &total); code != cudaSuccess) {
      std::printf("%s\n", cudaGetErrorString(code));
      return 1;
    }
    void* memory = nullptr;
    if (available < left + step || cudaMalloc(&memory, step) != cudaSuccess) {
      cudaGetLastError();
      step /= 2;
    }
  }
  std::size_t available = 0;
  std::size_t total = 0;
  cudaMemGetInfo(&available, &total);
  std::printf("%zu MiB left\n", available >> 20);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

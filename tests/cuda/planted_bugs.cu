// One kernel for each kind of bug that compute-sanitizer detects. A tool's clean report on gpuimg counts only if that
// tool detects its planted bug.
// usage: gpuimg_planted_bugs memcheck|racecheck|initcheck|synccheck|none
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kThreads = 64;

/// memcheck: the last thread writes past the end.
__global__ void write_beyond(int* values) { values[threadIdx.x + 1] = 1; }

/// racecheck: a thread reads a value that a thread of another warp wrote, without a barrier in between.
__global__ void read_too_early(int* values) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  values[threadIdx.x] = shared[(threadIdx.x + 32) % kThreads];
}

/// initcheck: reads uninitialized memory.
__global__ void read_unwritten(const int* unwritten, int* values) { values[threadIdx.x] = unwritten[threadIdx.x]; }

/// synccheck: only some threads of the block reach a block-wide barrier.
__global__ void wait_without_others(int* values, int waiting) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = 0;
  if (static_cast<int>(threadIdx.x) < waiting) {
    shared[threadIdx.x] = 1;
    __syncthreads();
  }
  values[threadIdx.x] = shared[threadIdx.x];
}

/// none: correct code, for which every tool must report nothing.
__global__ void write_own(int* values) { values[threadIdx.x] = 1; }

int failed(cudaError_t code) {
  std::printf("%s\n", cudaGetErrorString(code));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto asked = [&](const char* name) { return argc == 2 && std::strcmp(argv[1], name) == 0; };
  int* values = nullptr;
  int* unwritten = nullptr;
  cudaError_t code = cudaMalloc(&values, kThreads * sizeof(int));
  code = code == cudaSuccess ? cudaMalloc(&unwritten, kThreads * sizeof(int)) : code;
  if (code != cudaSuccess) {
    return failed(code);
  }
  if (asked("memcheck")) {
    write_beyond<<<1, kThreads>>>(values);
  } else if (asked("racecheck")) {
    read_too_early<<<1, kThreads>>>(values);
  } else if (asked("initcheck")) {
    read_unwritten<<<1, kThreads>>>(unwritten, values);
  } else if (asked("synccheck")) {
    wait_without_others<<<1, kThreads>>>(values, kThreads - 16);
  } else if (asked("none")) {
    write_own<<<1, kThreads>>>(values);
  } else {
    std::printf("usage: gpuimg_planted_bugs memcheck|racecheck|initcheck|synccheck|none\n");
    return 2;
  }
  code = cudaDeviceSynchronize();
  (void)cudaFree(unwritten);
  (void)cudaFree(values);
  return code == cudaSuccess ? 0 : failed(code);
}

// Launch configuration: number of blocks, shared memory, and overlap with the previous kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "device/cuda_check.hpp"
#include "device/device.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::cuda {

/// Maximum resident threads per multiprocessor of the architecture being compiled.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kThreadsPerSm = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ / 10 == 86 || __CUDA_ARCH__ / 10 == 87 || __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ >= 1100)
constexpr int kThreadsPerSm = 1536;
#else
constexpr int kThreadsPerSm = 2048;
#endif

/// For __launch_bounds__: `wanted` blocks per multiprocessor, limited to what fits, at least one.
constexpr int resident_blocks(int threads, int wanted) {
  return std::max(1, std::min(wanted, kThreadsPerSm / threads));
}

/// Number of blocks for `items` at `items_per_block` each, limited to `blocks_per_sm` per multiprocessor. The blocks
/// loop over the remaining items.
inline unsigned block_count(const Workspace& workspace, std::uint64_t items, std::uint64_t items_per_block,
                            int blocks_per_sm) {
  const auto limit =
      static_cast<std::uint64_t>(workspace.device()->multiprocessors()) * static_cast<std::uint64_t>(blocks_per_sm);
  const std::uint64_t wanted = (items + items_per_block - 1) / items_per_block;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, limit));
}

/// True if the device has room for a block of the kernel with `bytes` of dynamic shared memory. The kernel's static
/// shared memory counts, too.
template <class Kernel>
bool fits_shared_memory(const Workspace& workspace, Kernel* kernel, std::size_t bytes) {
  constexpr std::size_t kMostStaticBytes = 48 * 1024;  // CUDA's own limit
  const std::size_t limit = workspace.device()->shared_bytes_per_block();
  if (bytes + kMostStaticBytes <= limit) {
    return true;  // saves a query before most launches
  }
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "planning a launch");
  return bytes + attributes.sharedSizeBytes <= limit;
}

/// Allows a kernel more than 48 KiB of dynamic shared memory. CUDA requires this call per kernel and device. `bytes`
/// must be the largest size that any launch of the kernel uses on this device. All threads share the setting, so a
/// smaller value could make another thread's launch fail. Throws Error{unsupported} if the device has too little shared
/// memory.
template <class Kernel>
void allow_shared_bytes(const Workspace& workspace, Kernel* kernel, std::size_t bytes) {
  constexpr std::size_t kAlwaysAllowed = 48 * 1024;
  if (bytes <= kAlwaysAllowed) {
    return;
  }
  if (!fits_shared_memory(workspace, kernel, bytes)) {
    throw Error(ErrorKind::unsupported, "CUDA: this operation needs " + std::to_string(bytes / 1024) +
                                            " KiB of shared memory per block, but the device has " +
                                            std::to_string(workspace.device()->shared_bytes_per_block() / 1024) +
                                            "; use --backend cpu");
  }
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
             "raising a kernel's shared memory");
}

/// Number of blocks of a kernel that one multiprocessor holds at a time, which limits a cooperative launch. Call
/// allow_shared_bytes first.
template <class Kernel>
int cooperative_blocks_per_sm(Kernel* kernel, int threads, std::size_t bytes) {
  int blocks = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes), "planning a launch");
  return blocks;
}

/// Waits for the previous kernel if the launch may overlap it, else returns immediately.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets blocks of the next kernel start, where there is room, while blocks of this kernel still run. Without this call
/// they start as the blocks of this kernel end. Only for kernels followed by launch_after.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// The compute capability, times 10, that the kernel's code for this device was compiled for.
template <class Kernel>
int code_version(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "planning a launch");
  return attributes.ptxVersion;
}

/// True if the kernel's code for this device contains wait_for_kernel_before. In code for older devices,
/// wait_for_kernel_before is empty.
template <class Kernel>
bool can_overlap(Kernel* kernel) {
  return code_version(kernel) >= 90;
}

/// Launches a kernel that calls wait_for_kernel_before. Its first blocks start as soon as the last blocks of the
/// previous kernel leave room. See "Programmatic Dependent Launch" in the CUDA C++ Programming Guide.
template <class... Parameters, class... Arguments>
void launch_overlapping(const Workspace& workspace, void (*kernel)(Parameters...), dim3 blocks, unsigned threads,
                        std::size_t shared_bytes, const char* doing, const Arguments&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = workspace.stream();
  config.attrs = &overlap;
  config.numAttrs = 1;
  cuda_check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), doing);
}

/// Launches a kernel that calls wait_for_kernel_before: overlapping where the device can, else after the previous one.
template <class... Parameters, class... Arguments>
void launch_after(const Workspace& workspace, void (*kernel)(Parameters...), dim3 blocks, unsigned threads,
                  std::size_t shared_bytes, const char* doing, const Arguments&... arguments) {
  if (can_overlap(kernel)) {
    launch_overlapping(workspace, kernel, blocks, threads, shared_bytes, doing, arguments...);
  } else {
    kernel<<<blocks, threads, shared_bytes, workspace.stream()>>>(arguments...);
    check_launch(doing);
  }
}

}  // namespace gpuimg::cuda

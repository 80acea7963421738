// How many blocks a launch gets, and what its kernel may use.
#pragma once

#include <algorithm>
#include <string>

#include "count/count_levels.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"

namespace gpuimg::cuda {

/// Threads that one multiprocessor of the architecture being compiled for holds at once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kThreadsPerSm = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ / 10 == 86 || __CUDA_ARCH__ / 10 == 87 || __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ >= 1100)
constexpr int kThreadsPerSm = 1536;
#else
constexpr int kThreadsPerSm = 2048;
#endif

/// For __launch_bounds__: as many of `wanted` blocks as a multiprocessor holds, at least one.
constexpr int resident_blocks(int threads, int wanted) {
  return std::max(1, std::min(wanted, kThreadsPerSm / threads));
}

/// Blocks for `items` at `items_per_block`, at most `blocks_per_sm` on each multiprocessor: they take turns on the
/// rest.
inline unsigned block_count(const Workspace& workspace, std::uint64_t items, std::uint64_t items_per_block,
                            int blocks_per_sm) {
  const auto limit =
      static_cast<std::uint64_t>(workspace.device()->multiprocessors()) * static_cast<std::uint64_t>(blocks_per_sm);
  const std::uint64_t wanted = (items + items_per_block - 1) / items_per_block;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, limit));
}

/// Dynamic shared memory above 48 KiB must be asked for once a kernel and device. Throws Error{unsupported} where the
/// device has less for a block than the kernel needs.
template <class Kernel>
void allow_shared_bytes(const Workspace& workspace, Kernel* kernel, std::size_t bytes) {
  constexpr std::size_t kAlwaysAllowed = 48 * 1024;
  if (bytes <= kAlwaysAllowed) {
    return;
  }
  const std::size_t limit = workspace.device()->shared_bytes_per_block();
  if (bytes > limit) {
    throw Error(ErrorKind::unsupported, "CUDA: this operation needs " + std::to_string(bytes / 1024) +
                                            " KiB of shared memory a block, and the device has " +
                                            std::to_string(limit / 1024) + "; use --backend cpu");
  }
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
             "raising a kernel's shared memory");
}

/// Blocks of a kernel that one multiprocessor can hold at once: a cooperative launch may have no more. To be asked
/// after allow_shared_bytes.
template <class Kernel>
int cooperative_blocks_per_sm(Kernel* kernel, int threads, std::size_t bytes) {
  int blocks = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes), "planning a launch");
  return blocks;
}

/// Returns when the kernel before has ended, where the launch was made to overlap it; else at once.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// True if the code of the kernel that this device runs holds wait_for_kernel_before (older code does nothing there).
template <class Kernel>
bool can_overlap(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "planning a launch");
  return attributes.ptxVersion >= 90;
}

/// Launches a kernel that calls wait_for_kernel_before: its first blocks start when the last ones of the kernel before
/// leave room. Programmatic dependent launch, CUDA C++ Programming Guide.
template <class... Parameters, class... Arguments>
void launch_overlapping(const Workspace& workspace, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                        std::size_t shared_bytes, const char* doing, const Arguments&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = workspace.stream();
  config.attrs = &overlap;
  config.numAttrs = 1;
  cuda_check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), doing);
}

/// Level of pixel i of the region; false if the selection leaves it out.
template <class T, int kChannels>
__device__ __forceinline__ bool selected_level(const CountedPixels& counted, const LevelSource& source, std::uint64_t i,
                                               std::uint32_t& level) {
  std::uint64_t index = i;
  if (counted.region.width != counted.width) {
    const auto row_length = static_cast<std::uint64_t>(counted.region.width);
    const std::uint64_t y = i / row_length;
    index = (y + static_cast<std::uint64_t>(counted.region.y)) * static_cast<std::uint64_t>(counted.width) +
            static_cast<std::uint64_t>(counted.region.x) + (i - y * row_length);
  } else {
    index += static_cast<std::uint64_t>(counted.region.y) * static_cast<std::uint64_t>(counted.width);
  }
  if (counted.mask != nullptr && counted.mask[index] == 0) {
    return false;
  }
  const auto pixel = load_pixel<T, kChannels>(counted.pixels + index * (kChannels * sizeof(T)));
  if constexpr (kHasAlpha<kChannels>) {
    if (pixel.get(kChannels - 1) < counted.least_alpha) {
      return false;
    }
  }
  level = level_of_pixel<T, kChannels>(pixel, source);
  return true;
}

}  // namespace gpuimg::cuda

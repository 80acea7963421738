// Histograms of up to 65536 bins in global memory, for devices without enough shared memory for the counters.
// Specified in docs/operations.md, "Histogram".
#include "count/count_levels.cuh"
#include "count/selected_level.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"

namespace gpuimg::cuda {
namespace {

constexpr int kThreads = 256;

/// Thread → one pixel of the region at a time; warps stay converged. The lanes of a warp that hold the same level add
/// once together: in an image of few levels, separate additions would serialize. No shared memory, no barriers.
template <class T, int kChannels>
__global__ void __launch_bounds__(kThreads)
    count_in_memory(CountedPixels counted, LevelSource source, unsigned long long* counts) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t pixel_count = counted.pixel_count();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kThreads;
  const std::uint64_t first_of_warp = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x - lane;
  for (std::uint64_t base = first_of_warp; base < pixel_count; base += stride) {
    std::uint32_t level = 0;
    const bool is_counted =
        base + lane < pixel_count && selected_level<T, kChannels>(counted, source, base + lane, level);
    const unsigned counting = __ballot_sync(0xFFFFFFFFU, is_counted);
    if (is_counted) {
      const unsigned equal = __match_any_sync(counting, level);
      if (lane == static_cast<unsigned>(__ffs(static_cast<int>(equal)) - 1)) {
        atomicAdd(counts + level, static_cast<unsigned long long>(__popc(equal)));
      }
    }
  }
}

template <class T>
void launch(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, unsigned long long* counts) {
  constexpr int kBlocksPerSm = 4;
  const unsigned blocks = block_count(workspace, counted.pixel_count(), kThreads, kBlocksPerSm);
  with_channels(counted.format.channels, [&]<int kChannels>() {
    count_in_memory<T, kChannels><<<blocks, kThreads, 0, workspace.stream()>>>(counted, source, counts);
  });
  check_launch("counting levels in memory");
}

}  // namespace

void histogram_in_memory(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                         unsigned long long* counts) {
  if (counted.format.sample == Sample::u8) {
    launch<std::uint8_t>(workspace, counted, source, counts);
  } else {
    launch<std::uint16_t>(workspace, counted, source, counts);
  }
}

}  // namespace gpuimg::cuda

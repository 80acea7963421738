// The histogram operation on the device: selects the pixels and levels to count, and copies the counts to the host.
// Also counts in global memory, for devices without enough shared memory for the counters. Specified in
// docs/operations.md, "Histogram".
#include "count/count_levels.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"

namespace gpuimg::cuda {
namespace {

std::size_t bins_of(const Picture& picture, const HistogramOptions& options, Channel channel) {
  return is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : picture.format().max_value() + std::size_t{1};
}

bool is_rgb_at(const std::vector<Channel>& channels, std::size_t i) {
  return i + 3 <= channels.size() && channels[i] == Channel::red && channels[i + 1] == Channel::green &&
         channels[i + 2] == Channel::blue;
}

// --- Counting in global memory ---------------------------------------------------------------------------------------

constexpr int kThreads = 256;

/// Thread → one pixel of the region at a time; warps stay converged. Lanes that hold the same level do one addition
/// together, because separate additions would serialize in an image of few levels. No shared memory, no barriers.
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
void launch_in_memory(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                      unsigned long long* counts) {
  constexpr int kBlocksPerSm = 4;
  const unsigned blocks = block_count(workspace, counted.pixel_count(), kThreads, kBlocksPerSm);
  with_channels(counted.format.channels, [&]<int kChannels>() {
    count_in_memory<T, kChannels><<<blocks, kThreads, 0, workspace.stream()>>>(counted, source, counts);
  });
  check_launch("counting levels in memory");
}

}  // namespace

Histogram histogram(Workspace& workspace, const Picture& picture, const HistogramOptions& options) {
  std::vector<std::size_t> offsets = {0};
  for (const Channel channel : options.channels) {
    offsets.push_back(offsets.back() + bins_of(picture, options, channel));
  }
  const std::size_t bytes = offsets.back() * sizeof(std::uint64_t);
  if (bytes == 0) {
    return {};
  }
  const DeviceMemory counts(workspace.device(), bytes);
  const CountedPixels counted = counted_pixels(picture, options.selection);
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    auto* to = counts.as<std::uint64_t>() + offsets[i];
    if (is_rgb_at(options.channels, i) && can_count_rgb8(workspace, counted)) {
      count_rgb8(workspace, counted, to);
      i += 2;
    } else {
      count_levels(workspace, counted, source_of(options.channels[i], options.luma, picture.format(), options.hsl_bins),
                   to);
    }
  }
  const auto* on_host = workspace.results(bytes).as<std::uint64_t>();
  cuda_check(cudaMemcpyAsync(workspace.results(bytes).as<void>(), counts.data(), bytes, cudaMemcpyDeviceToHost,
                             workspace.stream()),
             "downloading counts");
  workspace.device()->wait();

  Histogram result;
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    result.channels.push_back({options.channels[i], {on_host + offsets[i], on_host + offsets[i + 1]}});
  }
  for (const std::uint64_t count : result.channels.front().counts) {
    result.counted += count;
  }
  return result;
}

void histogram_in_memory(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                         unsigned long long* counts) {
  if (counted.format.sample == Sample::u8) {
    launch_in_memory<std::uint8_t>(workspace, counted, source, counts);
  } else {
    launch_in_memory<std::uint16_t>(workspace, counted, source, counts);
  }
}

}  // namespace gpuimg::cuda

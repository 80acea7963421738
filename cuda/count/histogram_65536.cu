// Histograms of up to 65536 bins: one set of counters an SM, then a sum over them, then the look-up table.
// The rule stands in docs/operations.md, "Histogram"; the design in docs/performance.md.
#include <cooperative_groups.h>

#include "count/packed_counters.cuh"
#include "count/wide_groups.cuh"
#include "count/wide_table.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "table/level_table.cuh"

namespace gpuimg::cuda {
namespace {

/// Whole 16-bit images. Thread → groups of 16 bytes (48 with three channels), consecutive threads on consecutive
/// groups. Block: 1024 threads, one an SM. The first turn of a block shows whether the image has few levels. If not,
/// pixels are counted unchecked; should a counter have overflowed in spite of that, the block counts again, checked.
/// Shared: the packed counters. Barriers: the counters are clear; then one a turn where PackedCounters asks for it; the
/// sum of the counters is complete.
template <class Levels>
__global__ void __launch_bounds__(kWideThreads, 1)
    count_stream16(Stream16<Levels, Levels::kChannels == 3 ? 1 : 3> stream, std::uint32_t least_alpha,
                   WideTarget target) {
  constexpr int kPixels = decltype(stream)::kPixels;
  constexpr std::uint64_t kToEnd = std::uint64_t{1} << 40;
  constexpr std::uint32_t kMany = 256;  // of one level in a turn; no more than 1 % of 24576 pixels
  extern __shared__ uint4 shared[];
  __shared__ unsigned int unaccounted;
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), target.spills);
  const auto add = [&](std::uint32_t level, std::uint32_t pixels) { counters.add(level, pixels); };
  const auto count_checked = [&](const auto& group, bool valid) {
    count_runs<Levels, kPixels>(group, least_alpha, valid, add);
  };
  const auto count_checked_to_end = [&](std::uint64_t first_turn) {
    stream.run(first_turn, kToEnd, count_checked, [] { __syncthreads(); });
    stream.run_rest([&](const auto& pixel) { count_runs<Levels, 1>(pixel, least_alpha, true, add); });
  };
  std::uint32_t counted = 0;
  const auto count_unchecked = [&](const auto& group, bool valid) {
    if (valid) {
      counted += count_each<Levels, kPixels>(counters, group, least_alpha);
    }
  };
  std::uint32_t* partial = target.partials + std::size_t{blockIdx.x} * kWideWords;
  counters.clear();
  if (threadIdx.x == 0) {
    unaccounted = 0;
  }
  __syncthreads();

  stream.run(blockIdx.x, blockIdx.x + 1, count_unchecked, [] {});
  __syncthreads();
  if (counters.has_reached(kMany)) {
    count_checked_to_end(blockIdx.x + gridDim.x);
    counters.store(partial);
    return;
  }
  stream.run(blockIdx.x + gridDim.x, kToEnd, count_unchecked, [] {});
  stream.run_rest([&](const auto& pixel) { counted += count_each<Levels, 1>(counters, pixel, least_alpha); });
  atomicAdd(&unaccounted, counted - counters.store(partial));
  __syncthreads();
  if (unaccounted != 0) {
    counters.clear();
    __syncthreads();
    count_checked_to_end(blockIdx.x);
    counters.store(partial);
  }
}

/// Whole 16-bit images that give no thread more than 24 pixels: no counter can overflow, and the blocks add what they
/// have counted to `counts` in this launch. Threads, block and shared memory as above; all blocks run at once
/// (cooperative launch). Barriers: the counters are clear; grid: so are the counts.
template <class Levels>
__global__ void __launch_bounds__(kWideThreads, 1)
    count_few16(Stream16<Levels, 1> stream, std::uint32_t least_alpha, unsigned long long* counts) {
  extern __shared__ uint4 shared[];
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), nullptr);
  counters.clear();
  for (unsigned i = blockIdx.x * kWideThreads + threadIdx.x; i < kWideBins; i += gridDim.x * kWideThreads) {
    counts[i] = 0;
  }
  __syncthreads();
  const auto add = [&](std::uint32_t level, std::uint32_t pixels) { counters.add_unchecked(level, pixels); };
  stream.run(
      blockIdx.x, std::uint64_t{1} << 40,
      [&](const auto& group, bool valid) {
        count_runs<Levels, decltype(stream)::kPixels>(group, least_alpha, valid, add);
      },
      [] {});
  stream.run_rest([&](const auto& pixel) { count_runs<Levels, 1>(pixel, least_alpha, true, add); });
  cooperative_groups::this_grid().sync();
  counters.add_to(counts);
}

/// Any part of an image, any level. Thread → one pixel of the region at a time. Block, shared memory and barriers as
/// above.
template <class T, int kChannels>
__global__ void __launch_bounds__(kWideThreads, 1)
    count_selected_wide(CountedPixels counted, LevelSource source, WideTarget target) {
  constexpr int kTurns = 8;
  extern __shared__ uint4 shared[];
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), target.spills);
  counters.clear();
  __syncthreads();
  const std::uint64_t pixel_count = counted.pixel_count();
  const std::uint64_t turn = std::uint64_t{kWideThreads} * kTurns;
  for (std::uint64_t base = blockIdx.x * turn; base < pixel_count; base += gridDim.x * turn) {
    for (int k = 0; k < kTurns; ++k) {
      const std::uint64_t i = base + k * kWideThreads + threadIdx.x;
      std::uint32_t level = 0;
      if (i < pixel_count && selected_level<T, kChannels>(counted, source, i, level)) {
        counters.add(level);
      }
    }
    __syncthreads();
  }
  counters.store(target.partials + std::size_t{blockIdx.x} * kWideWords);
}

template <class Levels>
void launch_stream16(Workspace& workspace, const CountedPixels& counted, const WideTarget& target, unsigned blocks) {
  allow_shared_bytes(workspace, count_stream16<Levels>, kWideBytes);
  count_stream16<Levels><<<blocks, kWideThreads, kWideBytes, workspace.stream()>>>(
      {counted.pixels, counted.pixel_count()}, counted.least_alpha, target);
  check_launch("counting 16-bit levels");
}

template <class Levels>
void launch_few16(Workspace& workspace, const CountedPixels& counted, unsigned long long* counts) {
  Stream16<Levels, 1> stream{counted.pixels, counted.pixel_count()};
  std::uint32_t least_alpha = counted.least_alpha;
  const unsigned blocks = block_count(workspace, stream.pixel_count, kWideThreads * stream.kPixels, 1);
  allow_shared_bytes(workspace, count_few16<Levels>, kWideBytes);
  void* arguments[] = {&stream, &least_alpha, &counts};
  cuda_check(cudaLaunchCooperativeKernel(count_few16<Levels>, dim3(blocks), dim3(kWideThreads), arguments, kWideBytes,
                                         workspace.stream()),
             "counting 16-bit levels");
}

/// Calls launch.template operator()<Levels>() for what is counted; false if no streaming kernel counts this.
template <class Launch>
bool with_levels16(const CountedPixels& counted, const LevelSource& source, const Launch& launch) {
  const int channels = counted.format.channels;
  if (counted.format.sample != Sample::u16 || !counted.is_whole_image()) {
    return false;
  }
  if (source.kind == LevelKind::sample && source.sample == 0 && channels <= 2) {
    channels == 1 ? launch.template operator()<SampleOf16<1>>() : launch.template operator()<SampleOf16<2>>();
    return true;
  }
  if (source.kind == LevelKind::luma && channels >= 3) {
    with_luma_kind(source.luma, [&]<Luma kind>() {
      channels == 3 ? launch.template operator()<LumaOf16<3, kind>>() : launch.template operator()<LumaOf16<4, kind>>();
    });
    return true;
  }
  return false;
}

/// Small images, which have no time for more than one launch. False if this is none of them.
bool count_few_levels16(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                        unsigned long long* counts) {
  const auto most = std::uint64_t{PackedCounters::kPixelsBetweenBarriers} * kWideThreads *
                    static_cast<std::uint64_t>(workspace.device()->multiprocessors());
  return counted.pixel_count() <= most &&
         with_levels16(counted, source, [&]<class Levels>() { launch_few16<Levels>(workspace, counted, counts); });
}

template <class T>
void launch_selected(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                     const WideTarget& target, unsigned blocks) {
  with_channels(counted.format.channels, [&]<int kChannels>() {
    allow_shared_bytes(workspace, count_selected_wide<T, kChannels>, kWideBytes);
    count_selected_wide<T, kChannels>
        <<<blocks, kWideThreads, kWideBytes, workspace.stream()>>>(counted, source, target);
    check_launch("counting levels of selected pixels");
  });
}

}  // namespace

void count_wide_levels(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                       std::uint64_t* counts, const TableTarget& table) {
  const bool has_room = kWideBytes <= workspace.device()->shared_bytes_per_block();
  if (has_room && table.maps == nullptr &&
      count_few_levels16(workspace, counted, source, reinterpret_cast<unsigned long long*>(counts))) {
    return;
  }
  constexpr std::uint64_t kPixelsPerBlock = 24 * kWideThreads;
  const unsigned blocks = block_count(workspace, counted.pixel_count(), kPixelsPerBlock, 1);
  const DeviceMemory partials(workspace.device(), has_room ? blocks * kWideBytes : 0);
  const DeviceMemory spills(workspace.device(), kWideBins * sizeof(std::uint64_t));
  const DeviceMemory group_sums(workspace.device(), kSegment * sizeof(std::uint64_t));
  const WideTarget target{partials.as<std::uint32_t>(), spills.as<unsigned long long>(),
                          group_sums.as<unsigned long long>()};
  if (has_room && table.maps != nullptr && count_few_levels16(workspace, counted, source, target.spills)) {
    finish_wide_counts(workspace, target, 0, source.bins, counts, table);
    return;
  }
  cuda_check(cudaMemsetAsync(spills.data(), 0, spills.size_bytes(), workspace.stream()), "clearing counters");
  if (!has_room) {
    count_wide_in_memory(workspace, counted, source, target.spills);
    finish_wide_counts(workspace, target, 0, source.bins, counts, table);
    return;
  }
  const bool is_streamed = with_levels16(
      counted, source, [&]<class Levels>() { launch_stream16<Levels>(workspace, counted, target, blocks); });
  if (!is_streamed) {
    if (counted.format.sample == Sample::u8) {
      launch_selected<std::uint8_t>(workspace, counted, source, target, blocks);
    } else {
      launch_selected<std::uint16_t>(workspace, counted, source, target, blocks);
    }
  }
  finish_wide_counts(workspace, target, static_cast<int>(blocks), source.bins, counts, table);
}

}  // namespace gpuimg::cuda

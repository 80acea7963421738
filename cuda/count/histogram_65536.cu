// Histograms of up to 65536 bins: counts in one set of counters per SM, adds the sets, then builds the look-up table.
// Specified in docs/operations.md, "Histogram"; design in docs/performance.md.
#include "count/packed_counters.cuh"
#include "count/selected_level.cuh"
#include "count/stream_16bit.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "table/level_table.cuh"
#include "table/table_65536.cuh"

namespace gpuimg::cuda {
namespace {

/// Counts a whole 16-bit image. The first turn of a block shows whether the image has few levels. If not, the block
/// counts unchecked; if a counter overflows anyway, the block counts again, checked.
/// Thread → groups of 16 bytes (48 for three channels), consecutive threads on consecutive groups. Block: 1024 threads,
/// one per SM. Shared memory: the packed counters. Barriers: the counters are clear; all pixels of the first turn are
/// counted; one per turn if counting checked, as PackedCounters requires; `unaccounted` is complete; the counters are
/// clear again before counting anew.
template <class Levels>
__global__ void __launch_bounds__(kPackedThreads, 1)
    count_image_65536(Stream16<Levels, Levels::kChannels == 3 ? 1 : 3> stream, std::uint32_t min_alpha,
                      Target65536 target) {
  constexpr int kPixels = decltype(stream)::kPixels;
  constexpr std::uint64_t kToEnd = std::uint64_t{1} << 40;
  constexpr std::uint32_t kMany = 256;  // pixels of one level in a turn: about 1 % of 24576
  extern __shared__ uint4 shared[];
  __shared__ unsigned int unaccounted;
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), target.spills);
  const auto add = [&](std::uint32_t level, std::uint32_t pixels) { counters.add(level, pixels); };
  const auto count_checked = [&](const auto& group, bool valid) {
    count_runs<Levels, kPixels>(group, min_alpha, valid, add);
  };
  const auto count_checked_to_end = [&](std::uint64_t first_turn) {
    stream.run(first_turn, kToEnd, count_checked, [] { __syncthreads(); });
    stream.run_rest([&](const auto& pixel) { count_runs<Levels, 1>(pixel, min_alpha, true, add); });
  };
  std::uint32_t counted = 0;
  const auto count_unchecked = [&](const auto& group, bool valid) {
    if (valid) {
      counted += count_each<Levels, kPixels>(counters, group, min_alpha);
    }
  };
  std::uint32_t* partial = target.partials + std::size_t{blockIdx.x} * kPackedWords;
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
  stream.run_rest([&](const auto& pixel) { counted += count_each<Levels, 1>(counters, pixel, min_alpha); });
  atomicAdd(&unaccounted, counted - counters.store(partial));
  __syncthreads();
  if (unaccounted != 0) {
    counters.clear();
    __syncthreads();
    count_checked_to_end(blockIdx.x);
    counters.store(partial);
  }
}

/// Counts any part of an image, and any level.
/// Thread → one pixel of the region at a time. Block and shared memory as in count_image_65536. Barriers: the counters
/// are clear; one per turn, as PackedCounters requires.
template <class T, int kChannels>
__global__ void __launch_bounds__(kPackedThreads, 1)
    count_selected_65536(CountedPixels counted, LevelSource source, Target65536 target) {
  constexpr int kTurns = 8;
  extern __shared__ uint4 shared[];
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), target.spills);
  counters.clear();
  __syncthreads();
  const std::uint64_t pixel_count = counted.pixel_count();
  const std::uint64_t turn = std::uint64_t{kPackedThreads} * kTurns;
  for (std::uint64_t base = blockIdx.x * turn; base < pixel_count; base += gridDim.x * turn) {
    for (int k = 0; k < kTurns; ++k) {
      const std::uint64_t i = base + k * kPackedThreads + threadIdx.x;
      std::uint32_t level = 0;
      if (i < pixel_count && selected_level<T, kChannels>(counted, source, i, level)) {
        counters.add(level);
      }
    }
    __syncthreads();
  }
  counters.store(target.partials + std::size_t{blockIdx.x} * kPackedWords);
}

template <class Levels>
void launch_stream16(Workspace& workspace, const CountedPixels& counted, const Target65536& target, unsigned blocks) {
  allow_shared_bytes(workspace, count_image_65536<Levels>, kPackedBytes);
  count_image_65536<Levels><<<blocks, kPackedThreads, kPackedBytes, workspace.stream()>>>(
      {counted.pixels, counted.pixel_count()}, counted.min_alpha, target);
  check_launch("counting 16-bit levels");
}

template <class T>
void launch_selected(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                     const Target65536& target, unsigned blocks) {
  with_channels(counted.format.channels, [&]<int kChannels>() {
    allow_shared_bytes(workspace, count_selected_65536<T, kChannels>, kPackedBytes);
    count_selected_65536<T, kChannels>
        <<<blocks, kPackedThreads, kPackedBytes, workspace.stream()>>>(counted, source, target);
    check_launch("counting levels of selected pixels");
  });
}

}  // namespace

void histogram_65536(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                     std::uint64_t* counts, const TableTarget& table) {
  const bool has_room = kPackedBytes <= workspace.device()->shared_bytes_per_block();
  if (has_room && table.maps == nullptr &&
      small_histogram_65536(workspace, counted, source, reinterpret_cast<unsigned long long*>(counts))) {
    return;
  }
  constexpr std::uint64_t kPixelsPerBlock = 24 * kPackedThreads;
  const unsigned blocks = block_count(workspace, counted.pixel_count(), kPixelsPerBlock, 1);
  const DeviceMemory partials(workspace.device(), has_room ? blocks * kPackedBytes : 0);
  const DeviceMemory spills(workspace.device(), kPackedBins * sizeof(std::uint64_t));
  const DeviceMemory group_sums(workspace.device(), kSegment * sizeof(std::uint64_t));
  const Target65536 target{partials.as<std::uint32_t>(), spills.as<unsigned long long>(),
                           group_sums.as<unsigned long long>()};
  if (has_room && table.maps != nullptr && small_histogram_65536(workspace, counted, source, target.spills)) {
    finish_histogram_65536(workspace, target, 0, source.bins, counts, table);
    return;
  }
  cuda_check(cudaMemsetAsync(spills.data(), 0, spills.size_bytes(), workspace.stream()), "clearing counters");
  if (!has_room) {
    histogram_in_memory(workspace, counted, source, target.spills);
    finish_histogram_65536(workspace, target, 0, source.bins, counts, table);
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
  finish_histogram_65536(workspace, target, static_cast<int>(blocks), source.bins, counts, table);
}

}  // namespace gpuimg::cuda

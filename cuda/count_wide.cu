// Histograms of up to 65536 bins: one set of counters an SM, then a sum over them, then the look-up table.
// The rule stands in docs/operations.md, "Histogram"; the design in docs/performance.md.
#include "cuda_check.hpp"
#include "launch.cuh"
#include "level_table.cuh"
#include "packed_counters.cuh"
#include "wide_table.cuh"

namespace gpuimg::cuda {
namespace {

template <int channels>
struct SampleOf16 {
  static constexpr int kChannels = channels;
  template <class Group>
  static __device__ __forceinline__ std::uint32_t level(const Group& group, int p) {
    return group.get(p * channels);
  }
};

template <int channels, Luma kind>
struct LumaOf16 {
  static constexpr int kChannels = channels;
  template <class Group>
  static __device__ __forceinline__ std::uint32_t level(const Group& group, int p) {
    const Rgb color = rgb_of<channels>(group, p);
    return luma_of<kind>(color.r, color.g, color.b);
  }
};

/// True if all 8 pixels of a gray group are equal: flat parts of an image would make the lanes wait for one counter.
__device__ __forceinline__ bool is_flat(const Samples<std::uint16_t, 8>& group) {
  const std::uint32_t first = group.words[0];
  const bool equal_words = first == group.words[1] && first == group.words[2] && first == group.words[3];
  return equal_words && (first >> 16) == (first & 0xFFFFU);
}

/// Counts one group of a warp whose lanes are all here. Where the whole warp sees one level, one lane counts it.
template <class Levels, int kPixels>
__device__ __forceinline__ void count_group(PackedCounters& counters,
                                            const Samples<std::uint16_t, kPixels * Levels::kChannels>& group,
                                            std::uint32_t least_alpha, bool valid) {
  constexpr int kChannels = Levels::kChannels;
  if constexpr (kChannels == 1 && kPixels == 8) {
    const std::uint32_t word = group.words[0];
    const std::uint32_t word_of_first_lane = __shfl_sync(0xFFFFFFFFU, word, 0);  // by all lanes, whatever they hold
    const bool same = valid && is_flat(group) && word == word_of_first_lane;
    if (__all_sync(0xFFFFFFFFU, same)) {
      if (threadIdx.x % 32 == 0) {
        counters.add(word & 0xFFFFU, 32 * kPixels);
      }
      return;
    }
  }
  if (!valid) {
    return;
  }
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    if constexpr (kHasAlpha<kChannels>) {
      if (group.get(p * kChannels + kChannels - 1) < least_alpha) {
        continue;
      }
    }
    counters.add(Levels::level(group, p));
  }
}

/// Whole 16-bit images. Thread → groups of 16 bytes (48 with three channels), consecutive threads on consecutive
/// groups; the groups of the next turn are loaded before those of this one are counted. Block: 1024 threads, one an SM.
/// Shared: the packed counters. Barriers: the counters are clear; then one a turn, which PackedCounters asks for.
template <class Levels>
__global__ void __launch_bounds__(kWideThreads, 1)
    count_stream16(const std::byte* pixels, std::uint64_t pixel_count, std::uint32_t least_alpha, WideTarget target) {
  constexpr int kChannels = Levels::kChannels;
  constexpr int kPixels = kChannels == 3 ? 8 : 8 / kChannels;
  constexpr int kAhead = kChannels == 3 ? 1 : 3;
  static_assert(kPixels * kAhead <= PackedCounters::kPixelsBetweenBarriers);
  using Group = Samples<std::uint16_t, kPixels * kChannels>;
  extern __shared__ uint4 shared[];
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), target.spills);
  __syncthreads();

  const std::uint64_t groups = pixel_count / kPixels;
  const std::uint64_t turn = std::uint64_t{kWideThreads} * kAhead;
  Group next[kAhead];
  const auto load_turn = [&](std::uint64_t base) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::uint64_t i = base + k * kWideThreads + threadIdx.x;
      if (i < groups) {
        load(next[k], pixels + i * Group::kBytes);
      }
    }
  };
  std::uint64_t base = blockIdx.x * turn;
  load_turn(base);
  for (; base < groups; base += gridDim.x * turn) {
    Group group[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      group[k] = next[k];
    }
    load_turn(base + gridDim.x * turn);
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const bool valid = base + k * kWideThreads + threadIdx.x < groups;
      count_group<Levels, kPixels>(counters, group[k], least_alpha, valid);
    }
    __syncthreads();
  }
  const std::uint64_t rest = groups * kPixels + threadIdx.x;
  if (blockIdx.x == 0 && rest < pixel_count) {
    count_group<Levels, 1>(counters, load_pixel<std::uint16_t, kChannels>(pixels + rest * kChannels * 2), least_alpha,
                           true);
  }
  counters.store(target.partials + std::size_t{blockIdx.x} * kWideWords);
}

/// Any part of an image, any level. Thread → one pixel of the region at a time. Block, shared memory and barriers as
/// above.
template <class T, int kChannels>
__global__ void __launch_bounds__(kWideThreads, 1)
    count_selected_wide(CountedPixels counted, LevelSource source, WideTarget target) {
  constexpr int kTurns = 8;
  extern __shared__ uint4 shared[];
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), target.spills);
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
  allow_shared_bytes(count_stream16<Levels>, kWideBytes);
  count_stream16<Levels><<<blocks, kWideThreads, kWideBytes, workspace.stream()>>>(
      counted.pixels, counted.pixel_count(), counted.least_alpha, target);
  check_launch("counting 16-bit levels");
}

/// False if no streaming kernel counts this.
bool count_whole_image16(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                         const WideTarget& target, unsigned blocks) {
  const int channels = counted.format.channels;
  if (counted.format.sample != Sample::u16 || !counted.is_whole_image()) {
    return false;
  }
  if (source.kind == LevelKind::sample && source.sample == 0 && channels <= 2) {
    channels == 1 ? launch_stream16<SampleOf16<1>>(workspace, counted, target, blocks)
                  : launch_stream16<SampleOf16<2>>(workspace, counted, target, blocks);
    return true;
  }
  if (source.kind == LevelKind::luma && channels >= 3) {
    with_luma_kind(source.luma, [&]<Luma kind>() {
      channels == 3 ? launch_stream16<LumaOf16<3, kind>>(workspace, counted, target, blocks)
                    : launch_stream16<LumaOf16<4, kind>>(workspace, counted, target, blocks);
    });
    return true;
  }
  return false;
}

template <class T>
void launch_selected(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                     const WideTarget& target, unsigned blocks) {
  with_channels(counted.format.channels, [&]<int kChannels>() {
    allow_shared_bytes(count_selected_wide<T, kChannels>, kWideBytes);
    count_selected_wide<T, kChannels>
        <<<blocks, kWideThreads, kWideBytes, workspace.stream()>>>(counted, source, target);
    check_launch("counting levels of selected pixels");
  });
}

}  // namespace

void count_wide_levels(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                       std::uint64_t* counts, const TableTarget& table) {
  constexpr std::uint64_t kPixelsPerBlock = 24 * kWideThreads;
  const unsigned blocks = block_count(workspace, counted.pixel_count(), kPixelsPerBlock, 1);
  const DeviceMemory partials(workspace.device(), blocks * kWideBytes);
  const DeviceMemory spills(workspace.device(), kWideBins * sizeof(std::uint64_t));
  const DeviceMemory group_sums(workspace.device(), kSegment * sizeof(std::uint64_t));
  cuda_check(cudaMemsetAsync(spills.data(), 0, spills.size_bytes(), workspace.stream()), "clearing counters");
  const WideTarget target{partials.as<std::uint32_t>(), spills.as<unsigned long long>(),
                          group_sums.as<unsigned long long>()};
  if (!count_whole_image16(workspace, counted, source, target, blocks)) {
    if (counted.format.sample == Sample::u8) {
      launch_selected<std::uint8_t>(workspace, counted, source, target, blocks);
    } else {
      launch_selected<std::uint16_t>(workspace, counted, source, target, blocks);
    }
  }
  finish_wide_counts(workspace, target, static_cast<int>(blocks), source.bins, counts, table);
}

}  // namespace gpuimg::cuda

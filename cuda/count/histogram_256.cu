// Histograms of up to 256 bins. Specified in docs/operations.md, "Histogram"; design in docs/performance.md.
#include <algorithm>

#include "count/column_counters.cuh"
#include "count/count_levels.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "ops/luma.hpp"

namespace gpuimg::cuda {
namespace {

/// Levels that count_image_256 can count per pixel: one sample, the luma, or red, green and blue in three histograms.
template <int channels, int sample>
struct OneSample {
  static constexpr int kChannels = channels;
  static constexpr int kHistograms = 1;
  template <class Group>
  static __device__ __forceinline__ void count(ColumnCounters<1>& counters, const Group& group, int p) {
    counters.add(group.get(p * channels + sample));
  }
};

template <int channels, Luma kind>
struct LumaOf {
  static constexpr int kChannels = channels;
  static constexpr int kHistograms = 1;
  template <class Group>
  static __device__ __forceinline__ void count(ColumnCounters<1>& counters, const Group& group, int p) {
    const Rgb color = rgb_of<channels>(group, p);
    counters.add(luma_of<kind>(color.r, color.g, color.b));
  }
};

template <int channels>
struct EachOfRgb {
  static constexpr int kChannels = channels;
  static constexpr int kHistograms = 3;
  template <class Group>
  static __device__ __forceinline__ void count(ColumnCounters<3>& counters, const Group& group, int p) {
    counters.template add<0>(group.get(p * channels));
    counters.template add<1>(group.get(p * channels + 1));
    counters.template add<2>(group.get(p * channels + 2));
  }
};

template <class Levels, int kPixels>
__device__ __forceinline__ void count_group(ColumnCounters<Levels::kHistograms>& counters,
                                            const Samples<std::uint8_t, kPixels * Levels::kChannels>& group,
                                            std::uint32_t min_alpha) {
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    if constexpr (kHasAlpha<Levels::kChannels>) {
      if (group.get(p * Levels::kChannels + Levels::kChannels - 1) < min_alpha) {
        continue;
      }
    }
    Levels::count(counters, group, p);
  }
}

/// Counts a whole 8-bit image.
/// Thread → groups of 16 bytes (48 for three channels), consecutive threads on consecutive groups. Each thread loads
/// kAhead groups before it counts the first. Block: 1024 threads, two per SM. Shared memory: the columns. Barrier after
/// the constructor: the columns are clear before any thread adds.
template <class Levels>
__global__ void __launch_bounds__(kColumnThreads, resident_blocks(kColumnThreads, 2))
    count_image_256(const std::byte* pixels, std::uint64_t pixel_count, std::uint32_t min_alpha, Target256 target) {
  constexpr int kChannels = Levels::kChannels;
  constexpr int kPixels = kChannels == 3 ? 16 : 16 / kChannels;
  constexpr int kAhead = kChannels == 3 ? 1 : 2;
  using Group = Samples<std::uint8_t, kPixels * kChannels>;
  extern __shared__ uint4 shared[];
  ColumnCounters<Levels::kHistograms> counters(reinterpret_cast<std::byte*>(shared));
  __syncthreads();

  const std::uint64_t groups = pixel_count / kPixels;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kColumnThreads;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kColumnThreads + threadIdx.x;
  std::uint64_t i = first;
  for (; i + (kAhead - 1) * stride < groups; i += kAhead * stride) {
    Group group[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      load(group[k], pixels + (i + k * stride) * Group::kBytes);
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      count_group<Levels, kPixels>(counters, group[k], min_alpha);
    }
  }
  for (; i < groups; i += stride) {
    Group group;
    load(group, pixels + i * Group::kBytes);
    count_group<Levels, kPixels>(counters, group, min_alpha);
  }
  const std::uint64_t rest = groups * kPixels + first;
  if (rest < pixel_count) {
    count_group<Levels, 1>(counters, load_pixel<std::uint8_t, kChannels>(pixels + rest * kChannels), min_alpha);
  }
  counters.finish(target);
}

/// Counts any part of an image, for any kind of level that has at most 256 bins.
/// Thread → one pixel of the region at a time. Block, shared memory and barrier as in count_image_256.
template <class T, int kChannels>
__global__ void __launch_bounds__(kColumnThreads, resident_blocks(kColumnThreads, 2))
    count_selected_256(CountedPixels counted, LevelSource source, Target256 target) {
  extern __shared__ uint4 shared[];
  ColumnCounters<1> counters(reinterpret_cast<std::byte*>(shared));
  __syncthreads();
  const std::uint64_t pixel_count = counted.pixel_count();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kColumnThreads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kColumnThreads + threadIdx.x; i < pixel_count; i += stride) {
    std::uint32_t level = 0;
    if (selected_level<T, kChannels>(counted, source, i, level)) {
      counters.add(level);
    }
  }
  counters.finish(target);
}

Target256 target_of(Workspace& workspace, std::uint64_t* counts, std::uint32_t bins, const TableTarget& table) {
  constexpr std::size_t kTotals = 3 * kColumnBins;
  auto& memory = workspace.zeroed(workspace.level_totals, (kTotals + 1) * sizeof(std::uint64_t));
  Target256 target;
  target.totals = memory.as<unsigned long long>();
  target.arrived = reinterpret_cast<unsigned int*>(target.totals + kTotals);
  target.counts = reinterpret_cast<unsigned long long*>(counts);
  target.bins = static_cast<int>(bins);
  target.table = table;
  return target;
}

template <class Levels>
void launch_stream(Workspace& workspace, const CountedPixels& counted, const Target256& target) {
  constexpr std::size_t kBytes = ColumnCounters<Levels::kHistograms>::kBytes;
  constexpr std::uint64_t kPixelsPerThread = 16;
  const unsigned blocks = block_count(workspace, counted.pixel_count(), kColumnThreads * kPixelsPerThread, 2);
  allow_shared_bytes(workspace, count_image_256<Levels>, kBytes);
  count_image_256<Levels><<<blocks, kColumnThreads, kBytes, workspace.stream()>>>(counted.pixels, counted.pixel_count(),
                                                                                  counted.min_alpha, target);
  check_launch("counting levels");
}

/// Returns false if count_image_256 does not support the request.
bool count_whole_image(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                       const Target256& target) {
  const int channels = counted.format.channels;
  if (counted.format.sample != Sample::u8 || !counted.is_whole_image()) {
    return false;
  }
  if (source.kind == LevelKind::sample && source.sample == 0 && channels <= 2) {
    channels == 1 ? launch_stream<OneSample<1, 0>>(workspace, counted, target)
                  : launch_stream<OneSample<2, 0>>(workspace, counted, target);
    return true;
  }
  if (source.kind == LevelKind::luma && channels >= 3) {
    with_luma_kind(source.luma, [&]<Luma kind>() {
      channels == 3 ? launch_stream<LumaOf<3, kind>>(workspace, counted, target)
                    : launch_stream<LumaOf<4, kind>>(workspace, counted, target);
    });
    return true;
  }
  return false;
}

template <class T>
void launch_selected(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                     const Target256& target) {
  with_channels(counted.format.channels, [&]<int kChannels>() {
    const unsigned blocks = block_count(workspace, counted.pixel_count(), kColumnThreads, 2);
    allow_shared_bytes(workspace, count_selected_256<T, kChannels>, kColumnBytes);
    count_selected_256<T, kChannels>
        <<<blocks, kColumnThreads, kColumnBytes, workspace.stream()>>>(counted, source, target);
    check_launch("counting levels of selected pixels");
  });
}

}  // namespace

CountedPixels counted_pixels(const Picture& picture, const Selection& selection) {
  CountedPixels counted;
  counted.pixels = pixels_of(picture);
  counted.format = picture.format();
  counted.width = picture.width();
  counted.height = picture.height();
  counted.region = selection.region.value_or(Rect{0, 0, picture.width(), picture.height()});
  counted.mask =
      selection.mask == nullptr ? nullptr : reinterpret_cast<const std::uint8_t*>(pixels_of(*selection.mask));
  counted.min_alpha = selection.count_transparent ? 0 : 1;
  return counted;
}

void count_levels(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, std::uint64_t* counts,
                  const TableTarget& table) {
  if (source.bins > kColumnBins) {
    histogram_65536(workspace, counted, source, counts, table);
    return;
  }
  const Target256 target = target_of(workspace, counts, source.bins, table);
  if (count_whole_image(workspace, counted, source, target)) {
    return;
  }
  if (counted.format.sample == Sample::u8) {
    launch_selected<std::uint8_t>(workspace, counted, source, target);
  } else {
    launch_selected<std::uint16_t>(workspace, counted, source, target);
  }
}

bool can_count_rgb8(const Workspace& workspace, const CountedPixels& counted) {
  return counted.format.sample == Sample::u8 && counted.format.channels >= 3 && counted.is_whole_image() &&
         ColumnCounters<3>::kBytes <= workspace.device()->shared_bytes_per_block();
}

void count_rgb8(Workspace& workspace, const CountedPixels& counted, std::uint64_t* counts, const TableTarget& table) {
  const Target256 target = target_of(workspace, counts, kColumnBins, table);
  if (counted.format.channels == 3) {
    launch_stream<EachOfRgb<3>>(workspace, counted, target);
  } else {
    launch_stream<EachOfRgb<4>>(workspace, counted, target);
  }
}

}  // namespace gpuimg::cuda

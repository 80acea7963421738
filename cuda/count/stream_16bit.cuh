// Streams 16-bit pixels into the packed counters, one group per load, for images with many levels and with few.
// Design: docs/performance.md, "Histogram, 65536 bins".
#pragma once

#include "count/packed_counters.cuh"
#include "device/launch.cuh"
#include "ops/luma.hpp"

namespace gpuimg::cuda {

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

/// True if all 8 pixels of a gray group are equal.
__device__ __forceinline__ bool is_flat(const Samples<std::uint16_t, 8>& group) {
  const std::uint32_t first = group.words[0];
  const bool equal_words = first == group.words[1] && first == group.words[2] && first == group.words[3];
  return equal_words && (first >> 16) == (first & 0xFFFFU);
}

/// Counts the flat groups of a warp. One lane counts all groups of the same level; otherwise the lanes would wait for
/// one counter. All lanes must call this. Returns true if the calling lane's group remains to be counted.
template <class Add>
__device__ __forceinline__ bool count_flat_groups(const Samples<std::uint16_t, 8>& group, bool valid, const Add& add) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  const bool flat = valid && is_flat(group);
  const std::uint32_t word = group.words[0];
  unsigned left = __ballot_sync(kAll, flat);
  while (left != 0) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t word_of_leader = __shfl_sync(kAll, word, leader);  // executed by all lanes, flat or not
    const unsigned same = __ballot_sync(kAll, flat && word == word_of_leader);
    if (static_cast<int>(threadIdx.x % 32) == leader) {
      add(word & 0xFFFFU, 8U * static_cast<unsigned>(__popc(same)));
    }
    left &= ~same;
  }
  return valid && !flat;
}

/// Counts one group per lane, merging runs of equal neighbors: for images with few levels. All lanes of the warp must
/// call this.
template <class Levels, int kPixels, class Add>
__device__ __forceinline__ void count_runs(const Samples<std::uint16_t, kPixels * Levels::kChannels>& group,
                                           std::uint32_t min_alpha, bool valid, const Add& add) {
  constexpr int kChannels = Levels::kChannels;
  if constexpr (kChannels == 1 && kPixels == 8) {
    valid = count_flat_groups(group, valid, add);
  }
  if (!valid) {
    return;
  }
  std::uint32_t run = 0;
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    if (!kHasAlpha<kChannels> || group.get(p * kChannels + kChannels - 1) >= min_alpha) {
      ++run;
    }
    const std::uint32_t level = Levels::level(group, p);
    if (p == kPixels - 1 || level != Levels::level(group, p + 1)) {
      if (run != 0) {
        add(level, run);
      }
      run = 0;
    }
  }
}

/// Counts one group, pixel by pixel and unchecked: for images with many levels. Returns the number of pixels counted.
template <class Levels, int kPixels>
__device__ __forceinline__ std::uint32_t count_each(PackedCounters& counters,
                                                    const Samples<std::uint16_t, kPixels * Levels::kChannels>& group,
                                                    std::uint32_t min_alpha) {
  constexpr int kChannels = Levels::kChannels;
  if constexpr (kChannels == 1 && kPixels % 2 == 0) {
#pragma unroll
    for (int i = 0; i < kPixels / 2; ++i) {
      counters.add_pair_unchecked(group.words[i]);
    }
    return kPixels;
  }
  std::uint32_t counted = 0;
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    if (!kHasAlpha<kChannels> || group.get(p * kChannels + kChannels - 1) >= min_alpha) {
      counters.add_unchecked(Levels::level(group, p));
      ++counted;
    }
  }
  return counted;
}

/// Divides an image into turns of kAhead groups per thread. Blocks take turns in order. A block loads the groups of its
/// next turn before it counts those of the current one.
template <class Levels, int kAhead>
struct Stream16 {
  static constexpr int kChannels = Levels::kChannels;
  static constexpr int kPixels = kChannels == 3 ? 8 : 8 / kChannels;
  static constexpr std::uint64_t kTurn = std::uint64_t{kPackedThreads} * kAhead;
  using Group = Samples<std::uint16_t, kPixels * kChannels>;
  static_assert(kPixels * kAhead <= PackedCounters::kPixelsBetweenBarriers);

  const std::byte* pixels;
  std::uint64_t pixel_count;

  __device__ void load_turn(Group (&next)[kAhead], std::uint64_t base) const {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::uint64_t i = base + k * kPackedThreads + threadIdx.x;
      if (i < pixel_count / kPixels) {
        load(next[k], pixels + i * Group::kBytes);
      }
    }
  }

  /// Calls count(group, valid) on all threads together, and after_turn() after each turn.
  template <class Count, class AfterTurn>
  __device__ __forceinline__ void run(std::uint64_t first_turn, std::uint64_t last_turn, const Count& count,
                                      const AfterTurn& after_turn) const {
    const std::uint64_t groups = min(pixel_count / kPixels, last_turn * kTurn);
    std::uint64_t base = first_turn * kTurn;
    Group next[kAhead];
    load_turn(next, base);
    for (; base < groups; base += gridDim.x * kTurn) {
      Group group[kAhead];
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        group[k] = next[k];
      }
      load_turn(next, base + gridDim.x * kTurn);
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        count(group[k], base + k * kPackedThreads + threadIdx.x < groups);
      }
      after_turn();
    }
  }

  /// Counts the pixels after the last group, on the first threads of block 0.
  template <class Count>
  __device__ __forceinline__ void run_rest(const Count& count) const {
    const std::uint64_t rest = pixel_count / kPixels * kPixels + threadIdx.x;
    if (blockIdx.x == 0 && rest < pixel_count) {
      count(load_pixel<std::uint16_t, kChannels>(pixels + rest * kChannels * 2));
    }
  }
};

/// Calls launch.template operator()<Levels>() for the requested level. Returns false if no streaming kernel supports
/// it.
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

}  // namespace gpuimg::cuda

// Histograms of up to 65536 bins: counts in one set of counters per SM, adds the sets, then builds the look-up table.
// For small 16-bit images, one launch stores the counters of its blocks as bytes, and the next launch adds them.
// Specified in docs/operations.md, "Histogram"; design in docs/performance.md.
#include <algorithm>

#include "count/count_levels.cuh"
#include "count/packed_counters.cuh"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "ops/luma.hpp"
#include "table/level_table.cuh"

namespace gpuimg::cuda {
namespace {

// --- Counting 16-bit pixels in the packed counters, one group per load: images with few levels and with many ---------

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

/// Divides an image into turns: in a turn, each thread of a block counts kAhead groups. The turns go to the blocks
/// round-robin. A block loads the groups of its next turn before it counts the groups of the current turn.
template <class Levels, int kAhead>
struct Stream16 {
  static constexpr int kChannels = Levels::kChannels;
  static constexpr int kPixels = kChannels == 3 ? 8 : 8 / kChannels;
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
    constexpr std::uint64_t kTurn = std::uint64_t{kPackedThreads} * kAhead;
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

// --- Large images and selections -------------------------------------------------------------------------------------

/// Counts a whole 16-bit image. The first turn of a block shows whether the image has few levels. If it has many, the
/// block counts unchecked; if a counter overflows anyway, the block counts again, checked.
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

/// Counts any part of an image, for any kind of level.
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

// --- Small images ----------------------------------------------------------------------------------------------------

/// Counters that the counting blocks write and the adding blocks read.
struct BlockCounters {
  static constexpr unsigned kMaxBlocks = 256;  ///< the sum of this many bytes fits in 16 bits
  uint4* columns;                              ///< block after block, as PackedCounters::store_bytes writes them
  unsigned int* spills;  ///< per level: the counts that did not fit in the bytes; zero between launches

  [[nodiscard]] __device__ uint4* of_block(unsigned block) const {
    return columns + std::size_t{block} * PackedCounters::kColumns;
  }
};

/// Counts one group per lane. All lanes of the warp must call this.
template <class Levels, int kPixels>
__device__ __forceinline__ void count_group(PackedCounters& counters,
                                            const Samples<std::uint16_t, kPixels * Levels::kChannels>& group,
                                            std::uint32_t min_alpha, bool valid) {
  const auto add = [&](std::uint32_t level, std::uint32_t pixels) { counters.add_unchecked(level, pixels); };
  if constexpr (Levels::kChannels == 1) {
    if (count_flat_groups(group, valid, add)) {
      (void)count_each<Levels, kPixels>(counters, group, min_alpha);
    }
  } else {
    count_runs<Levels, kPixels>(group, min_alpha, valid, add);
  }
}

/// Thread → every kPackedThreads-th group of its block's part of the image; loads two groups ahead. Block: 1024
/// threads, one per SM, with too few pixels for a 16-bit counter to overflow. Shared memory: the packed counters.
/// Barriers: the counters are clear; all pixels of the block are counted.
template <class Levels>
__global__ void __launch_bounds__(kPackedThreads, 1)
    count_small_image(Stream16<Levels, 1> stream, std::uint32_t min_alpha, BlockCounters left) {
  constexpr int kPixels = decltype(stream)::kPixels;
  using Group = typename decltype(stream)::Group;
  extern __shared__ uint4 shared[];
  let_next_kernel_start();
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), nullptr);
  // The products fit in 32 bits: at most 65519 · 256 pixels, at least two per group, times 256 blocks.
  const auto groups = static_cast<std::uint32_t>(stream.pixel_count / kPixels);
  const std::uint32_t end = groups * (blockIdx.x + 1) / gridDim.x;
  std::uint32_t i = groups * blockIdx.x / gridDim.x + threadIdx.x;
  const auto load_group = [&](Group& group, std::uint32_t at) {
    if (at < end) {
      load(group, stream.pixels + std::size_t{at} * Group::kBytes);
    }
  };
  Group group;
  Group next;
  load_group(group, i);
  load_group(next, i + kPackedThreads);
  counters.clear();
  __syncthreads();
#pragma unroll 1
  for (; i - threadIdx.x < end; i += kPackedThreads) {
    count_group<Levels, kPixels>(counters, group, min_alpha, i < end);
    group = next;
    load_group(next, i + 2 * kPackedThreads);
  }
  stream.run_rest([&](const auto& pixel) { (void)count_each<Levels, 1>(counters, pixel, min_alpha); });
  __syncthreads();
  counters.store_bytes(left.of_block(blockIdx.x), left.spills);
}

constexpr unsigned kAddedColumns = 32;  ///< columns per adding block

/// Block → 32 columns. Warp → these columns of every 32nd counting block. The first 512 threads → one counter each, in
/// an order of levels that makes stores coalesce. Shared memory: eight rows with one word per column, and two sums per
/// word. Rows 0 to 3 hold the sums of bytes 0 and 2, 4 and 6, … of a column; rows 4 to 7 hold the sums of bytes 1 and
/// 3, 5 and 7, … Barriers: the sums are clear; the sums are complete.
__global__ void __launch_bounds__(kPackedThreads)
    add_counters(BlockCounters left, unsigned blocks, unsigned long long* counts) {
  constexpr std::uint32_t kEven = 0x00FF00FFU;
  __shared__ std::uint32_t sums[8][kAddedColumns];
  if (threadIdx.x < 8 * kAddedColumns) {
    sums[threadIdx.x / kAddedColumns][threadIdx.x % kAddedColumns] = 0;
  }
  __syncthreads();
  wait_for_kernel_before();
  const unsigned byte = threadIdx.x / 128 % 2 * 8 + threadIdx.x % 4 * 2 + threadIdx.x / 256;
  const unsigned its_column = threadIdx.x / 4 % kAddedColumns;
  const bool has_counter = threadIdx.x < 16 * kAddedColumns;
  const std::uint32_t level = PackedCounters::level_of_byte(blockIdx.x * kAddedColumns + its_column, byte);
  const std::uint32_t spilled = has_counter ? __ldcg(left.spills + level) : 0;
  const unsigned column = threadIdx.x % kAddedColumns;
  std::uint32_t even[4] = {};
  std::uint32_t odd[4] = {};
#pragma unroll 4
  for (unsigned block = threadIdx.x / kAddedColumns; block < blocks; block += kPackedThreads / kAddedColumns) {
    const uint4 bytes = __ldcg(left.of_block(block) + blockIdx.x * kAddedColumns + column);
    const std::uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      even[k] += words[k] & kEven;
      odd[k] += words[k] >> 8 & kEven;
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    atomicAdd(&sums[k][column], even[k]);
    atomicAdd(&sums[k + 4][column], odd[k]);
  }
  __syncthreads();
  if (has_counter) {
    const std::uint32_t two = sums[byte / 4 + byte % 2 * 4][its_column];
    counts[level] = (two >> byte % 4 / 2 * 16 & 0xFFFFU) + spilled;
    if (spilled != 0) {
      left.spills[level] = 0;
    }
  }
}

/// The number of blocks that count `pixels` pixels; 0 if a 16-bit counter could overflow.
unsigned counting_blocks(const Workspace& workspace, std::uint64_t pixels) {
  constexpr std::uint64_t kWantedPixels = 14000;    // per block; with fewer, adding costs more than counting saves
  constexpr std::uint64_t kMaxPixels = 65535 - 16;  // leaves room for one more group, and the remainder, in a block
  const auto multiprocessors = static_cast<std::uint64_t>(workspace.device()->multiprocessors());
  const std::uint64_t most = std::min<std::uint64_t>(multiprocessors, BlockCounters::kMaxBlocks);
  const std::uint64_t blocks = std::clamp<std::uint64_t>((pixels + kWantedPixels - 1) / kWantedPixels, 1, most);
  return pixels / blocks <= kMaxPixels ? static_cast<unsigned>(blocks) : 0;
}

template <class Levels>
void launch_small(Workspace& workspace, const CountedPixels& counted, unsigned blocks, unsigned long long* counts) {
  const DeviceMemory columns(workspace.device(), std::size_t{blocks} * kPackedBins);
  DeviceMemory& spills = workspace.zeroed(workspace.level_spills, kPackedBins * sizeof(unsigned int));
  const BlockCounters left{columns.as<uint4>(), spills.as<unsigned int>()};
  allow_shared_bytes(workspace, count_small_image<Levels>, kPackedBytes);
  count_small_image<Levels><<<blocks, kPackedThreads, kPackedBytes, workspace.stream()>>>(
      {counted.pixels, counted.pixel_count()}, counted.min_alpha, left);
  check_launch("counting 16-bit levels");
  launch_after(workspace, add_counters, dim3(PackedCounters::kColumns / kAddedColumns), kPackedThreads, 0,
               "adding counters", left, blocks, counts);
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

bool small_histogram_65536(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                           unsigned long long* counts) {
  const unsigned blocks = counting_blocks(workspace, counted.pixel_count());
  return blocks != 0 && with_levels16(counted, source, [&]<class Levels>() {
           launch_small<Levels>(workspace, counted, blocks, counts);
         });
}

}  // namespace gpuimg::cuda

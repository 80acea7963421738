// Histograms of small 16-bit images: one launch leaves the counters of its blocks as bytes, the next adds them up.
// Specified in docs/operations.md, "Histogram"; design in docs/performance.md.
#include <algorithm>

#include "count/stream_16bit.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"

namespace gpuimg::cuda {
namespace {

/// What the blocks that count leave for those that add.
struct BlockCounters {
  static constexpr unsigned kMaxBlocks = 256;  ///< the sum of so many bytes fits 16 bits
  uint4* columns;        ///< of one block after another, as PackedCounters::store_bytes writes them
  unsigned int* spills;  ///< of each level: what did not fit the bytes; zero between launches

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

/// Thread → every kPackedThreads-th group of its block's part of the image, two loaded ahead. Block: 1024 threads, one
/// per SM; so few pixels that no counter of 16 bits overflows. Shared memory: the packed counters. Barriers: the
/// counters are clear; all pixels of the block are counted.
template <class Levels>
__global__ void __launch_bounds__(kPackedThreads, 1)
    count_small_image(Stream16<Levels, 1> stream, std::uint32_t min_alpha, BlockCounters left) {
  constexpr int kPixels = decltype(stream)::kPixels;
  using Group = typename decltype(stream)::Group;
  extern __shared__ uint4 shared[];
  let_next_kernel_start();
  PackedCounters counters(reinterpret_cast<std::byte*>(shared), nullptr);
  // 32 bits hold the products: at most 65519 · 256 pixels, two or more a group, times 256 blocks.
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

constexpr unsigned kAddedColumns = 32;  ///< by a block

/// Block → 32 columns; warp → those of every 32nd counting block; the first 512 threads → a counter, in the order of
/// the levels that makes stores coalesce. Shared memory: two sums a word, eight rows of a word for each column: the
/// bytes 0 and 2, 4 and 6, … of a column, then 1 and 3, … Barriers: the sums are clear, then complete.
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

/// How many blocks count so many pixels; 0 if these are too many for counters of 16 bits.
unsigned counting_blocks(const Workspace& workspace, std::uint64_t pixels) {
  constexpr std::uint64_t kWantedPixels = 14000;    // a block: with fewer, adding takes longer than counting saves
  constexpr std::uint64_t kMaxPixels = 65535 - 16;  // a block has at most a group and a rest more than others
  const auto multiprocessors = static_cast<std::uint64_t>(workspace.device()->multiprocessors());
  const std::uint64_t most = std::min<std::uint64_t>(multiprocessors, BlockCounters::kMaxBlocks);
  const std::uint64_t blocks = std::clamp<std::uint64_t>((pixels + kWantedPixels - 1) / kWantedPixels, 1, most);
  return pixels / blocks <= kMaxPixels ? static_cast<unsigned>(blocks) : 0;
}

template <class Levels>
void launch(Workspace& workspace, const CountedPixels& counted, unsigned blocks, unsigned long long* counts) {
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

bool small_histogram_65536(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                           unsigned long long* counts) {
  const unsigned blocks = counting_blocks(workspace, counted.pixel_count());
  return blocks != 0 &&
         with_levels16(counted, source, [&]<class Levels>() { launch<Levels>(workspace, counted, blocks, counts); });
}

}  // namespace gpuimg::cuda

// Pixels in, pixels out: one kernel that reads and writes 16 bytes at a time whatever the formats, around the operation
// on one group of pixels. Used by equalize, hsl and the extraction of a plane.
#pragma once

#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "device/samples.cuh"

namespace gpuimg::cuda {

/// Pixels that one thread takes at once: 16 bytes of the larger format, 48 where that has three channels.
template <class In, int kInChannels, class Out, int kOutChannels>
inline constexpr int kGroupPixels = [] {
  constexpr int kIn = kInChannels * static_cast<int>(sizeof(In));
  constexpr int kOut = kOutChannels * static_cast<int>(sizeof(Out));
  constexpr int kLarger = kIn > kOut ? kIn : kOut;
  return (kLarger % 3 == 0 ? 48 : 16) / kLarger;
}();

/// An operation on pixels. Derive from it and add
///   __device__ void prepare(std::byte* shared)           once a block, before a barrier; kSharedBytes, 16-aligned
///   template <int n> __device__ void map(in, out, first)  n pixels; `first` is the index of the first one
template <class InSample, int in_channels, class OutSample, int out_channels, int threads, int blocks_per_sm>
struct PixelOperation {
  using In = InSample;
  using Out = OutSample;
  static constexpr int kInChannels = in_channels;
  static constexpr int kOutChannels = out_channels;
  static constexpr int kThreads = threads;
  static constexpr int kBlocksPerSm = blocks_per_sm;
  static constexpr std::size_t kSharedBytes = 0;
  static constexpr int kPixels = kGroupPixels<In, kInChannels, Out, kOutChannels>;
  static constexpr int kAhead = 1;  ///< groups that a thread loads before it maps the first of them
  /// Turns of a block, which then ends: blocks in order of address stream faster than blocks that stay. 0 = they stay,
  /// for operations whose prepare() takes long.
  static constexpr int kTurns = 1;
  /// What prepare() reads is written by the kernel launched just before, the pixels are not: where the device can, the
  /// launch overlaps that kernel's last blocks, and prepare() waits for its end.
  static constexpr bool kFollowsCounting = false;
  template <int n>
  using InPixels = Samples<In, n * kInChannels>;
  template <int n>
  using OutPixels = Samples<Out, n * kOutChannels>;

  __device__ void prepare(std::byte*) {}
};

/// Groups whose bytes a warp cannot store in full 16-byte words go through shared memory first.
template <class Operation>
inline constexpr bool kIsStaged = [] {
  constexpr int kBytes = Operation::template OutPixels<Operation::kPixels>::kBytes;
  return kBytes > 16 || (kBytes & (kBytes - 1)) != 0;
}();

template <class Operation>
inline constexpr std::size_t kWarpStagingBytes =
    kIsStaged<Operation> ? 32 * std::size_t{Operation::template OutPixels<Operation::kPixels>::kBytes} : 0;

template <class Operation>
inline constexpr std::size_t kMapSharedBytes =
    Operation::kSharedBytes + Operation::kThreads / 32 * kWarpStagingBytes<Operation>;

/// Writes the groups of a full warp: each lane its own, or, staged, lane by lane in order of address. The barriers of
/// the warp: the groups are in shared memory before other lanes read them, and read before the next turn overwrites
/// them.
template <class Operation, class Group>
__device__ __forceinline__ void store_group(const Group& group, std::byte* warp_out, std::byte* staging) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (!kIsStaged<Operation>) {
    store(group, warp_out + std::size_t{lane} * Group::kBytes);
  } else {
    store<false>(group, staging + lane * Group::kBytes);
    __syncwarp();
    constexpr unsigned kVectors = kWarpStagingBytes<Operation> / sizeof(uint4);
#pragma unroll
    for (unsigned i = lane; i < kVectors; i += 32) {
      __stcs(reinterpret_cast<uint4*>(warp_out) + i, reinterpret_cast<const uint4*>(staging)[i]);
    }
    __syncwarp();
  }
}

/// Thread → a group of kPixels pixels, warp → 32 consecutive groups, kAhead times in one turn; warps take turns, from
/// the end of the image to its beginning: what a counting kernel has read last is still in the cache. The pixels after
/// the last full turn are mapped one by one by the last block. Shared: what the operation asks for, then the staging of
/// each warp. The barrier: what prepare() wrote is there.
template <class Operation>
__global__ void __launch_bounds__(Operation::kThreads, resident_blocks(Operation::kThreads, Operation::kBlocksPerSm))
    map_pixels(const std::byte* in, std::byte* out, std::uint64_t pixel_count, unsigned turns_per_block,
               Operation operation) {
  constexpr int kPixels = Operation::kPixels;
  constexpr int kAhead = Operation::kAhead;
  using InGroup = typename Operation::template InPixels<kPixels>;
  using OutGroup = typename Operation::template OutPixels<kPixels>;
  extern __shared__ uint4 shared[];
  auto* memory = reinterpret_cast<std::byte*>(shared);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  constexpr std::uint64_t kWarps = Operation::kThreads / 32;
  std::byte* staging = memory + Operation::kSharedBytes + warp * kWarpStagingBytes<Operation>;
  const std::uint64_t turns = pixel_count / (32 * kPixels * kAhead);
  const bool stays = turns_per_block == 0;
  const std::uint64_t block_turn = blockIdx.x * kWarps * (stays ? 1 : turns_per_block);
  const std::uint64_t end = stays ? turns : min(turns, block_turn + turns_per_block * kWarps);
  const std::uint64_t step = stays ? gridDim.x * kWarps : kWarps;
  std::uint64_t turn = block_turn + warp;
  InGroup groups[kAhead];
  const auto load_turn = [&] {
#pragma unroll
    for (int k = 0; k < kAhead && turn < end; ++k) {
      load<true>(groups[k], in + ((turns - 1 - turn) * (32 * kAhead) + k * 32 + lane) * InGroup::kBytes);
    }
  };
  if constexpr (Operation::kTurns != 0) {
    load_turn();  // on its way while a block prepares that does not live long
  }
  if constexpr (Operation::kFollowsCounting) {
    wait_for_kernel_before();
  }
  operation.prepare(memory);
  if constexpr (Operation::kSharedBytes != 0) {
    __syncthreads();
  }
  if constexpr (Operation::kTurns == 0) {
    load_turn();
  }
  for (; turn < end; load_turn()) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::uint64_t first = (turns - 1 - turn) * (32 * kAhead) + k * 32;
      OutGroup result;
      operation.template map<kPixels>(groups[k], result, (first + lane) * kPixels);
      store_group<Operation>(result, out + first * OutGroup::kBytes, staging);
    }
    turn += step;
  }
  if (blockIdx.x == gridDim.x - 1) {
    for (std::uint64_t p = turns * 32 * kPixels * kAhead + threadIdx.x; p < pixel_count; p += Operation::kThreads) {
      typename Operation::template OutPixels<1> pixel;
      operation.template map<1>(
          load_pixel<typename Operation::In, Operation::kInChannels>(in + p * (InGroup::kBytes / kPixels)), pixel, p);
      store_pixel(pixel, out + p * (OutGroup::kBytes / kPixels));
    }
  }
}

template <class Operation>
void launch_map(Workspace& workspace, const std::byte* in, std::byte* out, std::uint64_t pixel_count,
                const Operation& operation, const char* doing) {
  constexpr std::size_t kBytes = kMapSharedBytes<Operation>;
  constexpr std::uint64_t kPixelsPerBlock = std::uint64_t{Operation::kThreads} * Operation::kPixels * Operation::kAhead;
  const auto room = static_cast<unsigned>(workspace.device()->multiprocessors() * Operation::kBlocksPerSm);
  auto blocks = static_cast<unsigned>((pixel_count + kPixelsPerBlock - 1) / kPixelsPerBlock);
  unsigned turns = 0;
  if (Operation::kTurns != 0 && blocks > room) {
    turns = std::min<unsigned>(Operation::kTurns, (blocks + room - 1) / room);
    blocks = (blocks + turns - 1) / turns;
  } else {
    blocks = std::clamp(blocks, 1U, room);
  }
  allow_shared_bytes(workspace, map_pixels<Operation>, kBytes);
  if (Operation::kFollowsCounting && can_overlap(map_pixels<Operation>)) {
    launch_overlapping(workspace, map_pixels<Operation>, blocks, Operation::kThreads, kBytes, doing, in, out,
                       pixel_count, turns, operation);
    return;
  }
  map_pixels<Operation>
      <<<blocks, Operation::kThreads, kBytes, workspace.stream()>>>(in, out, pixel_count, turns, operation);
  check_launch(doing);
}

}  // namespace gpuimg::cuda

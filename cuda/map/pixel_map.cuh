// A kernel that maps pixels to pixels. It reads and writes 16 bytes at a time for every format; the operation sees one
// group of pixels. Used by equalize, hsl, threshold, integral and clahe. Also declares two maps that other files
// define.
#pragma once

#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "device/levels.cuh"
#include "gpuimg/ops/clahe.hpp"

namespace gpuimg::cuda {

/// Number of pixels in a group: 16 bytes of the larger of the two formats, or 48 bytes if that format has three
/// channels.
template <class In, int kInChannels, class Out, int kOutChannels>
inline constexpr int kGroupPixels = [] {
  constexpr int kIn = kInChannels * static_cast<int>(sizeof(In));
  constexpr int kOut = kOutChannels * static_cast<int>(sizeof(Out));
  constexpr int kLarger = kIn > kOut ? kIn : kOut;
  return (kLarger % 3 == 0 ? 48 : 16) / kLarger;
}();

/// Base of an operation on pixels. Derived classes add `template <int n> __device__ void map(in, out, first)`, which
/// maps the n pixels from index `first` on. They may also define prepare(), kSharedBytes and the constants below.
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
  static constexpr int kAhead = 1;  ///< groups that a thread loads before it maps the first
  /// Number of turns that a block takes before it ends. Short-lived blocks, which start in order of address, stream
  /// faster than persistent blocks. 0 = persistent blocks, for operations with an expensive prepare().
  static constexpr int kTurns = 1;
  /// True if prepare() reads results of the previous kernel, while the pixels do not depend on that kernel. On devices
  /// that support it, the launch then overlaps the last blocks of that kernel, and prepare() runs after it ends.
  static constexpr bool kFollowsCounting = false;
  template <int n>
  using InPixels = Samples<In, n * kInChannels>;
  template <int n>
  using OutPixels = Samples<Out, n * kOutChannels>;

  /// Called once per block, before a barrier, with kSharedBytes of shared memory aligned to 16 bytes.
  __device__ void prepare(std::byte*) {}
};

/// True if a warp cannot store its groups in full 16-byte words directly. They then pass through shared memory.
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

/// Stores the groups of a full warp. Unstaged, each lane stores its own group. Staged, the lanes store consecutive
/// words. First warp barrier: the groups are in shared memory before other lanes read them. Second: they are read
/// before the next turn overwrites them.
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

/// Thread → a group of kPixels pixels; warp → 32 consecutive groups, kAhead times per turn. The turns run from the end
/// of the image to its start, because the pixels that a counting kernel read last are still cached. The last block maps
/// the pixels after the last full turn one by one. Block: Operation::kThreads. Shared memory: kSharedBytes of the
/// operation, followed by the staging area of each warp. Barrier: everything that prepare() wrote is visible.
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
    load_turn();  // overlaps the loads with prepare(): short-lived blocks have no other chance
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

/// The levels of a picture as a one-channel picture of the same sample type, for the summed-area table of a color
/// image. Defined in integral.cu.
Picture level_plane(Workspace& workspace, const Picture& picture, const LevelSource& source);

/// How CLAHE maps the pixels between the tables of its tiles. Pointers are to device memory.
struct TileMapRequest {
  TileGrid grid;
  int first_row = 0;
  const std::uint16_t* maps = nullptr;  ///< as ClaheTables::maps
  EqualizeColor color = EqualizeColor::luma;
  Luma luma = kDefaultLuma;
  double strength = 1.0;
  const std::uint8_t* mask = nullptr;  ///< pixels with mask value 0 stay unchanged
};

/// Specified in docs/operations.md, "CLAHE". Defined in map_between_tiles.cu.
void map_between_tiles(Workspace& workspace, const Picture& from, const Picture& to, const TileMapRequest& request);

}  // namespace gpuimg::cuda

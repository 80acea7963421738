// Pixels in, pixels out: one kernel that reads and writes 16 bytes at a time whatever the formats, around the operation
// on one group of pixels. Used by equalize, hsl and the extraction of a plane.
#pragma once

#include "cuda_check.hpp"
#include "launch.cuh"
#include "samples.cuh"

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
    store(group, staging + lane * Group::kBytes);
    __syncwarp();
    constexpr unsigned kVectors = kWarpStagingBytes<Operation> / sizeof(uint4);
#pragma unroll
    for (unsigned i = lane; i < kVectors; i += 32) {
      reinterpret_cast<uint4*>(warp_out)[i] = reinterpret_cast<const uint4*>(staging)[i];
    }
    __syncwarp();
  }
}

/// Thread → a group of kPixels pixels, warp → 32 consecutive groups, warps take turns. The pixels after the last full
/// warp are mapped one by one by the last block. Shared: what the operation asks for, then the staging of each warp.
/// The barrier: what prepare() wrote is there.
template <class Operation>
__global__ void __launch_bounds__(Operation::kThreads, resident_blocks(Operation::kThreads, Operation::kBlocksPerSm))
    map_pixels(const std::byte* in, std::byte* out, std::uint64_t pixel_count, Operation operation) {
  constexpr int kPixels = Operation::kPixels;
  using InGroup = typename Operation::template InPixels<kPixels>;
  using OutGroup = typename Operation::template OutPixels<kPixels>;
  extern __shared__ uint4 shared[];
  auto* memory = reinterpret_cast<std::byte*>(shared);
  operation.prepare(memory);
  if constexpr (Operation::kSharedBytes != 0) {
    __syncthreads();
  }
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  constexpr std::uint64_t kWarps = Operation::kThreads / 32;
  std::byte* staging = memory + Operation::kSharedBytes + warp * kWarpStagingBytes<Operation>;
  const std::uint64_t turns = pixel_count / (32 * kPixels);
  for (std::uint64_t turn = blockIdx.x * kWarps + warp; turn < turns; turn += gridDim.x * kWarps) {
    const std::uint64_t first_group = turn * 32;
    InGroup group;
    load(group, in + (first_group + lane) * InGroup::kBytes);
    OutGroup result;
    operation.template map<kPixels>(group, result, (first_group + lane) * kPixels);
    store_group<Operation>(result, out + first_group * OutGroup::kBytes, staging);
  }
  if (blockIdx.x == gridDim.x - 1) {
    for (std::uint64_t p = turns * 32 * kPixels + threadIdx.x; p < pixel_count; p += Operation::kThreads) {
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
  const unsigned blocks = block_count(workspace, pixel_count, std::uint64_t{Operation::kThreads} * Operation::kPixels,
                                      Operation::kBlocksPerSm);
  allow_shared_bytes(map_pixels<Operation>, kBytes);
  map_pixels<Operation><<<blocks, Operation::kThreads, kBytes, workspace.stream()>>>(in, out, pixel_count, operation);
  check_launch(doing);
}

}  // namespace gpuimg::cuda

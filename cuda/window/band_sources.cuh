// What window/sum_bands.cuh reads beside the image, made before: the levels of blocks at the border, and sums of rows.
#pragma once

#include <cstdint>

#include "window/band_job.cuh"

namespace gpuimg::cuda {

/// Sixteen levels from anywhere.
__device__ __forceinline__ uint4 load_unaligned(const std::uint8_t* from) {
  const auto misplaced = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from - misplaced);
  std::uint32_t word[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    word[i] = __ldg(words + i);
  }
  const std::uint32_t shift = 8 * misplaced;
  return make_uint4(__funnelshift_r(word[0], word[1], shift), __funnelshift_r(word[1], word[2], shift),
                    __funnelshift_r(word[2], word[3], shift), __funnelshift_r(word[3], word[4], shift));
}

/// Sixteen levels of a row from `column` on, which may lie outside the image.
inline __device__ __noinline__ uint4 border_levels(const std::uint8_t* line, int width, Border border, int column) {
  constexpr std::uint32_t kReversed = 0x0123;
  if (column >= 0 && column + 16 <= width) {
    return load_unaligned(line + column);
  }
  const int mirrored = (column < 0 ? -column : 2 * (width - 1) - column) - 15;
  if (border == Border::reflect101 && (column <= -16 || column >= width) && mirrored >= 0 && mirrored + 16 <= width) {
    const uint4 levels = load_unaligned(line + mirrored);
    return make_uint4(__byte_perm(levels.w, 0, kReversed), __byte_perm(levels.z, 0, kReversed),
                      __byte_perm(levels.y, 0, kReversed), __byte_perm(levels.x, 0, kReversed));
  }
  std::uint32_t word[4] = {};
#pragma unroll
  for (int w = 0; w < 4; ++w) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      const int source = source_position(column + 4 * w + i, width, border);
      word[w] |= (source < 0 ? 0U : std::uint32_t{__ldg(line + source)}) << (8 * i);
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/// Copies what blocks read whose columns are not all inside the image, or not aligned. Warp → a row; lane → 16 levels.
template <int kSteps>
__global__ void __launch_bounds__(kBandThreads) copy_borders(BandJob job) {
  using Tile = BandTile<kSteps>;
  const int copy = static_cast<int>(blockIdx.y);
  const int block = copy < job.left_copies ? copy : copy - job.left_copies + job.first_right_copy;
  for (int row = static_cast<int>(blockIdx.x * kBandWarps + threadIdx.x / 32); row < job.height;
       row += static_cast<int>(gridDim.x) * kBandWarps) {
    const std::uint8_t* line = job.levels + static_cast<std::size_t>(row) * job.width;
    std::uint8_t* to = job.copies + (static_cast<std::size_t>(copy) * job.height + row) * Tile::kColumns;
    for (int at = static_cast<int>(threadIdx.x % 32) * 16; at < Tile::kColumns; at += 32 * 16) {
      const int part = at / Tile::kPartColumns;
      const int column = block * kBandBlockColumns - job.layout.margin + at - part * Tile::kPartColumns +
                         step_offset(job.layout, 2 * part);
      *reinterpret_cast<uint4*>(to + at) =
          column < job.width + job.layout.radius ? border_levels(line, job.width, job.border, column) : uint4{};
    }
  }
}

/// Sums of each row's first blocks of kBandDepth levels, from job.layout.margin columns before the image on. Warp → a
/// row; lane → a block of each 32.
static __global__ void __launch_bounds__(kBandThreads) sum_blocks(BandJob job) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int rows_of_grid = static_cast<int>(gridDim.x) * kBandWarps;
  for (int row = static_cast<int>(blockIdx.x) * kBandWarps + static_cast<int>(threadIdx.x / 32); row < job.height;
       row += rows_of_grid) {
    const std::uint8_t* line = job.levels + static_cast<std::size_t>(row) * job.width;
    std::uint32_t* to = job.prefixes + static_cast<std::size_t>(row) * (job.blocks + 1);
    std::uint32_t through = 0;
    if (lane == 0) {
      to[0] = 0;
    }
#pragma unroll 4
    for (int first = 0; first < job.blocks; first += 32) {
      const int column = (first + lane) * kBandDepth - job.layout.margin;
      const bool is_inside = column >= 0 && column + kBandDepth <= job.width && job.width % 16 == 0;
      std::uint32_t sum = 0;
#pragma unroll
      for (int i = 0; i < kBandDepth; i += 16) {
        const uint4 levels = is_inside ? __ldg(reinterpret_cast<const uint4*>(line + column + i))
                             : column + i < job.width + job.layout.radius
                                 ? border_levels(line, job.width, job.border, column + i)
                                 : uint4{};
        for (const std::uint32_t word : {levels.x, levels.y, levels.z, levels.w}) {
          sum = __dp4a(word, 0x01010101U, sum);
        }
      }
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t before = __shfl_up_sync(kAll, sum, distance);
        sum += lane >= distance ? before : 0;
      }
      if (first + lane < job.blocks) {
        to[first + lane + 1] = through + sum;
      }
      through += __shfl_sync(kAll, sum, 31);
    }
  }
}

}  // namespace gpuimg::cuda

// The levels that blocks of window/sum_bands.cuh read at the border of the image, copied before.
#pragma once

#include <cstdint>

#include "ops/window.hpp"
#include "window/band_job.cuh"
#include "window/unaligned_levels.cuh"

namespace gpuimg::cuda {

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

/// Copies what blocks read whose columns are not all inside the image, or not aligned. blockIdx.y → copy; warp → rows;
/// lane → 16 levels.
static __global__ void __launch_bounds__(kBandThreads) copy_borders(const __grid_constant__ BandJob job) {
  static_assert(BandTile::kColumns <= 32 * 16, "a warp copies a row at once");
  const int copy = static_cast<int>(blockIdx.y);
  const int strip = copy < job.left_copies ? copy : copy - job.left_copies + job.first_right_copy;
  const int at = static_cast<int>(threadIdx.x % 32) * 16;
  const int column = strip * kBandBlockColumns - job.layout.margin + at;
  if (at >= BandTile::kColumns) {
    return;
  }
  for (int row = static_cast<int>(blockIdx.x * kBandWarps + threadIdx.x / 32); row < job.height;
       row += static_cast<int>(gridDim.x) * kBandWarps) {
    const std::uint8_t* line = job.levels + static_cast<std::size_t>(row) * job.width;
    std::uint8_t* to = job.copies + (static_cast<std::size_t>(copy) * job.height + row) * BandTile::kColumns;
    *reinterpret_cast<uint4*>(to + at) =
        column < job.width + job.layout.radius ? border_levels(line, job.width, job.border, column) : uint4{};
  }
}

}  // namespace gpuimg::cuda

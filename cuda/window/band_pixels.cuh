// How window/sum_bands.cuh writes pixels, eight at a time.
#pragma once

#include <cstdint>

#include "ops/window.hpp"
#include "window/band_job.cuh"

namespace gpuimg::cuda {

/// Eight results, of which each word's low byte counts.
__device__ __forceinline__ uint2 packed_bytes(const std::uint32_t (&words)[8]) {
  constexpr std::uint32_t kLowest = 0x0040;
  constexpr std::uint32_t kPairs = 0x5410;
  return make_uint2(
      __byte_perm(__byte_perm(words[0], words[1], kLowest), __byte_perm(words[2], words[3], kLowest), kPairs),
      __byte_perm(__byte_perm(words[4], words[5], kLowest), __byte_perm(words[6], words[7], kLowest), kPairs));
}

/// 255 for each of eight words that is negative, else 0.
__device__ __forceinline__ uint2 packed_signs(const std::uint32_t (&words)[8]) {
  constexpr std::uint32_t kPairs = 0x5410;
  const auto signs = [](std::uint32_t first, std::uint32_t second) {
    std::uint32_t pair = 0;
    asm("prmt.b32 %0, %1, %2, 0x00FB;" : "=r"(pair) : "r"(first), "r"(second));  // 8 more: the byte's sign
    return pair;
  };
  return make_uint2(__byte_perm(signs(words[0], words[1]), signs(words[2], words[3]), kPairs),
                    __byte_perm(signs(words[4], words[5]), signs(words[6], words[7]), kPairs));
}

/// One of eight bytes.
__device__ __forceinline__ std::uint32_t byte_of(uint2 eight, int i) {
  return __byte_perm(i < 4 ? eight.x : eight.y, 0, 0x4440 + i % 4);
}

/// How many pixels count in the windows of eight adjacent pixels.
struct WindowCounts {
  uint2 columns;  ///< a byte each
  std::uint32_t rows;

  [[nodiscard]] __device__ std::uint32_t pixels(int i) const { return rows * byte_of(columns, i); }
};

/// The columns that count in the windows of eight pixels from `column` on; any number for those outside the image.
__device__ __forceinline__ uint2 counted_columns(const BandJob& job, int column) {
  const int radius = job.layout.radius;
  const bool is_cut = job.border == Border::cut;
  const int least = is_cut ? 0 : column - radius;
  const int most = is_cut ? job.width - 1 : column + 7 + radius;
  std::uint32_t counts[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    counts[i] = static_cast<std::uint32_t>(min(column + i + radius, most) - max(column + i - radius, least) + 1);
  }
  return packed_bytes(counts);
}

/// Writes eight pixels one by one, of which some may be outside the image.
template <class Operation>
__device__ __noinline__ void write_separate_pixels(const BandJob& job, const Operation& operation, int column, int row,
                                                   uint2 columns, uint4 first_sums, uint4 last_sums) {
  const std::uint32_t sums[8] = {first_sums.x, first_sums.y, first_sums.z, first_sums.w,
                                 last_sums.x,  last_sums.y,  last_sums.z,  last_sums.w};
  const WindowCounts counts{columns, counted_positions(row, job.layout.radius, job.height, job.border)};
  const std::size_t at = job.place(column, row);
  uint2 levels{};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t level = column + i < job.width ? __ldg(job.levels + at + i) : 0U;
    (i < 4 ? levels.x : levels.y) |= level << (i % 4 * 8);
  }
  const uint2 results = operation.cut(sums, counts, levels);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < job.width) {
      job.out[at + i] = static_cast<std::uint8_t>((i < 4 ? results.x : results.y) >> (i % 4 * 8));
    }
  }
}

/// Writes eight pixels whose windows may be cut by the border. `levels` count if the width is a multiple of 8.
template <class Operation>
__device__ __forceinline__ void write_border_pixels(const BandJob& job, const Operation& operation, int column, int row,
                                                    uint2 columns, const std::uint32_t (&sums)[8], uint2 levels) {
  if (job.width % 8 != 0) {
    write_separate_pixels(job, operation, column, row, columns, make_uint4(sums[0], sums[1], sums[2], sums[3]),
                          make_uint4(sums[4], sums[5], sums[6], sums[7]));
    return;
  }
  const WindowCounts counts{columns, counted_positions(row, job.layout.radius, job.height, job.border)};
  __stcs(reinterpret_cast<uint2*>(job.out + job.place(column, row)), operation.cut(sums, counts, levels));
}

}  // namespace gpuimg::cuda

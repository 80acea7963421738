// Sums of windows up to 255 pixels wide over 8-bit levels, without a table: sums of columns slide down a strip, and
// differences of their prefix sums are the windows. Reads each pixel about twice, once from the cache. Used by
// window.cu and threshold.cu for images of one channel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "gpuimg/ops/window.hpp"
#include "gpuimg/ops/window_strip.hpp"

namespace gpuimg::cuda {

struct StripJob {
  const std::uint8_t* levels = nullptr;
  std::uint8_t* out = nullptr;
  int width = 0;
  int height = 0;
  int radius = 0;
  Border border = Border::reflect101;
  int rows = 0;  ///< of a block
};

/// Adds to the sums, or subtracts from them, the levels of a thread's columns in one row; `row` −1 has none. Columns
/// that no window in the image reaches count nothing.
template <bool kAdds>
__device__ __forceinline__ void slide_run(const StripJob& job, int row, int column, bool is_word,
                                          std::uint32_t (&sums)[kStripRun]) {
  if (row < 0 || column >= job.width + strip_margin(job.radius)) {
    return;
  }
  const auto slide = [&](int i, std::uint32_t level) { sums[i] = kAdds ? sums[i] + level : sums[i] - level; };
  const std::uint8_t* from = job.levels + static_cast<std::size_t>(row) * job.width;
  if (is_word) {
    const uint2 words = __ldg(reinterpret_cast<const uint2*>(from + column));
#pragma unroll
    for (int i = 0; i < kStripRun; ++i) {
      slide(i, (i < 4 ? words.x : words.y) >> (8 * (i % 4)) & 255U);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kStripRun; ++i) {
    const int source = source_position(column + i, job.width, job.border);
    if (source >= 0) {
      slide(i, __ldg(from + source));
    }
  }
}

/// Makes a pixel of the sum of each window: operation(level, sum, n, below). Block → a strip of strip_columns() columns
/// and job.rows rows; thread → a run of kStripRun columns of sums, and of results while there are any. Shared memory:
/// the sums of the warps, and the prefix sums at their strip_place(). First barrier of a row: the sums of all warps are
/// written. Second: the prefix sums are. The next row writes sums of warps that all threads have read before the second
/// barrier, and prefix sums that they have read before the next first one.
template <class Operation>
__global__ void __launch_bounds__(kStripThreads, resident_blocks(kStripThreads, 4))
    sum_strips(StripJob job, Operation operation) {
  constexpr int kWarps = kStripThreads / 32;
  constexpr unsigned kAll = 0xFFFFFFFFU;
  __shared__ std::uint32_t warp_sums[kWarps];
  __shared__ std::uint32_t prefix[kStripRun][kStripThreads + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int margin = strip_margin(job.radius);
  const int columns = strip_columns(job.radius);
  const int first = static_cast<int>(blockIdx.x) * columns;  // of the results
  const int column = first - margin + thread * kStripRun;
  const bool has_words = job.width % kStripRun == 0;  // then every row starts at a word
  const bool is_word = has_words && column >= 0 && column + kStripRun <= job.width;
  const int top = static_cast<int>(blockIdx.y) * job.rows;
  const int end = min(job.height, top + job.rows);
  const int out_column = first + thread * kStripRun;
  const bool has_results = thread * kStripRun < columns && out_column < job.width;
  const auto size = static_cast<std::uint32_t>(2 * job.radius + 1);
  std::uint32_t sums[kStripRun] = {};
  for (int y = top - job.radius; y < top + job.radius; ++y) {
    slide_run<true>(job, source_position(y, job.height, job.border), column, is_word, sums);
  }
  if (thread == 0) {
    prefix[0][0] = 0;
  }
  for (int y = top; y < end; ++y) {
    slide_run<true>(job, source_position(y + job.radius, job.height, job.border), column, is_word, sums);
    std::uint32_t run[kStripRun];
    std::uint32_t total = 0;
#pragma unroll
    for (int i = 0; i < kStripRun; ++i) {
      total += sums[i];
      run[i] = total;
    }
    std::uint32_t through = total;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t before = __shfl_up_sync(kAll, through, distance);
      through += lane >= distance ? before : 0;
    }
    if (lane == 31) {
      warp_sums[warp] = through;
    }
    __syncthreads();
    std::uint32_t base = through - total;
#pragma unroll
    for (int w = 0; w < kWarps - 1; ++w) {
      base += w < warp ? warp_sums[w] : 0;
    }
#pragma unroll
    for (int i = 0; i < kStripRun; ++i) {
      const StripPlace place = strip_place(i + 1);
      prefix[place.row][thread + place.at] = base + run[i];
    }
    __syncthreads();
    if (has_results) {
      const std::uint32_t n_down = counted_positions(y, job.radius, job.height, job.border);
      const float below = below_inverse(size * n_down);
      const std::size_t at = static_cast<std::size_t>(y) * job.width + static_cast<std::size_t>(out_column);
      std::uint32_t results[2] = {};
#pragma unroll
      for (int i = 0; i < kStripRun; ++i) {
        const StripPlace right = strip_place(margin + i + job.radius + 1);  // of thread 0
        const StripPlace left = strip_place(margin + i - job.radius);
        const std::uint32_t sum = prefix[right.row][thread + right.at] - prefix[left.row][thread + left.at];
        if (out_column + i < job.width) {
          const std::uint32_t n_across = counted_positions(out_column + i, job.radius, job.width, job.border);
          const std::uint32_t n = n_across * n_down;
          const float own_below = n_across == size ? below : below_inverse(n);
          results[i / 4] |= operation(job.levels + at + i, sum, n, own_below) << (8 * (i % 4));
        }
      }
      if (has_words) {
        __stcs(reinterpret_cast<uint2*>(job.out + at), make_uint2(results[0], results[1]));
      } else {
#pragma unroll
        for (int i = 0; i < kStripRun; ++i) {
          if (out_column + i < job.width) {
            job.out[at + i] = static_cast<std::uint8_t>(results[i / 4] >> (8 * (i % 4)));
          }
        }
      }
    }
    slide_run<false>(job, source_position(y - job.radius, job.height, job.border), column, is_word, sums);
  }
}

inline bool can_sum_strips(const Picture& picture, int size) {
  return picture.format() == PixelFormat{Sample::u8, 1} && size <= kMaxStripWindow;
}

/// `picture` has one channel of 8 bits, as the result.
template <class Operation>
void launch_strips(Workspace& workspace, const Picture& picture, const Picture& result, int radius, Border border,
                   const Operation& operation, const char* doing) {
  constexpr int kBlocksPerSm = 8;
  StripJob job;
  job.levels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
  job.out = reinterpret_cast<std::uint8_t*>(pixels_of(result));
  job.width = picture.width();
  job.height = picture.height();
  job.radius = radius;
  job.border = border;
  const int strips = (job.width - 1) / strip_columns(radius) + 1;
  const int wanted = std::max(1, workspace.device()->multiprocessors() * kBlocksPerSm / strips);
  const int least = std::max(2 * radius + 1, (job.height - 1) / 65535 + 1);  // the grid has at most 65535 rows
  job.rows = std::max((job.height - 1) / wanted + 1, least);
  const dim3 blocks(static_cast<unsigned>(strips), static_cast<unsigned>((job.height - 1) / job.rows + 1));
  sum_strips<<<blocks, kStripThreads, 0, workspace.stream()>>>(job, operation);
  check_launch(doing);
}

}  // namespace gpuimg::cuda

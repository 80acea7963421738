// The sums of all columns above the marks of window/slide_rows.cuh.
#pragma once

#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "window/slides.hpp"
#include "window/unaligned_levels.cuh"

namespace gpuimg::cuda {

/// What the kernels here and in slide_rows.cuh share.
struct SlideJob {
  const std::uint8_t* levels = nullptr;
  std::uint8_t* out = nullptr;
  int width = 0;
  int height = 0;
  int radius = 0;  ///< smaller than width and height
  RowParts parts;
  RowMarks marks;
  std::uint32_t* sums = nullptr;  ///< of the columns above each mark
  int pitch = 0;                  ///< from a mark's sums to the next ones; a multiple of 16

  [[nodiscard]] __device__ const std::uint8_t* line(int row) const {
    return levels + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  }
  [[nodiscard]] __device__ std::uint32_t* sums_above(int mark) const {
    return sums + static_cast<std::size_t>(mark) * static_cast<std::size_t>(pitch);
  }
};

/// Sixteen levels of a line from `column` on, a multiple of 16; zeros beyond its end.
__device__ __forceinline__ uint4 load_row_levels(const std::uint8_t* line, int column, int width) {
  if (column >= width) {
    return uint4{};
  }
  if (width % 16 == 0) {
    return __ldg(reinterpret_cast<const uint4*>(line + column));
  }
  return load_unaligned(line + column, width - column);
}

inline constexpr int kMarkThreads = 256;
inline constexpr int kMaxMarkRows = 256;  ///< whose sums fit 16 bits

/// For each mark, the sums of the columns from the mark before it on. blockIdx.y → mark; thread → 16 columns.
static __global__ void __launch_bounds__(kMarkThreads) sum_to_marks(const __grid_constant__ SlideJob job) {
  constexpr std::uint32_t kEvenBytes = 0x00FF00FF;
  const int column = 16 * static_cast<int>(blockIdx.x * kMarkThreads + threadIdx.x);
  if (column >= job.pitch) {
    return;
  }
  const int mark = static_cast<int>(blockIdx.y);
  const int end = job.marks.rows_above(mark);
  std::uint32_t even[4] = {};  // two sums of 16 bits each
  std::uint32_t odd[4] = {};
#pragma unroll 8
  for (int row = mark == 0 ? 0 : job.marks.rows_above(mark - 1); row < end; ++row) {
    const uint4 levels = load_row_levels(job.line(row), column, job.width);
    const std::uint32_t words[4] = {levels.x, levels.y, levels.z, levels.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      even[i] += words[i] & kEvenBytes;
      odd[i] += words[i] >> 8 & kEvenBytes;
    }
  }
  auto* to = reinterpret_cast<uint4*>(job.sums_above(mark) + column);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[i] = make_uint4(even[i] & 0xFFFFU, odd[i] & 0xFFFFU, even[i] >> 16, odd[i] >> 16);
  }
}

/// Adds up these sums from mark to mark. Lane → column; warp → a part of the marks.
static __global__ void __launch_bounds__(1024) add_up_marks(const __grid_constant__ SlideJob job) {
  constexpr int kParts = 32;
  __shared__ std::uint32_t of_parts[kParts][32];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int part = static_cast<int>(threadIdx.x) / 32;
  const int column = static_cast<int>(blockIdx.x) * 32 + lane;  // the pitch is a multiple of 16, not of 32
  const bool is_there = column < job.pitch;
  const int each = (job.marks.count() - 1) / kParts + 1;
  const int begin = min(part * each, job.marks.count());
  const int end = min(begin + each, job.marks.count());
  wait_for_kernel_before();
  std::uint32_t sum = 0;
#pragma unroll 8
  for (int mark = begin; mark < end; ++mark) {
    sum += is_there ? job.sums_above(mark)[column] : 0U;
  }
  of_parts[part][lane] = sum;
  __syncthreads();
  sum = 0;
  for (int before = 0; before < part; ++before) {
    sum += of_parts[before][lane];
  }
#pragma unroll 8
  for (int mark = begin; mark < end; ++mark) {
    if (is_there) {
      sum += job.sums_above(mark)[column];
      job.sums_above(mark)[column] = sum;
    }
  }
}

/// What job.sums refers to; makes them.
inline DeviceMemory sum_columns(Workspace& workspace, SlideJob& job) {
  constexpr int kColumnsOfBlock = 16 * kMarkThreads;
  const int marks = job.marks.count();
  job.pitch = (job.width + 15) / 16 * 16;
  DeviceMemory memory(workspace.device(),
                      sizeof(std::uint32_t) * static_cast<std::size_t>(marks) * static_cast<std::size_t>(job.pitch));
  job.sums = memory.as<std::uint32_t>();
  const dim3 blocks(static_cast<unsigned>((job.pitch - 1) / kColumnsOfBlock + 1), static_cast<unsigned>(marks));
  sum_to_marks<<<blocks, kMarkThreads, 0, workspace.stream()>>>(job);
  check_launch("summing columns");
  launch_after(workspace, add_up_marks, static_cast<unsigned>((job.pitch - 1) / 32 + 1), 1024, 0,
               "adding up the sums of columns", job);
  return memory;
}

}  // namespace gpuimg::cuda

// The kernel that slides the sums of columns down the rows, and makes each row's pixels of the sums of its first
// columns. Arithmetic: core/window/slides.hpp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "ops/window.hpp"
#include "window/column_marks.cuh"
#include "window/row_prefixes.cuh"
#include "window/slides.hpp"

namespace gpuimg::cuda {

inline constexpr int kMaxSlideThreads = 1024;  ///< of a multiprocessor

__device__ __forceinline__ std::uint32_t sum_of_bytes(const uint4& levels, std::uint32_t sum) {
  constexpr std::uint32_t kOnes = 0x01010101;
  sum = __dp4a(levels.x, kOnes, sum);
  sum = __dp4a(levels.y, kOnes, sum);
  sum = __dp4a(levels.z, kOnes, sum);
  return __dp4a(levels.w, kOnes, sum);
}

__device__ __forceinline__ std::uint32_t level_of(const uint4& levels, int i) {
  const std::uint32_t words[4] = {levels.x, levels.y, levels.z, levels.w};
  return __byte_perm(words[i / 4], 0, 0x4440 + i % 4);
}

/// The sum of `value` over the lanes of a warp up to this one.
__device__ __forceinline__ std::uint32_t sum_through_lane(std::uint32_t value, int lane) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t before = __shfl_up_sync(0xFFFFFFFFU, value, distance);
    value += lane >= distance ? before : 0U;
  }
  return value;
}

__device__ __forceinline__ std::uint32_t sum_of_warp(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, value);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  }
  return value;
#endif
}

/// Replaces the sums of threads by those of all threads before, for each row of a step.
class SumsBefore {
 public:
  using OfWarps = std::uint32_t[2][kSlideStepRows][32];

  __device__ SumsBefore(OfWarps& of_warps, int thread) : of_warps_(of_warps), lane_(thread % 32), warp_(thread / 32) {}

  /// By all threads, before a barrier.
  static __device__ void begin(OfWarps& of_warps, int thread, int threads) {
    for (int i = thread; i < 2 * kSlideStepRows * 32; i += threads) {
      (&of_warps[0][0][0])[i] = 0;  // of warps that there are not
    }
  }

  /// All threads meet.
  __device__ __forceinline__ void replace(std::uint32_t (&sums)[kSlideStepRows]) {
    std::uint32_t through[kSlideStepRows];
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      through[r] = sum_through_lane(sums[r], lane_);
      if (lane_ == 31) {
        of_warps_[turn_][r][warp_] = through[r];
      }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      sums[r] = sum_of_warp(lane_ < warp_ ? of_warps_[turn_][r][lane_] : 0U) + through[r] - sums[r];
    }
    turn_ ^= 1;
  }

 private:
  OfWarps& of_warps_;
  int lane_;
  int warp_;
  int turn_ = 0;
};

/// Writes the sums of all columns over the windows of row `top`, from the marks. By all threads.
template <int kThreads, Border border>
__device__ __forceinline__ void write_first_sums(const SlideJob& job, int top, int first_column, int thread,
                                                 std::uint32_t* row) {
  const PrefixBeyond through(top + job.radius + 1, job.height, border);
  const PrefixBeyond before(top - job.radius, job.height, border);
  const auto sums_above = [&](int rows) { return rows == 0 ? nullptr : job.sums_above(job.marks.mark_at(rows)); };
  const std::uint32_t* const of_through = sums_above(through.at);
  const std::uint32_t* const of_before = sums_above(before.at);
  const std::uint32_t* const of_all = sums_above(job.height);
  const bool has_ends = top < job.radius || top + job.radius >= job.height;
  wait_for_kernel_before();
#pragma unroll 4
  for (int x = thread; x < kThreads * kSlideColumns; x += kThreads) {
    std::uint32_t sum = 0;
    const int column = first_column + x;
    if (column < job.width) {
      LineEnds ends{};
      if (has_ends) {
        ends = {__ldg(job.line(0) + column), __ldg(job.line(job.height - 1) + column), __ldg(of_all + column)};
      }
      sum = through.of(of_through == nullptr ? 0U : __ldg(of_through + column), ends) -
            before.of(of_before == nullptr ? 0U : __ldg(of_before + column), ends);
    }
    row[RowPrefixes<kThreads, border>::place(x + 1)] = sum;
  }
}

/// The levels that enter and leave the windows of a step's rows, of a thread's own columns.
struct MovingLevels {
  uint4 enter[kSlideStepRows];
  uint4 leave[kSlideStepRows];

  /// Of the rows from `first` on, of those from `top` to `end`. The sums of the first row are there already.
  template <Border border>
  __device__ __forceinline__ void load(const SlideJob& job, int first, int top, int end, int column) {
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      const int row = first + r;
      const bool moves = row > top && row < end;
      const int from_below = moves ? nearby_row(row + job.radius, job.height, border) : -1;
      const int from_above = moves ? nearby_row(row - job.radius - 1, job.height, border) : -1;
      enter[r] = from_below < 0 ? uint4{} : load_row_levels(job.line(from_below), column, job.width);
      leave[r] = from_above < 0 ? uint4{} : load_row_levels(job.line(from_above), column, job.width);
    }
  }
};

/// Starts to copy the levels of a step's rows, from `column` on, to where all threads find them.
template <int kThreads>
__device__ __forceinline__ void copy_levels(const SlideJob& job, int first, int end, int column,
                                            std::uint8_t* own_levels) {
#pragma unroll
  for (int r = 0; r < kSlideStepRows; ++r) {
    const int row = min(first + r, end - 1);
    std::uint8_t* to = own_levels + r * kThreads * kSlideColumns;
    if (job.width % 16 != 0) {
      *reinterpret_cast<uint4*>(to) = load_row_levels(job.line(row), column, job.width);
    } else if (column < job.width) {
      __pipeline_memcpy_async(to, job.line(row) + column, 16);
    }
  }
  __pipeline_commit();
}

/// The means of a thread's own pixels in the row before, a byte each, for sums modulo 2³².
struct MeansBefore {
  std::uint32_t bytes[kSlideColumns / 4] = {};

  __device__ __forceinline__ void set(int j, std::uint32_t mean) { bytes[j / 4] |= mean << (8 * (j % 4)); }

  /// The mean of pixel j of the next row.
  __device__ __forceinline__ std::uint32_t move(int j, std::uint32_t sum, std::uint32_t n) {
    constexpr std::uint32_t kSame = 0x3210;
    const int byte = 4 * (j % 4);
    const std::uint32_t mean = moved_mean(__byte_perm(bytes[j / 4], 0, 0x4440 + j % 4), sum, n);
    bytes[j / 4] = __byte_perm(bytes[j / 4], mean, (kSame & ~(0xFU << byte)) | 4U << byte);
    return mean;
  }
};

/// Makes one pixel of each window: operation.pixel(sum, n, below_inverse(n), mean, level), where `sum` is modulo 2³²
/// and `mean` counts if Operation::kIsModulo, else `sum` is whole. Block → job.marks.rows() rows, kSlideStepRows at a
/// time, of part blockIdx.y of the columns; thread → kSlideColumns adjacent columns, whose sums it keeps; and every
/// kThreads-th pixel, which it makes.
template <int kThreads, class Operation>
__global__ void __launch_bounds__(kThreads, kMaxSlideThreads / kThreads)
    slide_rows(const __grid_constant__ SlideJob job, const __grid_constant__ Operation operation) {
  constexpr Border border = Operation::kBorder;
  using Prefixes = RowPrefixes<kThreads, border>;
  extern __shared__ __align__(128) std::uint32_t prefix_words[];
  auto* const row_levels = reinterpret_cast<std::uint8_t*>(prefix_words + Prefixes::kWords);
  __shared__ SumsBefore::OfWarps of_warps;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const auto part = static_cast<int>(blockIdx.y);
  const int begin = job.parts.begin(part);
  const int pixels = job.parts.pixels(part);
  const int first_column = job.parts.first_column(part);
  const int column = first_column + thread * kSlideColumns;  // the first own one
  const int top = static_cast<int>(blockIdx.x) * job.marks.rows();
  const int end = min(job.height, top + job.marks.rows());
  const int radius = job.radius;
  const auto size = static_cast<std::uint32_t>(2 * radius + 1);

  Prefixes::begin(prefix_words, thread);
  SumsBefore::begin(of_warps, thread, kThreads);
  write_first_sums<kThreads, border>(job, top, first_column, thread, prefix_words);
  __syncthreads();
  std::uint32_t sums[kSlideColumns];  // of the own columns
  std::uint32_t own_sum = 0;          // of these
#pragma unroll
  for (int q = 0; q < kSlideColumns / 4; ++q) {
    const uint4 four = Prefixes::four(prefix_words, thread * kSlideColumns + 4 * q);
    sums[4 * q] = four.x;
    sums[4 * q + 1] = four.y;
    sums[4 * q + 2] = four.z;
    sums[4 * q + 3] = four.w;
    own_sum += four.x + four.y + four.z + four.w;
  }
  SumsBefore sums_before(of_warps, thread);
  const Prefixes prefixes(job, part, prefix_words, thread);

  [[maybe_unused]] MeansBefore means;
  if constexpr (Operation::kIsModulo) {
    std::uint32_t before[kSlideStepRows] = {};
#pragma unroll
    for (int c = 0; c < kSlideColumns; ++c) {
      before[0] += sums[c] >> kEstimateShift;
    }
    sums_before.replace(before);
    prefixes.write(0, sums, before[0], kEstimateShift);
    __syncthreads();
    const std::uint32_t down = counted_positions(top, radius, job.height, border);
#pragma unroll
    for (int j = 0; j < kSlideColumns; ++j) {
      if (j * kThreads + thread < pixels) {
        std::uint32_t shifted_sums[kSlideStepRows];
        const std::uint32_t across = prefixes.at_border(j, shifted_sums);
        means.set(j, estimated_mean(shifted_sums[0], down * across));
      }
    }
  }

  // Of the pixels of a warp, those from the first to the last have windows inside the row.
  const int inside_begin = radius - begin - (thread - lane);
  const int inside_end = min(job.width - radius - begin, pixels) - 31 - (thread - lane);
  const int own_width = pixels - thread;
  std::uint8_t* out = job.out + static_cast<std::size_t>(top) * job.width + begin + thread;  // own pixel 0 of a step
  const std::uint8_t* const pixel_levels = row_levels + kept(begin - first_column + thread);
  MovingLevels moving;
  moving.load<border>(job, top, top, end, column);
  for (int first = top; first < end; first += kSlideStepRows) {
    std::uint32_t before[kSlideStepRows];
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      own_sum = sum_of_bytes(moving.enter[r], own_sum) - sum_of_bytes(moving.leave[r], 0);
      before[r] = own_sum;
    }
    sums_before.replace(before);
    if constexpr (Operation::kReadsLevels) {
      copy_levels<kThreads>(job, first, end, column, row_levels + thread * kSlideColumns);
    }
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
#pragma unroll
      for (int c = 0; c < kSlideColumns; ++c) {
        sums[c] += level_of(moving.enter[r], c) - level_of(moving.leave[r], c);
      }
      prefixes.write(r, sums, before[r], 0);
    }
    moving.load<border>(job, first + kSlideStepRows, top, end, column);
    if constexpr (Operation::kReadsLevels) {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    std::uint32_t down[kSlideStepRows];  // of positions that count
    float below[kSlideStepRows];         // of windows that are not cut on their sides
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      down[r] = counted_positions(min(first + r, end - 1), radius, job.height, border);
      below[r] = below_inverse(down[r] * size);
    }
    const auto make_pixel = [&](int j, int r, std::uint32_t sum, std::uint32_t n, float inverse) {
      std::uint32_t level = 0;
      if constexpr (Operation::kReadsLevels) {
        level = pixel_levels[r * kThreads * kSlideColumns + j * kThreads];
      }
      std::uint32_t mean = 0;
      if constexpr (Operation::kIsModulo) {
        mean = means.move(j, sum, n);
      }
      out[static_cast<std::size_t>(r) * job.width + j * kThreads] =
          static_cast<std::uint8_t>(operation.pixel(sum, n, inverse, mean, level));
    };
    const int whole_end = first + kSlideStepRows <= end ? inside_end : 0;
#pragma unroll
    for (int j = 0; j < kSlideColumns; ++j) {
      if (j * kThreads >= inside_begin && j * kThreads < whole_end) {
#pragma unroll
        for (int r = 0; r < kSlideStepRows; ++r) {
          make_pixel(j, r, prefixes.inside(j, r), down[r] * size, below[r]);
        }
      } else if (j * kThreads < own_width) {
        std::uint32_t window_sums[kSlideStepRows];
        const std::uint32_t across = prefixes.at_border(j, window_sums);
#pragma unroll
        for (int r = 0; r < kSlideStepRows; ++r) {
          if (r == 0 || first + r < end) {
            const std::uint32_t n = down[r] * across;
            make_pixel(j, r, window_sums[r], n, border == Border::cut ? below_inverse(n) : below[r]);
          }
        }
      }
    }
    out += static_cast<std::size_t>(kSlideStepRows) * job.width;
  }
}

template <int kThreads, class Operation>
bool try_slides(Workspace& workspace, SlideJob job, const Operation& operation, const char* doing) {
  constexpr int kMinRows = 16;
  constexpr int kMaxMarks = 65535;  // blocks of a grid
  constexpr int kMostColumns = kThreads * kSlideColumns;
  constexpr std::size_t kLevelBytes = Operation::kReadsLevels ? kMostColumns : 0;
  constexpr std::size_t kBytes =
      sizeof(std::uint32_t) * RowPrefixes<kThreads, Operation::kBorder>::kWords + kSlideStepRows * kLevelBytes;
  const auto kernel = slide_rows<kThreads, Operation>;
  job.parts = RowParts(job.width, job.radius, kMostColumns);
  if (job.parts.count() == 0 || kBytes > workspace.device()->shared_bytes_per_block()) {
    return false;
  }
  allow_shared_bytes(workspace, kernel, kBytes);
  const int resident =
      std::max(1, cooperative_blocks_per_sm(kernel, kThreads, kBytes)) * workspace.device()->multiprocessors();
  const int rows = (job.height - 1) / std::max(1, resident / job.parts.count()) + 1;
  job.marks = RowMarks(job.height, job.radius, std::clamp(rows, kMinRows, kMaxMarkRows));
  if (job.marks.count() > kMaxMarks) {
    return false;
  }
  const DeviceMemory sums = sum_columns(workspace, job);
  const dim3 blocks(static_cast<unsigned>((job.height - 1) / job.marks.rows() + 1),
                    static_cast<unsigned>(job.parts.count()));
  launch_after(workspace, kernel, blocks, kThreads, kBytes, doing, job, operation);
  return true;
}

/// Makes `result` of the sums of `picture`'s windows, both of one channel of 8 bits, by one of the operations: `whole`
/// if sums fit 32 bits, else `modulo`. False, without having done anything, for other images, if windows reach beyond
/// an image reflected once, or if they are too wide, for a wide image sooner.
template <class Whole, class Modulo>
bool try_slides(Workspace& workspace, const Picture& picture, const Picture& result, int radius, const Whole& whole,
                const Modulo& modulo, const char* doing) {
  static_assert(!Whole::kIsModulo && Modulo::kIsModulo);
  const int size = 2 * radius + 1;
  if (picture.format() != PixelFormat{Sample::u8, 1} || size > kMaxSlidingWindow ||
      radius >= std::min(picture.width(), picture.height())) {
    return false;
  }
  SlideJob job;
  job.levels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
  job.out = reinterpret_cast<std::uint8_t*>(pixels_of(result));
  job.width = picture.width();
  job.height = picture.height();
  job.radius = radius;
  const auto tried = [&](const auto& operation) {
    constexpr int kFewThreads = 256;
    return picture.width() <= kFewThreads * kSlideColumns
               ? try_slides<kFewThreads>(workspace, job, operation, doing)
               : try_slides<kMaxSlideThreads>(workspace, job, operation, doing);
  };
  return size <= kMaxWholeSums ? tried(whole) : tried(modulo);
}

}  // namespace gpuimg::cuda

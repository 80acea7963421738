// The kernel that slides the sums of columns down the rows, and makes each row's pixels of the sums of its first
// columns. Arithmetic: core/window/slides.hpp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "device/levels.cuh"
#include "ops/window.hpp"
#include "window/slides.hpp"

namespace gpuimg::cuda {

// --- The sums of all columns above the marks -------------------------------------------------------------------------

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

// --- The sums of a row's first columns in shared memory, and the sums of windows that they give ----------------------

inline constexpr int kSlideColumns = 16;  ///< of a thread
inline constexpr int kSlideStepRows = 2;  ///< between two barriers

/// The compiler must not calculate this value again.
__device__ __forceinline__ int kept(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Of kSlideStepRows rows of sums over the windows' rows, from the first column that is kept on. A thread writes the
/// sums through each of its kSlideColumns adjacent columns; it reads those around the windows of every kThreads-th
/// pixel, its own ones.
template <int kThreads, Border border>
class RowPrefixes {
  static_assert(kThreads % 128 == 0, "slide_place() differs from thread to thread as from column to column");
  static constexpr int kBefore = 3;   ///< words, so that the sum of the first column is at a multiple of 16 bytes
  static constexpr int kSpare = 128;  ///< words that a row has more than columns; enough for slide_place()
  static constexpr int kRowWords = kThreads * kSlideColumns + kSpare;

 public:
  static constexpr int kWords = kSlideStepRows * kRowWords;

  __device__ RowPrefixes(const SlideJob& job, int part, std::uint32_t* words, int thread)
      : job_(job),
        first_(job.parts.first_column(part)),
        words_(words),
        thread_(thread),
        begin_(job.parts.begin(part)),
        all_(words + kept(place(job.width - first_))),
        through_(words + kept(place(thread + (begin_ - first_ + job.radius + 1)))),
        before_(words + kept(place(thread + (begin_ - first_ - job.radius)))),
        through_end_(words + kept(place((2 * job.width - 2 - job.radius - begin_ - first_) - thread))),
        before_start_(words + kept(place((1 + job.radius - begin_) - thread))) {}

  /// Of the sum of the first `columns`, in a row.
  static __device__ int place(int columns) { return slide_place(columns + kBefore); }

  /// Of four sums, of the first columns + 1 … columns + 4, where `columns` is a multiple of 4.
  static __device__ uint4& four(std::uint32_t* row, int columns) {
    return *reinterpret_cast<uint4*>(row + place(columns + 1));
  }

  /// The sum of no columns is 0. By all threads, before a barrier.
  static __device__ void begin(std::uint32_t* words, int thread) {
    if (thread < kSlideStepRows) {
      words[thread * kRowWords + place(0)] = 0;
    }
  }

  /// Writes the sums through the own columns of a row, from the sum of all columns before them.
  __device__ __forceinline__ void write(int row, const std::uint32_t (&sums)[kSlideColumns], std::uint32_t before,
                                        int shift) const {
#pragma unroll
    for (int q = 0; q < kSlideColumns / 4; ++q) {
      uint4 sums_through;
      sums_through.x = before += sums[4 * q] >> shift;
      sums_through.y = before += sums[4 * q + 1] >> shift;
      sums_through.z = before += sums[4 * q + 2] >> shift;
      sums_through.w = before += sums[4 * q + 3] >> shift;
      four(words_ + row * kRowWords, thread_ * kSlideColumns + 4 * q) = sums_through;
    }
  }

  /// The sum of the window of own pixel j, which is inside the row.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t inside(int j, int row) const {
    const int at = row * kRowWords + j * kThreads;
    return through_[at] - before_[at];
  }

  /// The sums of the windows of own pixel j near the border, in each row, PrefixBeyond with places that are known; and
  /// how many columns these windows count.
  __device__ __forceinline__ std::uint32_t at_border(int j, std::uint32_t (&sums)[kSlideStepRows]) const {
    const int after = thread_ + (begin_ + j * kThreads + job_.radius + 1 - job_.width);
    const int before = thread_ + (begin_ + j * kThreads - job_.radius);
    if (after <= 0) {
      each_row([&](int row) { sums[row] = through_[row * kRowWords + j * kThreads]; });
    } else {
      each_row([&](int row) {
        const std::uint32_t all = all_[row * kRowWords];
        if constexpr (border == Border::cut) {
          sums[row] = all;
        } else {
          const std::uint32_t before_last = words_[row * kRowWords + place(job_.width - 1 - first_)];
          sums[row] = border == Border::reflect101 ? all + before_last - through_end_[row * kRowWords - j * kThreads]
                                                   : all + static_cast<std::uint32_t>(after) * (all - before_last);
        }
      });
    }
    if (before >= 0) {
      each_row([&](int row) { sums[row] -= before_[row * kRowWords + j * kThreads]; });
    } else if (border != Border::cut) {
      each_row([&](int row) {
        const std::uint32_t first_level = words_[row * kRowWords + place(1)];
        sums[row] -= border == Border::reflect101 ? first_level - before_start_[row * kRowWords - j * kThreads]
                                                  : static_cast<std::uint32_t>(before) * first_level;
      });
    }
    const auto size = static_cast<std::uint32_t>(2 * job_.radius + 1);
    return border == Border::cut ? size - static_cast<std::uint32_t>(max(after, 0) - min(before, 0)) : size;
  }

 private:
  template <class Action>
  __device__ __forceinline__ void each_row(Action action) const {
#pragma unroll
    for (int row = 0; row < kSlideStepRows; ++row) {
      action(row);
    }
  }

  const SlideJob& job_;
  int first_;
  std::uint32_t* words_;
  int thread_;
  int begin_;  ///< of the part's pixels
  const std::uint32_t* all_;
  // Of the first own pixel: where the sums of its window's columns are, and, reflected, beyond both ends of the row.
  const std::uint32_t* through_;
  const std::uint32_t* before_;
  const std::uint32_t* through_end_;
  const std::uint32_t* before_start_;
};

// --- The kernel ------------------------------------------------------------------------------------------------------

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

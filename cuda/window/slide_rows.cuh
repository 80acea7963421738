// A kernel that keeps the sum of each column over the rows of the windows, and slides these sums down the image. It
// computes each row's pixels from prefix sums over the row's columns. Arithmetic: core/window/slides.hpp.
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

/// The arguments of the kernels in this file.
struct SlideJob {
  const std::uint8_t* levels = nullptr;
  std::uint8_t* out = nullptr;
  int width = 0;
  int height = 0;
  int radius = 0;  ///< smaller than width and height
  RowParts parts;
  RowMarks marks;
  std::uint32_t* sums = nullptr;  ///< per mark: the sum of each column above it
  int pitch = 0;                  ///< words from one mark's sums to the next; a multiple of 16

  [[nodiscard]] __device__ const std::uint8_t* line(int row) const {
    return levels + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  }
  [[nodiscard]] __device__ std::uint32_t* sums_above(int mark) const {
    return sums + static_cast<std::size_t>(mark) * static_cast<std::size_t>(pitch);
  }
};

/// Sixteen levels of a line, starting at `column`, a multiple of 16. Zeros beyond the end of the line.
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
inline constexpr int kMaxMarkRows = 256;  ///< column sums of this many rows fit in 16 bits

/// Computes, for each mark, the column sums between the mark before it and this one. blockIdx.y → mark; thread → 16
/// columns.
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

/// Turns the sums of sum_to_marks into running totals over the marks. Lane → column; warp → a part of the marks.
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

/// Computes the column sums above all marks. Sets job.pitch and job.sums; returns the memory behind job.sums.
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

// --- Prefix sums over a row's columns in shared memory, and window sums from them ------------------------------------

inline constexpr int kSlideColumns = 16;  ///< columns per thread
inline constexpr int kSlideStepRows = 2;  ///< rows per step, between two barriers

/// Keeps the compiler from computing this value again.
__device__ __forceinline__ int kept(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Prefix sums of kSlideStepRows rows. The prefix sum of a column adds up all column sums of the part up to that
/// column; a column sum covers the rows of the windows. A thread writes the prefix sums of its own kSlideColumns
/// adjacent columns. It reads the prefix sums at both ends of the windows of its own pixels, which are every
/// kThreads-th pixel.
template <int kThreads, Border border>
class RowPrefixes {
  static_assert(kThreads % 128 == 0, "slide_place() differs from thread to thread as from column to column");
  static constexpr int kBefore = 3;   ///< words before a row, so that the first column's sum is aligned to 16 bytes
  static constexpr int kSpare = 128;  ///< words per row in addition to the columns; enough for slide_place()
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

  /// Position, in a row, of the sum of its first `columns` columns.
  static __device__ int place(int columns) { return slide_place(columns + kBefore); }

  /// The four sums of the first columns + 1 … columns + 4 columns. `columns` is a multiple of 4.
  static __device__ uint4& four(std::uint32_t* row, int columns) {
    return *reinterpret_cast<uint4*>(row + place(columns + 1));
  }

  /// Writes the sum of no columns, 0. Call from all threads, before a barrier.
  static __device__ void begin(std::uint32_t* words, int thread) {
    if (thread < kSlideStepRows) {
      words[thread * kRowWords + place(0)] = 0;
    }
  }

  /// Writes a row's prefix sums of the thread's columns. `before` is the sum of all columns before them. Shifts each
  /// sum right by `shift`.
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

  /// The window sum of the thread's pixel j, whose window lies inside the row.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t inside(int j, int row) const {
    const int at = row * kRowWords + j * kThreads;
    return through_[at] - before_[at];
  }

  /// Sets `sums` to the window sums of the thread's pixel j, near the border, in each row; returns the number of
  /// columns that count in these windows. Uses the formulas of PrefixBeyond, with precomputed positions.
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
  int begin_;  ///< the part's first pixel
  const std::uint32_t* all_;
  // For the thread's first pixel: positions of the prefix sums at both ends of its window, and of their reflections
  // beyond both ends of the row.
  const std::uint32_t* through_;
  const std::uint32_t* before_;
  const std::uint32_t* through_end_;
  const std::uint32_t* before_start_;
};

// --- The kernel ------------------------------------------------------------------------------------------------------

inline constexpr int kMaxSlideThreads = 1024;  ///< per multiprocessor

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

/// The sum of `value` over the lanes of a warp up to and including this one.
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

/// Exclusive prefix sum over the threads of a block, for each row of a step.
class SumsBefore {
 public:
  using OfWarps = std::uint32_t[2][kSlideStepRows][32];

  __device__ SumsBefore(OfWarps& of_warps, int thread) : of_warps_(of_warps), lane_(thread % 32), warp_(thread / 32) {}

  /// Call from all threads, before a barrier.
  static __device__ void begin(OfWarps& of_warps, int thread, int threads) {
    for (int i = thread; i < 2 * kSlideStepRows * 32; i += threads) {
      (&of_warps[0][0][0])[i] = 0;  // for missing warps
    }
  }

  /// Replaces each thread's sums by the total of all threads before it. Contains a barrier: call from all threads.
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

/// Computes, from the marks, the sum of each column over the windows of row `top`. Call from all threads.
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

/// The levels of a thread's own columns that enter and leave the windows with the rows of a step.
struct MovingLevels {
  uint4 enter[kSlideStepRows];
  uint4 leave[kSlideStepRows];

  /// Loads the levels for the step that starts at row `first`. Rows outside (top, end) load zeros: the sums of row
  /// `top` already exist.
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

/// Starts to copy the levels of a step's rows, 16 per thread from `column` on, to shared memory.
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

/// The means of a thread's own pixels in the previous row, one byte each. Needed for sums modulo 2³².
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

/// Computes one pixel from each window with operation.pixel(sum, n, below_inverse(n), mean, level). If
/// Operation::kIsModulo, `sum` is modulo 2³² and `mean` is valid; otherwise `sum` is exact and `mean` unused. Block →
/// job.marks.rows() rows of part blockIdx.y of the columns, kSlideStepRows rows at a time. Thread → kSlideColumns
/// adjacent columns, whose sums it keeps, and every kThreads-th pixel, which it computes.
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
  const int column = first_column + thread * kSlideColumns;  // the thread's first column
  const int top = static_cast<int>(blockIdx.x) * job.marks.rows();
  const int end = min(job.height, top + job.marks.rows());
  const int radius = job.radius;
  const auto size = static_cast<std::uint32_t>(2 * radius + 1);

  Prefixes::begin(prefix_words, thread);
  SumsBefore::begin(of_warps, thread, kThreads);
  write_first_sums<kThreads, border>(job, top, first_column, thread, prefix_words);
  __syncthreads();
  std::uint32_t sums[kSlideColumns];  // of the thread's columns
  std::uint32_t own_sum = 0;          // the total of `sums`
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

  // A warp's pixels from inside_begin to inside_end have windows inside the row.
  const int inside_begin = radius - begin - (thread - lane);
  const int inside_end = min(job.width - radius - begin, pixels) - 31 - (thread - lane);
  const int own_width = pixels - thread;
  std::uint8_t* out = job.out + static_cast<std::size_t>(top) * job.width + begin + thread;  // pixel 0 of a step
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
    std::uint32_t down[kSlideStepRows];  // counted rows per window
    float below[kSlideStepRows];         // below_inverse(n) if all columns of a window count
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
  if (job.parts.count() == 0 || !fits_shared_memory(workspace, kernel, kBytes)) {
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

/// Computes `result` from the window sums of `picture`; both have one 8-bit channel. Uses the operation `whole` if sums
/// fit in 32 bits, else `modulo`. Does nothing and returns false for other formats, for windows that reach beyond an
/// image reflected once, and for windows that are too wide; in a wide image, this limit is smaller.
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

// The kernel that slides the sums of columns down the rows, and makes each row's pixels of the sums of its first
// columns. Arithmetic: gpuimg/ops/window_slides.hpp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "gpuimg/ops/window_slides.hpp"
#include "window/column_marks.cuh"

namespace gpuimg::cuda {

inline constexpr int kMaxSlideThreads = 1024;  ///< of a multiprocessor
inline constexpr int kSlideColumns = 16;       ///< of a thread
inline constexpr int kSlideStepRows = 2;       ///< between two barriers

/// The layout of the sums of a row's first columns in shared memory. A thread writes those of its adjacent columns.
struct PrefixWords {
  static constexpr int kBefore = 3;   ///< words, so that the sum of the first column is at a multiple of 16 bytes
  static constexpr int kSpare = 128;  ///< words that a row has more than columns; enough for slide_place()

  /// Of the sum of the first `columns`.
  static __device__ int place(int columns) { return slide_place(columns + kBefore); }

  /// Of four sums, of the first columns + 1 … columns + 4, where `columns` is a multiple of 4.
  static __device__ uint4& four(std::uint32_t* words, int columns) {
    return *reinterpret_cast<uint4*>(words + place(columns + 1));
  }
};

/// The compiler must not calculate this value again.
__device__ __forceinline__ int kept(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

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

/// Makes one pixel of each window: operation.pixel(sum, n, below_inverse(n), mean, level), where `sum` is modulo 2³²
/// and `mean` counts if Operation::kIsModulo, else `sum` is whole. Block → job.marks.rows() rows, kSlideStepRows at a
/// time; thread → kSlideColumns adjacent columns, whose sums it keeps; and every kThreads-th pixel, which it makes.
template <int kThreads, class Operation>
__global__ void __launch_bounds__(kThreads, kMaxSlideThreads / kThreads)
    slide_rows(const __grid_constant__ SlideJob job, const __grid_constant__ Operation operation) {
  constexpr int kRowWords = kThreads * kSlideColumns + PrefixWords::kSpare;
  static_assert(kThreads % 128 == 0, "slide_place() differs from thread to thread as from column to column");
  extern __shared__ __align__(128) std::uint32_t prefix_words[];
  auto* const row_levels = reinterpret_cast<std::uint8_t*>(prefix_words + kSlideStepRows * kRowWords);
  __shared__ std::uint32_t of_warps[2][kSlideStepRows][32];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int own_column = thread * kSlideColumns;
  const int top = static_cast<int>(blockIdx.x) * job.marks.rows();
  const int end = min(job.height, top + job.marks.rows());
  const int radius = job.radius;
  const auto size = static_cast<std::uint32_t>(2 * radius + 1);

  if (thread < kSlideStepRows) {
    prefix_words[thread * kRowWords + PrefixWords::place(0)] = 0;
  }
  for (int i = thread; i < 2 * kSlideStepRows * 32; i += kThreads) {
    (&of_warps[0][0][0])[i] = 0;  // of warps that there are not
  }
  {
    const PrefixBeyond through(top + radius + 1, job.height, job.border);
    const PrefixBeyond before(top - radius, job.height, job.border);
    const auto sums_above = [&](int rows) { return rows == 0 ? nullptr : job.sums_above(job.marks.mark_at(rows)); };
    const std::uint32_t* const of_through = sums_above(through.at);
    const std::uint32_t* const of_before = sums_above(before.at);
    const std::uint32_t* const of_all = sums_above(job.height);
    const bool has_ends = top < radius || top + radius >= job.height;
    wait_for_kernel_before();
#pragma unroll 4
    for (int x = thread; x < kThreads * kSlideColumns; x += kThreads) {
      std::uint32_t sum = 0;
      if (x < job.width) {
        LineEnds ends{};
        if (has_ends) {
          ends = {__ldg(job.line(0) + x), __ldg(job.line(job.height - 1) + x), __ldg(of_all + x)};
        }
        sum = through.of(of_through == nullptr ? 0U : __ldg(of_through + x), ends) -
              before.of(of_before == nullptr ? 0U : __ldg(of_before + x), ends);
      }
      prefix_words[PrefixWords::place(x + 1)] = sum;
    }
  }
  __syncthreads();
  std::uint32_t sums[kSlideColumns];  // of the own columns
  std::uint32_t own_sum = 0;          // of these
#pragma unroll
  for (int q = 0; q < kSlideColumns / 4; ++q) {
    const uint4 four = PrefixWords::four(prefix_words, own_column + 4 * q);
    sums[4 * q] = four.x;
    sums[4 * q + 1] = four.y;
    sums[4 * q + 2] = four.z;
    sums[4 * q + 3] = four.w;
    own_sum += four.x + four.y + four.z + four.w;
  }

  /// Writes the sums of a row's first columns, from the sum of all columns before the own ones.
  const auto write_prefixes = [&](int of_step, std::uint32_t before, int shift) {
#pragma unroll
    for (int q = 0; q < kSlideColumns / 4; ++q) {
      uint4 four;
      four.x = before += sums[4 * q] >> shift;
      four.y = before += sums[4 * q + 1] >> shift;
      four.z = before += sums[4 * q + 2] >> shift;
      four.w = before += sums[4 * q + 3] >> shift;
      PrefixWords::four(prefix_words + of_step * kRowWords, own_column + 4 * q) = four;
    }
  };
  int turn = 0;
  /// Replaces the sums of the own columns, in each row of a step, by those of all columns before them. All threads
  /// meet.
  const auto add_up = [&](std::uint32_t(&own_sums)[kSlideStepRows]) {
    std::uint32_t through[kSlideStepRows];
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      through[r] = sum_through_lane(own_sums[r], lane);
      if (lane == 31) {
        of_warps[turn][r][warp] = through[r];
      }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      own_sums[r] = sum_of_warp(lane < warp ? of_warps[turn][r][lane] : 0U) + through[r] - own_sums[r];
    }
    turn ^= 1;
  };
  // Of the first own pixel: where the sums of its window's columns are, and, reflected, beyond both ends of the row.
  const std::uint32_t* const through_words = prefix_words + kept(PrefixWords::place(thread + radius + 1));
  const std::uint32_t* const before_words = prefix_words + kept(PrefixWords::place(thread - radius));
  const std::uint32_t* const through_end = prefix_words + kept(PrefixWords::place(2 * job.width - 2 - radius - thread));
  const std::uint32_t* const before_start = prefix_words + kept(PrefixWords::place(1 + radius - thread));
  /// The sum of the window of pixel j · kThreads of the own ones, near the border: PrefixBeyond, with the places above.
  const auto sum_at_border = [&](int j, int of_step) {
    const int at = of_step * kRowWords;
    const std::uint32_t* const words = prefix_words + at;
    const int after = thread + j * kThreads + radius + 1 - job.width;
    const int before = thread + j * kThreads - radius;
    const auto last = [&](std::uint32_t all) { return all - words[PrefixWords::place(job.width - 1)]; };
    std::uint32_t sum = 0;
    if (after <= 0) {
      sum = through_words[at + j * kThreads];
    } else {
      const std::uint32_t all = words[PrefixWords::place(job.width)];
      sum = job.border == Border::reflect101  ? 2 * all - last(all) - through_end[at - j * kThreads]
            : job.border == Border::replicate ? all + static_cast<std::uint32_t>(after) * last(all)
                                              : all;
    }
    if (before >= 0) {
      sum -= before_words[at + j * kThreads];
    } else if (job.border != Border::cut) {
      const std::uint32_t first_level = words[PrefixWords::place(1)];
      sum -= job.border == Border::reflect101 ? first_level - before_start[at - j * kThreads]
                                              : static_cast<std::uint32_t>(before) * first_level;
    }
    return sum;
  };

  std::uint32_t means[Operation::kIsModulo ? kSlideColumns / 4 : 1] =
      {};  // of the pixels of the row before, a byte each
  if constexpr (Operation::kIsModulo) {
    std::uint32_t own_sums[kSlideStepRows] = {};
#pragma unroll
    for (int c = 0; c < kSlideColumns; ++c) {
      own_sums[0] += sums[c] >> kEstimateShift;
    }
    add_up(own_sums);
    write_prefixes(0, own_sums[0], kEstimateShift);
    __syncthreads();
    const std::uint32_t down = counted_positions(top, radius, job.height, job.border);
#pragma unroll
    for (int j = 0; j < kSlideColumns; ++j) {
      const int x = j * kThreads + thread;
      if (x < job.width) {
        const std::uint32_t n = down * counted_positions(x, radius, job.width, job.border);
        means[j / 4] |= estimated_mean(sum_at_border(j, 0), n) << (8 * (j % 4));
      }
    }
  }

  uint4 enter[kSlideStepRows];
  uint4 leave[kSlideStepRows];
  const auto load_step = [&](int first) {
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      const int row = first + r;
      const bool moves = row > top && row < end;  // the sums are those of the first row already
      const int from_below = moves ? nearby_row(row + radius, job.height, job.border) : -1;
      const int from_above = moves ? nearby_row(row - radius - 1, job.height, job.border) : -1;
      enter[r] = from_below < 0 ? uint4{} : load_row_levels(job.line(from_below), own_column, job.width);
      leave[r] = from_above < 0 ? uint4{} : load_row_levels(job.line(from_above), own_column, job.width);
    }
  };
  /// Starts to copy the own levels of a step's rows to where all threads find them.
  const auto copy_levels = [&](int first) {
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      const int row = min(first + r, end - 1);
      std::uint8_t* to = row_levels + r * kThreads * kSlideColumns + own_column;
      if (job.width % 16 != 0) {
        *reinterpret_cast<uint4*>(to) = load_row_levels(job.line(row), own_column, job.width);
      } else if (own_column < job.width) {
        __pipeline_memcpy_async(to, job.line(row) + own_column, 16);
      }
    }
    __pipeline_commit();
  };
  // Of the pixels of a warp, those from the first to the last have windows inside the row.
  const int inside_begin = radius - (thread - lane);
  const int inside_end = job.width - radius - 31 - (thread - lane);
  const int own_width = job.width - thread;
  std::size_t start = static_cast<std::size_t>(top) * job.width + thread;  // of the first own pixel of a step
  load_step(top);
  for (int first = top; first < end; first += kSlideStepRows) {
    std::uint32_t before[kSlideStepRows];
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      own_sum = sum_of_bytes(enter[r], own_sum) - sum_of_bytes(leave[r], 0);
      before[r] = own_sum;
    }
    add_up(before);
    if constexpr (Operation::kReadsLevels) {
      copy_levels(first);
    }
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
#pragma unroll
      for (int c = 0; c < kSlideColumns; ++c) {
        sums[c] += level_of(enter[r], c) - level_of(leave[r], c);
      }
      write_prefixes(r, before[r], 0);
    }
    load_step(first + kSlideStepRows);
    if constexpr (Operation::kReadsLevels) {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    std::uint32_t down[kSlideStepRows];  // of positions that count
    float below[kSlideStepRows];         // of windows that are not cut on their sides
#pragma unroll
    for (int r = 0; r < kSlideStepRows; ++r) {
      down[r] = counted_positions(min(first + r, end - 1), radius, job.height, job.border);
      below[r] = below_inverse(down[r] * size);
    }
    const auto make_pixel = [&](int j, int r, std::uint32_t sum, std::uint32_t n, float inverse) {
      const std::size_t at = start + static_cast<std::size_t>(r) * job.width + j * kThreads;
      std::uint32_t level = 0;
      if constexpr (Operation::kReadsLevels) {
        level = row_levels[r * kThreads * kSlideColumns + j * kThreads + thread];
      }
      std::uint32_t mean = 0;
      if constexpr (Operation::kIsModulo) {
        constexpr std::uint32_t kSame = 0x3210;
        const int byte = 4 * (j % 4);
        mean = moved_mean(__byte_perm(means[j / 4], 0, 0x4440 + j % 4), sum, n);
        means[j / 4] = __byte_perm(means[j / 4], mean, (kSame & ~(0xFU << byte)) | 4U << byte);
      }
      job.out[at] = static_cast<std::uint8_t>(operation.pixel(sum, n, inverse, mean, level));
    };
    const bool is_whole = first + kSlideStepRows <= end;
#pragma unroll
    for (int j = 0; j < kSlideColumns; ++j) {
      if (is_whole && j * kThreads >= inside_begin && j * kThreads < inside_end) {
#pragma unroll
        for (int r = 0; r < kSlideStepRows; ++r) {
          const int at = r * kRowWords + j * kThreads;
          make_pixel(j, r, through_words[at] - before_words[at], down[r] * size, below[r]);
        }
      } else if (j * kThreads < own_width) {
#pragma unroll
        for (int r = 0; r < kSlideStepRows; ++r) {
          if (first + r < end) {
            const bool is_cut = job.border == Border::cut;
            const int x = thread + j * kThreads;
            const std::uint32_t n = down[r] * (is_cut ? counted_positions(x, radius, job.width, job.border) : size);
            make_pixel(j, r, sum_at_border(j, r), n, is_cut ? below_inverse(n) : below[r]);
          }
        }
      }
    }
    start += static_cast<std::size_t>(kSlideStepRows) * job.width;
  }
}

template <int kThreads, class Operation>
bool try_slides(Workspace& workspace, SlideJob job, const Operation& operation, const char* doing) {
  constexpr int kMinRows = 16;
  constexpr int kMaxMarks = 65535;  // blocks of a grid
  constexpr int kMostColumns = kThreads * kSlideColumns;
  constexpr std::size_t kLevelBytes = Operation::kReadsLevels ? kMostColumns : 0;
  constexpr std::size_t kBytes =
      kSlideStepRows * (sizeof(std::uint32_t) * (kMostColumns + PrefixWords::kSpare) + kLevelBytes);
  const auto kernel = slide_rows<kThreads, Operation>;
  if (job.width > kMostColumns || kBytes > workspace.device()->shared_bytes_per_block()) {
    return false;
  }
  allow_shared_bytes(workspace, kernel, kBytes);
  const int resident =
      std::max(1, cooperative_blocks_per_sm(kernel, kThreads, kBytes)) * workspace.device()->multiprocessors();
  const int rows = (job.height - 1) / resident + 1;
  job.marks = RowMarks(job.height, job.radius, std::clamp(rows, kMinRows, kMaxMarkRows));
  if (job.marks.count() > kMaxMarks) {
    return false;
  }
  const DeviceMemory sums = sum_columns(workspace, job);
  launch_after(workspace, kernel, static_cast<unsigned>((job.height - 1) / job.marks.rows() + 1), kThreads, kBytes,
               doing, job, operation);
  return true;
}

/// Makes `result` of the sums of `picture`'s windows, both of one channel of 8 bits, by one of the operations: `whole`
/// if sums fit 32 bits, else `modulo`. False, without having done anything, for other images, if windows reach beyond
/// an image reflected once, or if they or the image are too wide.
template <class Whole, class Modulo>
bool try_slides(Workspace& workspace, const Picture& picture, const Picture& result, int radius, Border border,
                const Whole& whole, const Modulo& modulo, const char* doing) {
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
  job.border = border;
  job.radius = radius;
  const auto tried = [&](const auto& operation) {
    return try_slides<256>(workspace, job, operation, doing) || try_slides<1024>(workspace, job, operation, doing);
  };
  return size <= kMaxWholeSums ? tried(whole) : tried(modulo);
}

}  // namespace gpuimg::cuda

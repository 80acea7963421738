// The sums of a row's first columns in shared memory, and the sums of windows that they give. Used by slide_rows.cuh.
#pragma once

#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "window/column_marks.cuh"
#include "window/slides.hpp"

namespace gpuimg::cuda {

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

}  // namespace gpuimg::cuda

// Windows over 8-bit levels from sums of columns that slide down the rows, as a block of device threads makes them:
// where the first sums come from, how a line goes on beyond its ends, and means of sums modulo 2³². Specified in
// docs/operations.md, "Windows". The kernels are in cuda/window/slide_rows.cuh; tests run their twin on the host.
//
// A block makes rows of the whole width, or a part of it. It keeps the sum of each column over the rows of the windows;
// with each row down, a level enters and one leaves. The sums of a row's first columns then give each window by a
// difference.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// Sums of windows up to this side fit 32 bits, with half of their pixels added; of larger ones the low 32 bits are
/// known.
inline constexpr int kMaxWholeSums = 4099;
inline constexpr int kMaxSlidingWindow = 32767;  ///< of fewer than 2³⁰ pixels

/// The rows, one after another, above which the sums of all columns are known. The windows around all multiples of
/// `rows` begin and end at them, also reflected, because these lie at three offsets from such multiples. The radius is
/// smaller than the height.
class RowMarks {
 public:
  RowMarks() = default;
  RowMarks(int height, int radius, int rows) : height_(height), rows_(rows) {
    offsets_[0] = (radius + 1) % rows;               // the last row of a window, or the first, reflected
    offsets_[1] = (rows - radius % rows) % rows;     // the row before the first
    offsets_[2] = (2 * height - 2 - radius) % rows;  // the last row, reflected
    std::sort(offsets_, offsets_ + kEach);
  }

  [[nodiscard]] GPUIMG_HD int rows() const { return rows_; }
  [[nodiscard]] GPUIMG_HD int count() const { return kEach * (height_ / rows_ + 1) + 1; }

  /// Number of rows above a mark; the last mark has all. Not more than rows() from one to the next.
  [[nodiscard]] GPUIMG_HD int rows_above(int mark) const {
    const std::int64_t all = std::int64_t{mark / kEach} * rows_ + offsets_[mark % kEach];
    return all < height_ ? static_cast<int>(all) : height_;
  }

  /// The mark that has so many rows above it.
  [[nodiscard]] GPUIMG_HD int mark_at(int rows_above) const {
    if (rows_above >= height_) {
      return count() - 1;
    }
    const int offset = rows_above % rows_;
    const int which = offset == offsets_[0] ? 0 : offset == offsets_[1] ? 1 : 2;
    return rows_above / rows_ * kEach + which;
  }

 private:
  static constexpr int kEach = 3;  ///< marks among `rows` rows

  int height_ = 0;
  int rows_ = 1;
  int offsets_[kEach] = {};
};

/// How blocks that keep a limited number of columns share rows: as parts of equal length, each with the columns that
/// its windows reach.
class RowParts {
 public:
  static constexpr int kUnit = 128;      ///< of the length, if there is more than one part
  static constexpr int kAlignment = 16;  ///< of the first column that is kept

  RowParts() = default;
  /// Of blocks that keep up to `most` columns. No parts if these would be kept mostly for what is beside the part.
  RowParts(int width, int radius, int most) : width_(width), radius_(radius), length_(width) {
    if (width > most) {
      const int room = (most - 2 * radius - (kAlignment - 1)) / kUnit * kUnit;
      const int parts = room < most / 4 ? 0 : (width - 1) / room + 1;
      length_ = parts == 0 ? 0 : ((width - 1) / parts / kUnit + 1) * kUnit;
    }
  }

  [[nodiscard]] int count() const { return length_ == 0 ? 0 : (width_ - 1) / length_ + 1; }
  [[nodiscard]] GPUIMG_HD int begin(int part) const { return part * length_; }
  [[nodiscard]] GPUIMG_HD int pixels(int part) const {
    const int left = width_ - begin(part);
    return left < length_ ? left : length_;
  }
  /// The first column that is kept.
  [[nodiscard]] GPUIMG_HD int first_column(int part) const {
    const int first = begin(part) - radius_;
    return first < 0 ? 0 : first / kAlignment * kAlignment;
  }

 private:
  int width_ = 0;
  int radius_ = 0;
  int length_ = 0;
};

/// A line's first sample, its last one, and the sum of all.
struct LineEnds {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t all;
};

/// How the sum of the first n samples of a line that goes on beyond both ends, from n = −size to 2 · size − 1, is made
/// of that of its first `at`, 0 ≤ at ≤ size. A negative n takes samples away.
struct PrefixBeyond {
  int at;
  int sign;                           ///< of that sum
  std::uint32_t firsts, lasts, alls;  ///< what is added: so many of LineEnds

  GPUIMG_HD PrefixBeyond(int n, int size, Border border) : at(n), sign(1), firsts(0), lasts(0), alls(0) {
    if (n >= 0 && n <= size) {
      return;
    }
    if (border == Border::reflect101) {
      at = n < 0 ? 1 - n : 2 * size - 1 - n;
      sign = -1;
      firsts = n < 0 ? 1 : 0;
      lasts = n < 0 ? 0 : static_cast<std::uint32_t>(-1);
      alls = n < 0 ? 0 : 2;
      return;
    }
    at = n < 0 ? 0 : size;
    const std::uint32_t outside = border == Border::cut ? 0 : static_cast<std::uint32_t>(n - at);
    firsts = n < 0 ? outside : 0;
    lasts = n < 0 ? 0 : outside;
  }

  /// Modulo 2³². `sum` is that of the first `at` samples.
  [[nodiscard]] GPUIMG_HD std::uint32_t of(std::uint32_t sum, const LineEnds& ends) const {
    return static_cast<std::uint32_t>(sign) * sum + firsts * ends.first + lasts * ends.last + alls * ends.all;
  }
};

/// The row that stands for `row`, from 1 − height to 2 · height − 2, or −1; as source_position().
GPUIMG_HD constexpr int nearby_row(int row, int height, Border border) {
  if (row >= 0 && row < height) {
    return row;
  }
  return border == Border::cut         ? -1
         : border == Border::replicate ? (row < 0 ? 0 : height - 1)
                                       : (row < 0 ? -row : 2 * (height - 1) - row);
}

/// The place of a word in shared memory: threads that write 16 bytes each, 64 bytes apart, share no bank, and at most
/// two of those that read words side by side do. A word 128 further on has its place 128 further on.
GPUIMG_HD constexpr int slide_place(int word) { return word ^ ((word >> 5 & 3) << 2); }

/// window_mean of a window above kMaxWholeSums, from that of the row before, or from estimated_mean(): one row changes
/// a mean by at most 255/(half of the side), because it counts no more than that part of the pixels. `sum` is modulo
/// 2³².
GPUIMG_HD constexpr std::uint32_t moved_mean(std::uint32_t mean, std::uint32_t sum, std::uint32_t n) {
  const auto rest = static_cast<std::int32_t>(sum + n / 2 - mean * n);
  return mean + (rest >= static_cast<std::int32_t>(n) ? 1U : 0U) - (rest < 0 ? 1U : 0U);
}

/// Bradley's comparison with such a window: true if a level is white, above `percent` of the window's mean. `mean` is
/// moved_mean().
GPUIMG_HD constexpr bool is_above_percent(std::uint32_t level, std::uint32_t mean, std::uint32_t sum, std::uint32_t n,
                                          std::uint32_t percent) {
  const auto rest = static_cast<std::int32_t>(sum - mean * n);  // of the sum, over mean · n
  const auto of_mean = static_cast<std::int32_t>(mean * percent - 100 * level);
  return std::int64_t{of_mean} * static_cast<std::int32_t>(n) +
             std::int64_t{rest} * static_cast<std::int32_t>(percent) <
         0;
}

inline constexpr int kEstimateShift = 8;

/// A window's mean, or one more or less, from the sum of its columns' sums, each shifted right by kEstimateShift. What
/// that leaves out is less than 255 · the columns, 1/8 of a level.
GPUIMG_HD inline std::uint32_t estimated_mean(std::uint32_t shifted_sum, std::uint32_t n) {
  const float mean = static_cast<float>(shifted_sum) * static_cast<float>(1 << kEstimateShift) / static_cast<float>(n);
  return static_cast<std::uint32_t>(mean + 0.5F);
}

}  // namespace gpuimg

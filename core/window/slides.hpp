// Sums of windows over 8-bit levels, computed by a block of device threads from column sums that slide down the rows.
// Defines how the first sums are obtained, how a line continues beyond its ends, and how means follow from sums modulo
// 2³². Specified in docs/operations.md, "Windows". The kernels are in cuda/window/slide_rows.cuh; tests run their host
// twin.
//
// A block computes rows over the whole width or a part of it. It keeps the sum of each column over the rows of the
// windows. For each row further down, it adds the level that enters and subtracts the level that leaves. Prefix sums
// over the columns then give the sum of each window as a difference.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpuimg/ops/window.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// Sums of windows up to this side, plus half their number of pixels, fit in 32 bits. For larger windows, only the low
/// 32 bits of the sum are known.
inline constexpr int kMaxWholeSums = 4099;
inline constexpr int kMaxSlidingWindow = 32767;  ///< has fewer than 2³⁰ pixels

/// Marks: an ascending list of row numbers at which the sums of all columns above are known. Windows around rows that
/// are multiples of `rows` begin and end at marks. This also holds for reflected windows, since all such rows lie at
/// three offsets from these multiples. The radius must be smaller than the height.
class RowMarks {
 public:
  RowMarks() = default;
  RowMarks(int height, int radius, int rows) : height_(height), rows_(rows) {
    offsets_[0] = (radius + 1) % rows;               // the last row of a window, or the reflected first row
    offsets_[1] = (rows - radius % rows) % rows;     // the row before a window
    offsets_[2] = (2 * height - 2 - radius) % rows;  // the reflected last row of a window
    std::sort(offsets_, offsets_ + kEach);
  }

  [[nodiscard]] GPUIMG_HD int rows() const { return rows_; }
  [[nodiscard]] GPUIMG_HD int count() const { return kEach * (height_ / rows_ + 1) + 1; }

  /// Number of rows above a mark; all rows for the last mark. Adjacent marks are at most rows() rows apart.
  [[nodiscard]] GPUIMG_HD int rows_above(int mark) const {
    const std::int64_t all = std::int64_t{mark / kEach} * rows_ + offsets_[mark % kEach];
    return all < height_ ? static_cast<int>(all) : height_;
  }

  /// The mark with this many rows above it.
  [[nodiscard]] GPUIMG_HD int mark_at(int rows_above) const {
    if (rows_above >= height_) {
      return count() - 1;
    }
    const int offset = rows_above % rows_;
    const int which = offset == offsets_[0] ? 0 : offset == offsets_[1] ? 1 : 2;
    return rows_above / rows_ * kEach + which;
  }

 private:
  static constexpr int kEach = 3;  ///< marks per `rows` rows

  int height_ = 0;
  int rows_ = 1;
  int offsets_[kEach] = {};
};

/// Divides a row for blocks that can hold only a limited number of columns: into parts of equal length. A block holds
/// one part and the neighboring columns that its windows reach.
class RowParts {
 public:
  static constexpr int kUnit = 128;      ///< if there are several parts, their length is a multiple of this
  static constexpr int kAlignment = 16;  ///< alignment of the first column held

  RowParts() = default;
  /// For blocks that hold up to `most` columns. count() is 0 if a part would be shorter than a quarter of `most`.
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
  /// The first column that a block holds.
  [[nodiscard]] GPUIMG_HD int first_column(int part) const {
    const int first = begin(part) - radius_;
    return first < 0 ? 0 : first / kAlignment * kAlignment;
  }

 private:
  int width_ = 0;
  int radius_ = 0;
  int length_ = 0;
};

/// The first and last sample of a line, and the sum of all its samples.
struct LineEnds {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t all;
};

/// The line is continued beyond both ends. Expresses the sum of its first n samples, −size ≤ n ≤ 2 · size − 1, by the
/// sum of the first `at` samples, 0 ≤ at ≤ size. For a negative n, samples before the line are subtracted.
struct PrefixBeyond {
  int at;
  int sign;                           ///< factor of the sum of the first `at` samples
  std::uint32_t firsts, lasts, alls;  ///< how many of each LineEnds member to add

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

  /// The result, modulo 2³². `sum` is the sum of the first `at` samples.
  [[nodiscard]] GPUIMG_HD std::uint32_t of(std::uint32_t sum, const LineEnds& ends) const {
    return static_cast<std::uint32_t>(sign) * sum + firsts * ends.first + lasts * ends.last + alls * ends.all;
  }
};

/// Like source_position(), but only for rows 1 − height … 2 · height − 2. Returns −1 if no row is used.
GPUIMG_HD constexpr int nearby_row(int row, int height, Border border) {
  if (row >= 0 && row < height) {
    return row;
  }
  return border == Border::cut         ? -1
         : border == Border::replicate ? (row < 0 ? 0 : height - 1)
                                       : (row < 0 ? -row : 2 * (height - 1) - row);
}

/// The index of a word in shared memory, chosen to avoid bank conflicts. Threads that write 16 bytes each, 64 bytes
/// apart, use different banks. At most two of the threads that read adjacent words use the same bank. Adding 128 to
/// `word` adds 128 to the index.
GPUIMG_HD constexpr int slide_place(int word) { return word ^ ((word >> 5 & 3) << 2); }

/// window_mean() for a window with more than kMaxWholeSums pixels per side, given the mean of the row before or
/// estimated_mean(). From one row to the next, the mean changes by at most 255/(half of the side), because at most
/// 1/(half of the side) of the pixels change. `sum` is modulo 2³².
GPUIMG_HD constexpr std::uint32_t moved_mean(std::uint32_t mean, std::uint32_t sum, std::uint32_t n) {
  const auto rest = static_cast<std::int32_t>(sum + n / 2 - mean * n);
  return mean + (rest >= static_cast<std::int32_t>(n) ? 1U : 0U) - (rest < 0 ? 1U : 0U);
}

/// Bradley's comparison for a window with more than kMaxWholeSums pixels per side: true if a level is white, that is,
/// above `percent` of the window's mean. `mean` comes from moved_mean().
GPUIMG_HD constexpr bool is_above_percent(std::uint32_t level, std::uint32_t mean, std::uint32_t sum, std::uint32_t n,
                                          std::uint32_t percent) {
  const auto rest = static_cast<std::int32_t>(sum - mean * n);  // remainder of the sum after mean · n
  const auto of_mean = static_cast<std::int32_t>(mean * percent - 100 * level);
  return std::int64_t{of_mean} * static_cast<std::int32_t>(n) +
             std::int64_t{rest} * static_cast<std::int32_t>(percent) <
         0;
}

inline constexpr int kEstimateShift = 8;

/// The mean of a window, off by at most one, from the total of its column sums, each shifted right by kEstimateShift.
/// The shifts lose less than 255 · columns, which is 1/8 of a level.
GPUIMG_HD inline std::uint32_t estimated_mean(std::uint32_t shifted_sum, std::uint32_t n) {
  const float mean = static_cast<float>(shifted_sum) * static_cast<float>(1 << kEstimateShift) / static_cast<float>(n);
  return static_cast<std::uint32_t>(mean + 0.5F);
}

}  // namespace gpuimg

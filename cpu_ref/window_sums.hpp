// Sums of the samples in the window around each pixel, row after row: sums of columns slide down, and a running sum
// slides along them. Specified in docs/operations.md, "Windows".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/image.hpp"
#include "ops/window.hpp"
#include "parallel_loops.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {

struct WindowShape {
  int radius = 0;
  Border border = Border::reflect101;

  [[nodiscard]] int size() const { return 2 * radius + 1; }
};

/// True if sums of a window of n samples up to v_max, and such a sum plus n, fit 31 bits.
inline bool fits_31_bits(const WindowShape& shape, std::uint64_t v_max) {
  const auto size = static_cast<std::uint64_t>(shape.size());
  return size < 4096 && size * size * (v_max + 1) < (std::uint64_t{1} << 31);
}

/// How often each position is in the window around `at`, up to the last that is.
inline std::vector<std::uint32_t> window_weights(int at, int size, const WindowShape& shape) {
  std::vector<std::uint32_t> weights;
  for (int i = at - shape.radius; i <= at + shape.radius; ++i) {
    if (const int position = source_position(i, size, shape.border); position >= 0) {
      weights.resize(std::max(weights.size(), static_cast<std::size_t>(position) + 1));
      ++weights[static_cast<std::size_t>(position)];
    }
  }
  return weights;
}

/// The windows of rows, one row after the other. `Sum` is u32 if fits_31_bits, else u64.
template <class T, class Sum, int channels, bool is_squared = false>
class WindowSums {
 public:
  WindowSums(ConstView pixels, const WindowShape& shape)
      : pixels_(pixels),
        shape_(shape),
        samples_(static_cast<std::size_t>(pixels.width) * channels),
        columns_(samples_),
        sums_(samples_),
        no_row_(samples_),
        first_weights_(window_weights(0, pixels.width, shape)) {}

  /// The sums of each sample's window of row y; y follows the last call's row unless is_first. Valid until the next
  /// call.
  const Sum* row(int y, bool is_first) {
    if (is_first) {
      start_columns(y);
    } else {
      const auto row_or_none = [&](int at) {
        const int position = source_position(at, pixels_.height, shape_.border);
        return position < 0 ? no_row_.data() : pixels_.row<T>(position);
      };
      slide(row_or_none(y + shape_.radius), row_or_none(y - shape_.radius - 1));
    }
    sum_along_columns();
    return sums_.data();
  }

 private:
  static constexpr Sum value(T sample) { return is_squared ? Sum{sample} * sample : Sum{sample}; }

  void start_columns(int y) {
    std::fill(columns_.begin(), columns_.end(), Sum{0});
    const std::vector<std::uint32_t> weights = window_weights(y, pixels_.height, shape_);
    for (std::size_t at = 0; at < weights.size(); ++at) {
      if (weights[at] == 1) {
        slide(pixels_.row<T>(static_cast<int>(at)), no_row_.data());
      } else if (weights[at] > 1) {
        const T* samples = pixels_.row<T>(static_cast<int>(at));
        for (std::size_t i = 0; i < samples_; ++i) {
          columns_[i] += weights[at] * value(samples[i]);
        }
      }
    }
  }

  void slide(const T* entering, const T* leaving) {
    if constexpr (std::is_same_v<Sum, std::uint32_t> && !is_squared) {
      slide_columns(entering, leaving, samples_, columns_.data());
    } else {
      for (std::size_t i = 0; i < samples_; ++i) {
        columns_[i] += value(entering[i]) - value(leaving[i]);
      }
    }
  }

  void sum_along_columns() {
    std::array<Sum, channels> sum{};
    for (std::size_t x = 0; x < first_weights_.size(); ++x) {
      for (std::size_t c = 0; c < channels; ++c) {
        sum[c] += first_weights_[x] * columns_[x * channels + c];
      }
    }
    std::copy(sum.begin(), sum.end(), sums_.begin());
    const int inside = std::min(pixels_.width, shape_.radius + 1);
    const int outside = std::max(inside, pixels_.width - shape_.radius);
    slide_at_border(1, inside, sum);
    slide_inside(inside, outside, sum);
    slide_at_border(outside, pixels_.width, sum);
  }

  /// Columns [begin, end) whose windows, and those to their left, are inside the image.
  void slide_inside(int begin, int end, std::array<Sum, channels>& sum) {
    const std::ptrdiff_t radius = shape_.radius;
    const Sum* const entering = columns_.data() + radius * channels;
    const Sum* const leaving = columns_.data() - (radius + 1) * channels;
    Sum* const sums = sums_.data();
    if constexpr (channels == 1 && std::is_same_v<Sum, std::uint32_t>) {
      sum[0] =
          slide_along(entering + begin, leaving + begin, static_cast<std::size_t>(end - begin), sum[0], sums + begin);
      return;
    }
    std::array<Sum, channels> running = sum;  // in registers: no other code sees it
    for (std::ptrdiff_t x = begin; x < end; ++x) {
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const std::ptrdiff_t i = x * channels + c;
        running[static_cast<std::size_t>(c)] += entering[i] - leaving[i];
        sums[i] = running[static_cast<std::size_t>(c)];
      }
    }
    sum = running;
  }

  /// Columns [begin, end) whose windows enter or leave the image.
  void slide_at_border(int begin, int end, std::array<Sum, channels>& sum) {
    const auto column = [&](int at, std::size_t c) {
      const int position = source_position(at, pixels_.width, shape_.border);
      return position < 0 ? Sum{0} : columns_[static_cast<std::size_t>(position) * channels + c];
    };
    for (int x = begin; x < end; ++x) {
      for (std::size_t c = 0; c < channels; ++c) {
        sum[c] += column(x + shape_.radius, c) - column(x - shape_.radius - 1, c);
        sums_[static_cast<std::size_t>(x) * channels + c] = sum[c];
      }
    }
  }

  ConstView pixels_;
  WindowShape shape_;
  std::size_t samples_;
  std::vector<Sum> columns_;  ///< of the window's rows
  std::vector<Sum> sums_;
  std::vector<T> no_row_;
  std::vector<std::uint32_t> first_weights_;
};

/// Calls body(first_row, end_row) for bands that cover the image, on the threads of the current arena. Each band sums
/// the columns of a window first, so the bands are few and tall.
template <class Body>
void for_window_bands(ConstView pixels, const WindowShape& shape, const Body& body) {
  const int threads = loop_threads();
  const int bands = threads == 1 ? 1 : 4 * threads;
  const int rows = std::max(
      {rows_per_band(pixels.width), (pixels.height + bands - 1) / bands, std::min(shape.size(), pixels.height)});
  for_each_index(0, (pixels.height + rows - 1) / rows, [&](int band) {
    const int begin = band * rows;
    body(begin, begin + std::min(rows, pixels.height - begin));
  });
}

/// Calls span(begin, end, n) for the columns of a row whose windows have n positions across, from left to right.
template <class Span>
void for_equal_counts(int width, const WindowShape& shape, const Span& span) {
  int begin = 0;
  while (begin < width) {
    const std::uint32_t n = counted_positions(begin, shape.radius, width, shape.border);
    const bool is_inside = n == static_cast<std::uint32_t>(shape.size());
    int end = begin + 1;
    if (is_inside) {
      end = shape.border == Border::cut ? width - shape.radius : width;
    }
    span(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), n);
    begin = end;
  }
}

}  // namespace gpuimg::cpu

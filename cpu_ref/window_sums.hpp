// Sums of the samples in the window around each pixel, row after row: column sums slide down the rows, and a running
// sum slides along the columns. Specified in docs/operations.md, "Windows".
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/image.hpp"
#include "gpuimg/selection.hpp"
#include "operations.hpp"
#include "ops/window.hpp"
#include "parallel_loops.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {

/// True if the sum of a window of samples up to v_max, plus its number of samples n, fits in 31 bits.
inline bool fits_31_bits(const WindowShape& shape, std::uint64_t v_max) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 31;
  const std::uint64_t n = static_cast<std::uint64_t>(shape.width()) * static_cast<std::uint64_t>(shape.height());
  return n < kLimit && n * (v_max + 1) < kLimit;
}

/// The number of times that each position occurs in the window around `at`, up to the last position that occurs.
inline std::vector<std::uint32_t> window_weights(int at, int size, int radius, Border border) {
  std::vector<std::uint32_t> weights;
  for (int i = at - radius; i <= at + radius; ++i) {
    if (const int position = source_position(i, size, border); position >= 0) {
      weights.resize(std::max(weights.size(), static_cast<std::size_t>(position) + 1));
      ++weights[static_cast<std::size_t>(position)];
    }
  }
  return weights;
}

/// The sums of all windows, one row of pixels after another. `Sum` is u32 if fits_31_bits() is true, else u64.
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
        first_weights_(window_weights(0, pixels.width, shape.radius_x, shape.border)) {}

  /// The window sums of all samples of row y. Unless is_first, y must be the row after the row of the last call. The
  /// result is valid until the next call.
  const Sum* row(int y, bool is_first) {
    if (is_first) {
      start_columns(y);
    } else {
      const auto row_or_none = [&](int at) {
        const int position = source_position(at, pixels_.height, shape_.border);
        return position < 0 ? no_row_.data() : pixels_.row<T>(position);
      };
      slide(row_or_none(y + shape_.radius_y), row_or_none(y - shape_.radius_y - 1));
    }
    sum_along_columns();
    return sums_.data();
  }

 private:
  static constexpr Sum value(T sample) { return is_squared ? Sum{sample} * sample : Sum{sample}; }

  void start_columns(int y) {
    std::fill(columns_.begin(), columns_.end(), Sum{0});
    const std::vector<std::uint32_t> weights = window_weights(y, pixels_.height, shape_.radius_y, shape_.border);
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
    const int inside = std::min(pixels_.width, shape_.radius_x + 1);
    const int outside = std::max(inside, pixels_.width - shape_.radius_x);
    slide_at_border(1, inside, sum);
    slide_inside(inside, outside, sum);
    slide_at_border(outside, pixels_.width, sum);
  }

  /// For columns [begin, end). Their windows, and the window of the column to the left of each, must lie inside the
  /// image.
  void slide_inside(int begin, int end, std::array<Sum, channels>& sum) {
    const std::ptrdiff_t radius = shape_.radius_x;
    const Sum* const entering = columns_.data() + radius * channels;
    const Sum* const leaving = columns_.data() - (radius + 1) * channels;
    Sum* const sums = sums_.data();
    if constexpr (channels == 1 && std::is_same_v<Sum, std::uint32_t>) {
      sum[0] =
          slide_along(entering + begin, leaving + begin, static_cast<std::size_t>(end - begin), sum[0], sums + begin);
      return;
    }
    std::array<Sum, channels> running = sum;  // a local copy can stay in registers
    for (std::ptrdiff_t x = begin; x < end; ++x) {
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const std::ptrdiff_t i = x * channels + c;
        running[static_cast<std::size_t>(c)] += entering[i] - leaving[i];
        sums[i] = running[static_cast<std::size_t>(c)];
      }
    }
    sum = running;
  }

  /// For columns [begin, end) if their windows, or the windows of their left neighbors, reach outside the image.
  void slide_at_border(int begin, int end, std::array<Sum, channels>& sum) {
    const auto column = [&](int at, std::size_t c) {
      const int position = source_position(at, pixels_.width, shape_.border);
      return position < 0 ? Sum{0} : columns_[static_cast<std::size_t>(position) * channels + c];
    };
    for (int x = begin; x < end; ++x) {
      for (std::size_t c = 0; c < channels; ++c) {
        sum[c] += column(x + shape_.radius_x, c) - column(x - shape_.radius_x - 1, c);
        sums_[static_cast<std::size_t>(x) * channels + c] = sum[c];
      }
    }
  }

  ConstView pixels_;
  WindowShape shape_;
  std::size_t samples_;
  std::vector<Sum> columns_;  ///< column sums over the rows of the window
  std::vector<Sum> sums_;
  std::vector<T> no_row_;
  std::vector<std::uint32_t> first_weights_;
};

/// Calls body(first_row, end_row) for bands that cover the image, on the threads of the current arena. Each band begins
/// by summing the columns of a window, so bands are few and tall.
template <class Body>
void for_window_bands(ConstView pixels, const WindowShape& shape, const Body& body) {
  const int threads = loop_threads();
  const int bands = threads == 1 ? 1 : 4 * threads;
  const int rows = std::max(
      {rows_per_band(pixels.width), (pixels.height + bands - 1) / bands, std::min(shape.height(), pixels.height)});
  for_each_index(0, (pixels.height + rows - 1) / rows, [&](int band) {
    const int begin = band * rows;
    body(begin, begin + std::min(rows, pixels.height - begin));
  });
}

/// The weights of an image's pixels.
template <class T>
PixelWeights<T> weights_of(ConstView pixels, const Selection& selection) {
  PixelWeights<T> weights;
  weights.pixels = pixels.data;
  weights.pitch_bytes = pixels.pitch_bytes;
  weights.channels = pixels.format.channels;
  weights.by_alpha = pixels.format.has_alpha() && !selection.count_transparent;
  weights.region = selection.region.value_or(Rect{0, 0, pixels.width, pixels.height});
  if (selection.mask != nullptr) {
    const ConstView mask = pixels_of(*selection.mask);
    weights.mask = mask.row<std::uint8_t>(0);
    weights.mask_pitch = mask.pitch_bytes;
  }
  return weights;
}

/// True if all pixels of the image have alpha V.
template <class T>
bool is_opaque(ConstView pixels) {
  const auto step = static_cast<std::size_t>(pixels.format.channels);
  std::atomic<bool> is_opaque = true;
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    for (int y = begin; y < end && is_opaque; ++y) {
      const T* alpha = pixels.row<T>(y) + (step - 1);
      T all = static_cast<T>(kMaxOf<T>);
      for (std::size_t i = 0; i < static_cast<std::size_t>(pixels.width); ++i) {
        all &= alpha[i * step];
      }
      if (all != kMaxOf<T>) {
        is_opaque = false;
      }
    }
  });
  return is_opaque;
}

/// True if the weights can differ: there is a mask, the region is not the whole picture, or the alpha of some pixel is
/// below the maximum.
template <class T>
bool are_unequal(ConstView pixels, const PixelWeights<T>& weights) {
  const Rect& region = weights.region;
  return weights.mask != nullptr || region.width != pixels.width || region.height != pixels.height ||
         (weights.by_alpha && !is_opaque<T>(pixels));
}

/// Sums for windows of levels whose pixels have weights, one row after another. Computes squares only if has_squares.
template <class T>
class WeightedWindows {
 public:
  WeightedWindows(ConstView levels, const PixelWeights<T>& weights, const WindowShape& shape, bool has_squares)
      : levels_(levels),
        weights_(weights),
        shape_(shape),
        has_squares_(has_squares),
        columns_(static_cast<std::size_t>(levels.width) + 1),
        sums_(static_cast<std::size_t>(levels.width)) {
    for (int x = -shape.radius_x - 1; x < levels.width + shape.radius_x; ++x) {
      const int position = source_position(x, levels.width, shape.border);
      places_.push_back(static_cast<std::size_t>(position < 0 ? levels.width : position));  // the last column is empty
    }
  }

  /// The sums of all windows of row y. If all weights of a window are V, they are divided by V. Unless is_first, y must
  /// be the row after the row of the last call. The result is valid until the next call.
  const WeightedSums* row(int y, bool is_first) {
    if (is_first) {
      columns_.assign(columns_.size(), Column{});
      const std::vector<std::uint32_t> times = window_weights(y, levels_.height, shape_.radius_y, shape_.border);
      for (std::size_t at = 0; at < times.size(); ++at) {
        add_row(static_cast<int>(at), times[at]);
      }
    } else {
      add_row(source_position(y + shape_.radius_y, levels_.height, shape_.border), 1);
      add_row(source_position(y - shape_.radius_y - 1, levels_.height, shape_.border), ~std::uint64_t{0});
    }
    sum_along_columns(counted_positions(y, shape_.radius_y, levels_.height, shape_.border));
    return sums_.data();
  }

 private:
  /// Sums of a column over the rows of the window. Up to 65535 squares fit in 64 bits.
  struct Column {
    std::uint64_t weights = 0;
    std::uint64_t levels = 0;
    std::uint64_t squares = 0;
  };

  /// Adds a row `times` times, modulo 2⁶⁴. No-op if `at` is negative.
  void add_row(int at, std::uint64_t times) {
    if (at < 0 || times == 0) {
      return;
    }
    const T* levels = levels_.row<T>(at);
    for (int x = 0; x < levels_.width; ++x) {
      const std::uint64_t weight = times * weights_(x, at);
      Column& column = columns_[static_cast<std::size_t>(x)];
      column.weights += weight;
      column.levels += weight * levels[x];
      column.squares += weight * levels[x] * levels[x];
    }
  }

  void sum_along_columns(std::uint64_t rows) {
    WeightedSums sum;
    const auto size = static_cast<std::size_t>(shape_.width());
    for (std::size_t i = 0; i < size; ++i) {
      add(columns_[places_[i]], sum);
    }
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      const Column& leaving = columns_[places_[x]];
      sum.weights -= leaving.weights;
      sum.levels -= leaving.levels;
      sum.squares -= has_squares_ ? leaving.squares : 0;
      add(columns_[places_[x + size]], sum);
      const std::uint64_t n =
          rows * counted_positions(static_cast<int>(x), shape_.radius_x, levels_.width, shape_.border);
      sums_[x] = without_common_weight(sum, n, kMaxOf<T>);
    }
  }

  void add(const Column& column, WeightedSums& sum) const {
    sum.weights += column.weights;
    sum.levels += column.levels;
    sum.squares += has_squares_ ? column.squares : 0;
  }

  ConstView levels_;
  PixelWeights<T> weights_;
  WindowShape shape_;
  bool has_squares_;
  std::vector<Column> columns_;
  std::vector<WeightedSums> sums_;
  std::vector<std::size_t> places_;  ///< index of column x − radius − 1, for x = 0 and up
};

/// Calls span(begin, end, n) for maximal ranges of columns of a row whose windows have n positions across, from left to
/// right.
template <class Span>
void for_equal_counts(int width, const WindowShape& shape, const Span& span) {
  int begin = 0;
  while (begin < width) {
    const std::uint32_t n = counted_positions(begin, shape.radius_x, width, shape.border);
    const bool is_inside = n == static_cast<std::uint32_t>(shape.width());
    int end = begin + 1;
    if (is_inside) {
      end = shape.border == Border::cut ? width - shape.radius_x : width;
    }
    span(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), n);
    begin = end;
  }
}

}  // namespace gpuimg::cpu

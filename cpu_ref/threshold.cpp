// Thresholds on the CPU. Specified in docs/operations.md, "Thresholds".
#include "ops/threshold.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <vector>

#include "levels.hpp"
#include "operations.hpp"
#include "ops/window.hpp"
#include "simd/simd_rows.hpp"
#include "window_sums.hpp"

namespace gpuimg::cpu {
namespace {

constexpr std::uint8_t color_of(bool is_white) { return is_white ? 255 : 0; }

template <class T>
void fill_classes(ConstView levels, const ClassColors& colors, View out) {
  const bool has_map = sizeof(T) == 1 || colors.classes > 2;
  std::vector<std::uint8_t> map(has_map ? kMaxOf<T> + std::size_t{1} : 0);
  for (std::uint32_t level = 0; level < map.size(); ++level) {
    map[level] = static_cast<std::uint8_t>(colors(level));
  }
  const auto width = static_cast<std::size_t>(levels.width);
  const std::uint32_t threshold = colors.levels[0];
  for_row_bands(levels.width, levels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const T* row = levels.row<T>(y);
      auto* white = out.row<std::uint8_t>(y);
      if constexpr (sizeof(T) == 1) {
        mapped_bytes(row, width, map.data(), white);
      } else {
        for (std::size_t x = 0; x < width; ++x) {
          white[x] = has_map ? map[row[x]] : color_of(row[x] > threshold);
        }
      }
    }
  });
}

/// For 8 bits: first computes the means of a row, then compares; both are vectorized.
void fill_above_means(ConstView levels, const WindowShape& shape, const ThresholdRule& rule, View out) {
  const auto width = static_cast<std::size_t>(levels.width);
  const auto n = static_cast<std::uint32_t>(shape.width() * shape.height());
  for_window_bands(levels, shape, [&](int begin, int end) {
    WindowSums<std::uint8_t, std::uint32_t, 1> windows(levels, shape);
    for (int y = begin; y < end; ++y) {
      auto* row = out.row<std::uint8_t>(y);
      means_of_sums(windows.row(y, y == begin), width, n, row);
      compare_with_means(levels.row<std::uint8_t>(y), width, rule.offset, row);
    }
  });
}

template <class T, class Sum, ThresholdMethod method>
void fill_by_windows(ConstView levels, const WindowShape& shape, const ThresholdRule& rule, View out) {
  constexpr bool kNeedsSquares = needs_squares(method);
  for_window_bands(levels, shape, [&](int begin, int end) {
    WindowSums<T, Sum, 1> windows(levels, shape);
    WindowSums<T, std::uint64_t, 1, true> squared_windows(levels, shape);
    for (int y = begin; y < end; ++y) {
      const Sum* sums = windows.row(y, y == begin);
      const std::uint64_t* squares = kNeedsSquares ? squared_windows.row(y, y == begin) : nullptr;
      const T* row = levels.row<T>(y);
      auto* white = out.row<std::uint8_t>(y);
      const std::uint64_t rows = counted_positions(y, shape.radius_y, levels.height, shape.border);
      for_equal_counts(levels.width, shape, [&](std::size_t first, std::size_t last, std::uint64_t columns) {
        for (std::size_t x = first; x < last; ++x) {
          const std::uint64_t square_sum = kNeedsSquares ? squares[x] : 0;
          white[x] = color_of(is_white<method>(row[x], sums[x], square_sum, rows * columns, rule));
        }
      });
    }
  });
}

template <class T>
void fill_by_method(ConstView levels, const ThresholdOptions& options, View out) {
  const WindowShape shape(window_of(levels.width, levels.height, options), border_of(options.method));
  const ThresholdRule rule = threshold_rule(levels.format, options);
  const bool is_narrow = fits_31_bits(shape, kMaxOf<T>);
  if (sizeof(T) == 1 && is_narrow && options.method == ThresholdMethod::mean) {
    return fill_above_means(levels, shape, rule, out);
  }
  with_window_method(options.method, [&]<ThresholdMethod method>() {
    is_narrow ? fill_by_windows<T, std::uint32_t, method>(levels, shape, rule, out)
              : fill_by_windows<T, std::uint64_t, method>(levels, shape, rule, out);
  });
}

template <class T>
void fill_by_weighted_windows(ConstView levels, const PixelWeights<T>& weights, const ThresholdOptions& options,
                              View out) {
  const WindowShape shape(window_of(levels.width, levels.height, options), border_of(options.method));
  const ThresholdRule rule = threshold_rule(levels.format, options);
  with_window_method(options.method, [&]<ThresholdMethod method>() {
    for_window_bands(levels, shape, [&](int begin, int end) {
      WeightedWindows<T> windows(levels, weights, shape, needs_squares(method));
      for (int y = begin; y < end; ++y) {
        const WeightedSums* sums = windows.row(y, y == begin);
        const T* row = levels.row<T>(y);
        auto* white = out.row<std::uint8_t>(y);
        for (int x = 0; x < levels.width; ++x) {
          white[x] = color_of(is_white<method>(row[x], sums[x], rule));
        }
      }
    });
  });
}

/// Otsu's thresholds. If all pixels count, they are computed from `levels`, so that luma is computed only once.
ClassLevels used_levels(ConstView pixels, ConstView levels, const ThresholdOptions& options, bool counts_all) {
  if (options.levels) {
    return *options.levels;
  }
  const Histogram counted =
      counts_all ? histogram(levels, HistogramOptions{}) : histogram(pixels, counted_for_otsu(options));
  return otsu_levels(counted.channels.front().counts, options.classes);
}

/// The WolfScale of rows [first_row, end_row). Among windows with the same number of pixels, the window with the
/// largest numerator has the largest variance.
template <class T, class Sum>
WolfScale scale_of_windows(ConstView levels, const WindowShape& shape, int first_row, int end_row) {
  using Numerator = std::conditional_t<sizeof(Sum) == 4, std::uint64_t, Uint128>;  // n²V² < 2⁶² if sums fit 31 bits
  WolfScale all;
  std::mutex mutex;
  for_window_bands(levels, shape, [&](int begin, int end) {
    WindowSums<T, Sum, 1> windows(levels, shape);
    WindowSums<T, std::uint64_t, 1, true> squared_windows(levels, shape);
    WolfScale scale;
    const int first = std::max(begin, first_row);
    for (int y = first; y < std::min(end, end_row); ++y) {
      const Sum* sums = windows.row(y, y == first);
      const std::uint64_t* squares = squared_windows.row(y, y == first);
      const T* row = levels.row<T>(y);
      scale.add({*std::min_element(row, row + levels.width), 0.0});
      const std::uint64_t rows = counted_positions(y, shape.radius_y, levels.height, shape.border);
      for_equal_counts(levels.width, shape, [&](std::size_t from, std::size_t to, std::uint64_t columns) {
        const std::uint64_t n = rows * columns;
        Numerator most = 0;
        for (std::size_t x = from; x < to; ++x) {
          most = std::max<Numerator>(most, Numerator{n} * squares[x] - Numerator{sums[x]} * sums[x]);
        }
        scale.add({levels.format.max_value(), variance_of(most, n)});
      });
    }
    const std::lock_guard lock(mutex);
    all.add(scale);
  });
  return all;
}

template <class T>
WolfScale scale_of_weighted_windows(ConstView levels, const PixelWeights<T>& weights, const WindowShape& shape,
                                    int first_row, int end_row) {
  WolfScale all;
  std::mutex mutex;
  for_window_bands(levels, shape, [&](int begin, int end) {
    WeightedWindows<T> windows(levels, weights, shape, true);
    WolfScale scale;
    const int first = std::max(begin, first_row);
    for (int y = first; y < std::min(end, end_row); ++y) {
      const WeightedSums* sums = windows.row(y, y == first);
      const T* row = levels.row<T>(y);
      for (int x = 0; x < levels.width; ++x) {
        if (weights(x, y) != 0) {
          scale.add({row[x], weighted_variance(sums[x])});
        }
      }
    }
    const std::lock_guard lock(mutex);
    all.add(scale);
  });
  return all;
}

template <class T>
WolfScale scale_of(ConstView pixels, ConstView levels, const ThresholdOptions& options, int first_row, int end_row) {
  const WindowShape shape(window_of(levels.width, levels.height, options), border_of(options.method));
  const PixelWeights<T> weights = weights_of<T>(pixels, options.selection);
  if (weighs_pixels(pixels.format, options) && are_unequal(pixels, weights)) {
    return scale_of_weighted_windows(levels, weights, shape, first_row, end_row);
  }
  return fits_31_bits(shape, kMaxOf<T>) ? scale_of_windows<T, std::uint32_t>(levels, shape, first_row, end_row)
                                        : scale_of_windows<T, std::uint64_t>(levels, shape, first_row, end_row);
}

/// Makes all pixels that a Selection excludes white.
template <class T>
void fill_blank(const PixelWeights<T>& weights, View out) {
  for_row_bands(out.width, out.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      auto* white = out.row<std::uint8_t>(y);
      for (int x = 0; x < out.width; ++x) {
        white[x] = weights.is_blank(x, y) ? color_of(true) : white[x];
      }
    }
  });
}

void invert(View out) {
  for_row_bands(out.width, out.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      auto* row = out.row<std::uint8_t>(y);
      std::transform(row, row + out.width, row,
                     [](std::uint8_t color) { return static_cast<std::uint8_t>(255 - color); });
    }
  });
}

template <class T>
void fill(ConstView pixels, ConstView levels, ThresholdOptions options, View out) {
  const PixelWeights<T> weights = weights_of<T>(pixels, options.selection);
  const bool is_weighted = weighs_pixels(pixels.format, options) && are_unequal(pixels, weights);
  if (options.method == ThresholdMethod::otsu) {
    const ClassLevels used = used_levels(pixels, levels, options, !is_weighted);
    if (options.used_levels != nullptr) {
      *options.used_levels = used;
    }
    fill_classes<T>(levels, {used, options.classes}, out);
  } else {
    if (looks_first(options)) {
      options.scale = scale_of<T>(pixels, levels, options, 0, levels.height);
    }
    is_weighted ? fill_by_weighted_windows<T>(levels, weights, options, out) : fill_by_method<T>(levels, options, out);
  }
  if (is_weighted) {
    fill_blank(weights, out);
  }
  if (options.invert) {
    invert(out);
  }
}

}  // namespace

WolfScale wolf_scale(ConstView pixels, const ThresholdOptions& options, int first_row, int end_row, PixelPool& pool) {
  const LevelPlane plane(pixels, options.channel, options.luma, pool);
  return pixels.format.sample == Sample::u8
             ? scale_of<std::uint8_t>(pixels, plane.levels(), options, first_row, end_row)
             : scale_of<std::uint16_t>(pixels, plane.levels(), options, first_row, end_row);
}

Image apply(ConstView pixels, const ThresholdOptions& options, PixelPool& pool) {
  Image result = pool.image(pixels.width, pixels.height, result_format(pixels.format, options));
  const LevelPlane plane(pixels, options.channel, options.luma, pool);
  pixels.format.sample == Sample::u8 ? fill<std::uint8_t>(pixels, plane.levels(), options, result.view())
                                     : fill<std::uint16_t>(pixels, plane.levels(), options, result.view());
  return result;
}

}  // namespace gpuimg::cpu

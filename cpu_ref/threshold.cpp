// Thresholds on the CPU. Specified in docs/operations.md, "Thresholds".
#include "ops/threshold.hpp"

#include <cstdint>
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
void fill_above(ConstView levels, std::uint32_t threshold, View out) {
  std::vector<std::uint8_t> map(256);  // of 8-bit levels
  for (std::uint32_t level = 0; level < map.size(); ++level) {
    map[level] = color_of(level > threshold);
  }
  const auto width = static_cast<std::size_t>(levels.width);
  for_row_bands(levels.width, levels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const T* row = levels.row<T>(y);
      auto* white = out.row<std::uint8_t>(y);
      if constexpr (sizeof(T) == 1) {
        mapped_bytes(row, width, map.data(), white);
      } else {
        for (std::size_t x = 0; x < width; ++x) {
          white[x] = color_of(row[x] > threshold);
        }
      }
    }
  });
}

/// 8 bits: the means of a row first, then the comparison, both vectorized.
void fill_above_means(ConstView levels, const WindowShape& shape, const ThresholdRule& rule, View out) {
  const auto width = static_cast<std::size_t>(levels.width);
  const auto n = static_cast<std::uint32_t>(shape.size() * shape.size());
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
  constexpr bool kNeedsSquares = method == ThresholdMethod::niblack || method == ThresholdMethod::sauvola;
  for_window_bands(levels, shape, [&](int begin, int end) {
    WindowSums<T, Sum, 1> windows(levels, shape);
    WindowSums<T, std::uint64_t, 1, true> squared_windows(levels, shape);
    for (int y = begin; y < end; ++y) {
      const Sum* sums = windows.row(y, y == begin);
      const std::uint64_t* squares = kNeedsSquares ? squared_windows.row(y, y == begin) : nullptr;
      const T* row = levels.row<T>(y);
      auto* white = out.row<std::uint8_t>(y);
      const std::uint64_t rows = counted_positions(y, shape.radius, levels.height, shape.border);
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
  const WindowShape shape{window_of(levels.width, levels.height, options) / 2, border_of(options.method)};
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

std::uint32_t counted_level(ConstView levels) {
  return otsu_level(histogram(levels, HistogramOptions{}).channels.front().counts);
}

template <class T>
void fill(ConstView levels, const ThresholdOptions& options, View out) {
  if (options.method == ThresholdMethod::otsu) {
    fill_above<T>(levels, options.level ? *options.level : counted_level(levels), out);
  } else {
    fill_by_method<T>(levels, options, out);
  }
}

}  // namespace

Image apply(ConstView pixels, const ThresholdOptions& options, PixelPool& pool) {
  Image result = pool.image(pixels.width, pixels.height, result_format(pixels.format, options));
  const LevelPlane plane(pixels, options.channel, options.luma, pool);
  pixels.format.sample == Sample::u8 ? fill<std::uint8_t>(plane.levels(), options, result.view())
                                     : fill<std::uint16_t>(plane.levels(), options, result.view());
  return result;
}

}  // namespace gpuimg::cpu

// Mean, variance and standard deviation of the window around each pixel, on the CPU.
// Specified in docs/operations.md, "Windows".
#include "ops/window.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "levels.hpp"
#include "operations.hpp"
#include "pixel_rows.hpp"
#include "window_sums.hpp"

namespace gpuimg::cpu {
namespace {

template <class T, class Sum, int channels>
void write_means(const Sum* sums, std::size_t count, std::uint64_t n, T* out) {
  if constexpr (std::is_same_v<Sum, std::uint32_t>) {
    means_of_sums(sums, count, static_cast<std::uint32_t>(n), out);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = static_cast<T>(window_mean(sums[i], n));
    }
  }
}

template <class T, class Sum, int channels>
void fill_means(ConstView pixels, const WindowShape& shape, View out) {
  for_window_bands(pixels, shape, [&](int begin, int end) {
    WindowSums<T, Sum, channels> windows(pixels, shape);
    for (int y = begin; y < end; ++y) {
      const Sum* sums = windows.row(y, y == begin);
      const std::uint64_t rows = counted_positions(y, shape.radius_y, pixels.height, shape.border);
      T* row = out.row<T>(y);
      for_equal_counts(pixels.width, shape, [&](std::size_t first, std::size_t last, std::uint64_t columns) {
        write_means<T, Sum, channels>(sums + first * channels, (last - first) * channels, rows * columns,
                                      row + first * channels);
      });
      copy_alpha<T, channels>(pixels.row<T>(y), row, static_cast<std::size_t>(pixels.width));
    }
  });
}

template <class T>
void fill_moments(ConstView levels, const WindowShape& shape, WindowStatistic statistic, View out) {
  for_window_bands(levels, shape, [&](int begin, int end) {
    WindowSums<T, std::uint64_t, 1> windows(levels, shape);
    WindowSums<T, std::uint64_t, 1, true> squared_windows(levels, shape);
    for (int y = begin; y < end; ++y) {
      const std::uint64_t* sums = windows.row(y, y == begin);
      const std::uint64_t* squares = squared_windows.row(y, y == begin);
      const std::uint64_t rows = counted_positions(y, shape.radius_y, levels.height, shape.border);
      auto* row = out.row<float>(y);
      for_equal_counts(levels.width, shape, [&](std::size_t first, std::size_t last, std::uint64_t columns) {
        const auto moment = statistic == WindowStatistic::variance ? window_variance : window_deviation;
        for (std::size_t x = first; x < last; ++x) {
          row[x] = static_cast<float>(moment(sums[x], squares[x], rows * columns));
        }
      });
    }
  });
}

/// Calls use(x, y, sums) for each pixel of a plane.
template <class T, class Use>
void for_weighted_windows(ConstView levels, const PixelWeights<T>& weights, const WindowShape& shape, bool has_squares,
                          const Use& use) {
  for_window_bands(levels, shape, [&](int begin, int end) {
    WeightedWindows<T> windows(levels, weights, shape, has_squares);
    for (int y = begin; y < end; ++y) {
      const WeightedSums* sums = windows.row(y, y == begin);
      for (int x = 0; x < levels.width; ++x) {
        use(x, y, sums[x]);
      }
    }
  });
}

template <class T, int channels>
void fill_weighted(ConstView pixels, const PixelWeights<T>& weights, const WindowOptions& options, PixelPool& pool,
                   View out) {
  const WindowShape shape(options.size, options.border);
  if (options.statistic != WindowStatistic::mean) {
    const LevelPlane plane(pixels, options.channel, options.luma, pool);
    const bool is_variance = options.statistic == WindowStatistic::variance;
    return for_weighted_windows<T>(plane.levels(), weights, shape, true, [&](int x, int y, const WeightedSums& sums) {
      const double variance = weighted_variance(sums);
      out.row<float>(y)[x] = static_cast<float>(is_variance ? variance : std::sqrt(variance));
    });
  }
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  for (int c = 0; c < pixels.format.color_channels(); ++c) {
    const LevelPlane plane(pixels, kColors[c], options.luma, pool);
    for_weighted_windows<T>(plane.levels(), weights, shape, false, [&](int x, int y, const WeightedSums& sums) {
      const T own = plane.levels().row<T>(y)[x];
      out.row<T>(y)[x * channels + c] = sums.weights == 0 ? own : static_cast<T>(window_mean(sums));
    });
  }
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      copy_alpha<T, channels>(pixels.row<T>(y), out.row<T>(y), static_cast<std::size_t>(pixels.width));
    }
  });
}

/// flat_level() for 8 bits as a table: entry 256·mean + level.
std::vector<std::uint8_t> flat_levels() {
  std::vector<std::uint8_t> levels(std::size_t{256} * 256);
  for (std::uint32_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<std::uint8_t>(flat_level(i % 256, i / 256, 255));
  }
  return levels;
}

/// Divides the colors of `pixels` by `means`. The results overwrite the means.
template <class T, int channels>
void divide_by_means(ConstView pixels, View means) {
  const auto width = static_cast<std::size_t>(pixels.width);
  const std::vector<std::uint8_t> known = sizeof(T) == 1 ? flat_levels() : std::vector<std::uint8_t>();
  const std::uint8_t* const map = known.data();
  for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const T* row = pixels.row<T>(y);
      T* flat = means.row<T>(y);
      for (std::size_t i = 0; i < width * channels; ++i) {
        flat[i] = sizeof(T) == 1 ? map[std::size_t{256} * flat[i] + row[i]]
                                 : static_cast<T>(flat_level(row[i], flat[i], kMaxOf<T>));
      }
      copy_alpha<T, channels>(row, flat, width);
    }
  });
}

Image flat_image(ConstView pixels, WindowOptions options, PixelPool& pool) {
  options.statistic = WindowStatistic::mean;
  Image result = apply(pixels, options, pool);
  with_format(pixels.format, [&]<class T, int channels>() { divide_by_means<T, channels>(pixels, result.view()); });
  return result;
}

}  // namespace

Image apply(ConstView pixels, const WindowOptions& options, PixelPool& pool) {
  if (options.statistic == WindowStatistic::flat) {
    return flat_image(pixels, options, pool);
  }
  Image result = pool.image(pixels.width, pixels.height, result_format(pixels.format, options));
  const WindowShape shape(options.size, options.border);
  with_format(pixels.format, [&]<class T, int channels>() {
    if (weighs_pixels(pixels.format, options)) {
      const PixelWeights<T> weights = weights_of<T>(pixels, {});
      if (are_unequal(pixels, weights)) {
        return fill_weighted<T, channels>(pixels, weights, options, pool, result.view());
      }
    }
    if (options.statistic == WindowStatistic::mean) {
      return fits_31_bits(shape, kMaxOf<T>) ? fill_means<T, std::uint32_t, channels>(pixels, shape, result.view())
                                            : fill_means<T, std::uint64_t, channels>(pixels, shape, result.view());
    }
    const LevelPlane plane(pixels, options.channel, options.luma, pool);
    fill_moments<T>(plane.levels(), shape, options.statistic, result.view());
  });
  return result;
}

}  // namespace gpuimg::cpu

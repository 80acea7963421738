// Mean, variance and deviation of windows on the device. Window sums come from summed-area tables, from matrix
// products, or from sliding column sums. Specified in docs/operations.md, "Windows".
#include "ops/window.hpp"

#include "map/pixel_map.cuh"
#include "window/slide_rows.cuh"
#include "window/sum_bands.cuh"
#include "window/table.hpp"
#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

/// Writes one channel of the means.
template <class T, class Sum>
struct WriteMean {
  PaddedTable<Sum> table;
  WindowShape shape;
  T* out;
  int channels;
  int channel;

  __device__ void operator()(int x, int y) const {
    const Sum sum = window_sum(table, x, y, shape);
    const std::uint64_t n = shape.positions_at(x, y, table.width, table.height);
    const std::size_t pixel = static_cast<std::size_t>(y) * table.width + static_cast<std::size_t>(x);
    out[pixel * channels + channel] = static_cast<T>(window_mean(sum, n));
  }
};

/// Means of windows of `size` × `size` pixels. The sums include sum_base(). The low bytes of the results are the means.
struct BandMeans {
  static constexpr bool kReadsLevels = false;
  BandMean mean;

  explicit BandMeans(int size) : mean(static_cast<std::uint32_t>(size) * static_cast<std::uint32_t>(size)) {}

  [[nodiscard]] std::uint32_t sum_base() const { return mean.sum_base(); }
  [[nodiscard]] bool has_whole() const { return true; }

  [[nodiscard]] __device__ uint2 whole(const std::uint32_t (&sums)[8], uint2 /*levels*/) const {
    std::uint32_t means[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      means[i] = mean(sums[i]);
    }
    return packed_bytes(means);
  }
  [[nodiscard]] __device__ uint2 cut(const std::uint32_t (&sums)[8], const WindowCounts& counts,
                                     uint2 /*levels*/) const {
    std::uint32_t means[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t n = counts.pixels(i);
      means[i] = quotient_mean(sums[i] - mean.sum_base(), n, below_inverse(n));
    }
    return packed_bytes(means);
  }
};

template <Border border, bool kModulo>
struct SlidingMeans {
  static constexpr bool kReadsLevels = false;
  static constexpr bool kIsModulo = kModulo;
  static constexpr Border kBorder = border;

  [[nodiscard]] __device__ std::uint32_t pixel(std::uint32_t sum, std::uint32_t n, float below, std::uint32_t mean,
                                               std::uint32_t /*level*/) const {
    return kModulo ? mean : quotient_mean(sum, n, below);
  }
};

template <class Action>
auto with_border(Border border, Action action) {
  switch (border) {
    case Border::replicate: return action.template operator()<Border::replicate>();
    case Border::reflect101: return action.template operator()<Border::reflect101>();
    case Border::cut: break;
  }
  return action.template operator()<Border::cut>();
}

template <class T>
struct CopyAlpha {
  const T* from;
  T* to;
  int width;
  int channels;

  __device__ void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
    to[(pixel + 1) * channels - 1] = __ldg(from + (pixel + 1) * channels - 1);
  }
};

/// Divides each sample by the mean of its window. The result replaces the mean.
template <class T>
struct DivideByMean {
  const T* levels;
  T* means;
  int width;
  int channels;
  int colors;

  __device__ void operator()(int x, int y) const {
    const std::size_t first = (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)) * channels;
    for (std::size_t i = first; i < first + colors; ++i) {
      means[i] = static_cast<T>(flat_level(__ldg(levels + i), means[i], kMaxOf<T>));
    }
  }
};

template <class T>
void divide_by_means(Workspace& workspace, const Picture& picture, const Picture& means) {
  launch_for_each_pixel(
      workspace, picture.width(), picture.height(),
      DivideByMean<T>{reinterpret_cast<const T*>(pixels_of(picture)), reinterpret_cast<T*>(pixels_of(means)),
                      picture.width(), picture.format().channels, picture.format().color_channels()},
      "dividing by the means of windows");
}

struct WriteMoment {
  PaddedTable<std::uint64_t> sums;
  PaddedTable<std::uint64_t> squares;
  WindowShape shape;
  bool is_variance;
  float* out;

  __device__ void operator()(int x, int y) const {
    const std::uint64_t sum = window_sum(sums, x, y, shape);
    const std::uint64_t square_sum = window_sum(squares, x, y, shape);
    const std::uint64_t n = shape.positions_at(x, y, sums.width, sums.height);
    const double moment = is_variance ? window_variance(sum, square_sum, n) : window_deviation(sum, square_sum, n);
    out[static_cast<std::size_t>(y) * sums.width + static_cast<std::size_t>(x)] = static_cast<float>(moment);
  }
};

template <class T, class Sum>
void write_means(Workspace& workspace, const Picture& picture, const WindowOptions& options, const Picture& result) {
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  const PixelFormat format = picture.format();
  for (int c = 0; c < format.color_channels(); ++c) {
    const WindowTable<Sum> table(workspace, picture, kColors[c], options.luma, false);
    launch_for_each_pixel(workspace, picture.width(), picture.height(),
                          WriteMean<T, Sum>{table.table, WindowShape(options.size, options.border),
                                            reinterpret_cast<T*>(pixels_of(result)), format.channels, c},
                          "averaging windows");
  }
  if (format.has_alpha()) {
    launch_for_each_pixel(workspace, picture.width(), picture.height(),
                          CopyAlpha<T>{reinterpret_cast<const T*>(pixels_of(picture)),
                                       reinterpret_cast<T*>(pixels_of(result)), picture.width(), format.channels},
                          "copying alpha");
  }
}

template <class T>
void write_means(Workspace& workspace, const Picture& picture, const WindowOptions& options, const Picture& result) {
  if (fits_32_bits(options.size, kMaxOf<T>)) {
    write_means<T, std::uint32_t>(workspace, picture, options, result);
  } else {
    write_means<T, std::uint64_t>(workspace, picture, options, result);
  }
}

void write_moments(Workspace& workspace, const Picture& picture, const WindowOptions& options, const Picture& result) {
  const WindowTable<std::uint64_t> sums(workspace, picture, options.channel, options.luma, false);
  const WindowTable<std::uint64_t> squares(workspace, picture, options.channel, options.luma, true);
  launch_for_each_pixel(
      workspace, picture.width(), picture.height(),
      WriteMoment{sums.table, squares.table, WindowShape(options.size, options.border),
                  options.statistic == WindowStatistic::variance, reinterpret_cast<float*>(pixels_of(result))},
      "computing the moments of windows");
}

/// Writes one channel of the means of windows whose pixels have weights.
template <class T>
struct WriteWeightedMean {
  WeightedTables tables;
  const T* levels;
  int width;
  WindowShape shape;
  T* out;
  int channels;
  int channel;

  __device__ void operator()(int x, int y) const {
    const WeightedSums sums = tables.at(x, y, shape, kMaxOf<T>);
    const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
    out[pixel * channels + channel] = sums.weights == 0 ? __ldg(levels + pixel) : static_cast<T>(window_mean(sums));
  }
};

struct WriteWeightedMoment {
  WeightedTables tables;
  int width;
  WindowShape shape;
  bool is_variance;
  std::uint32_t v_max;
  float* out;

  __device__ void operator()(int x, int y) const {
    const double variance = weighted_variance(tables.at(x, y, shape, v_max));
    out[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)] =
        static_cast<float>(is_variance ? variance : sqrt(variance));
  }
};

Picture plane_of(Workspace& workspace, const Picture& picture, Channel channel, Luma luma) {
  return level_plane(workspace, picture, source_of(channel, luma, picture.format(), 0));
}

template <class T>
void write_weighted(Workspace& workspace, const Picture& picture, const PixelWeights<T>& weights,
                    const WindowOptions& options, const Picture& result) {
  const WindowShape shape(options.size, options.border);
  WeightedTablesOf<T> tables(workspace, weights);
  if (options.statistic != WindowStatistic::mean) {
    const Picture plane = plane_of(workspace, picture, options.channel, options.luma);
    return launch_for_each_pixel(
        workspace, picture.width(), picture.height(),
        WriteWeightedMoment{tables.of(plane, 3), picture.width(), shape, options.statistic == WindowStatistic::variance,
                            kMaxOf<T>, reinterpret_cast<float*>(pixels_of(result))},
        "computing the moments of windows");
  }
  constexpr Channel kColors[] = {Channel::red, Channel::green, Channel::blue};
  const int channels = picture.format().channels;
  for (int c = 0; c < picture.format().color_channels(); ++c) {
    const Picture plane = plane_of(workspace, picture, kColors[c], options.luma);
    launch_for_each_pixel(
        workspace, picture.width(), picture.height(),
        WriteWeightedMean<T>{tables.of(plane, 2), reinterpret_cast<const T*>(pixels_of(plane)), picture.width(), shape,
                             reinterpret_cast<T*>(pixels_of(result)), channels, c},
        "averaging windows");
  }
  launch_for_each_pixel(workspace, picture.width(), picture.height(),
                        CopyAlpha<T>{reinterpret_cast<const T*>(pixels_of(picture)),
                                     reinterpret_cast<T*>(pixels_of(result)), picture.width(), channels},
                        "copying alpha");
}

/// Returns false, and writes nothing, if all pixels have the same weight.
template <class T>
bool try_weighted(Workspace& workspace, const Picture& picture, const WindowOptions& options, const Picture& result) {
  const PixelWeights<T> weights = weights_of<T>(picture, {});
  if (!weighs_pixels(picture.format(), options) || !are_unequal(workspace, picture, weights)) {
    return false;
  }
  write_weighted<T>(workspace, picture, weights, options, result);
  return true;
}

bool try_weighted(Workspace& workspace, const Picture& picture, const WindowOptions& options, const Picture& result) {
  return picture.format().sample == Sample::u8 ? try_weighted<std::uint8_t>(workspace, picture, options, result)
                                               : try_weighted<std::uint16_t>(workspace, picture, options, result);
}

Picture flat_picture(Workspace& workspace, const Picture& picture, WindowOptions options) {
  options.statistic = WindowStatistic::mean;
  Picture result = apply(workspace, picture, options);
  picture.format().sample == Sample::u8 ? divide_by_means<std::uint8_t>(workspace, picture, result)
                                        : divide_by_means<std::uint16_t>(workspace, picture, result);
  return result;
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const WindowOptions& options) {
  if (options.statistic == WindowStatistic::flat) {
    return flat_picture(workspace, picture, options);
  }
  Picture result =
      new_picture(workspace.device(), picture.width(), picture.height(), result_format(picture.format(), options));
  constexpr const char* kDoing = "averaging windows";
  const int radius = options.size.width / 2;
  const bool is_square = options.size.is_square();
  if (try_weighted(workspace, picture, options, result)) {
    return result;
  }
  if (options.statistic != WindowStatistic::mean) {
    write_moments(workspace, picture, options, result);
  } else if (is_square && options.size.width <= kMaxBandWindow &&
             try_bands(workspace, picture, result, radius, options.border, BandMeans(options.size.width), kDoing)) {
    return result;
  } else if (is_square && with_border(options.border, [&]<Border border>() {
               return try_slides(workspace, picture, result, radius, SlidingMeans<border, false>(),
                                 SlidingMeans<border, true>(), kDoing);
             })) {
    return result;
  } else if (picture.format().sample == Sample::u8) {
    write_means<std::uint8_t>(workspace, picture, options, result);
  } else {
    write_means<std::uint16_t>(workspace, picture, options, result);
  }
  return result;
}

}  // namespace gpuimg::cuda

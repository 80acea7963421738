// Thresholds on the device, from the histogram or from sums over windows. Specified in docs/operations.md,
// "Thresholds".
#include <optional>

#include "map/pixel_map.cuh"
#include "ops/threshold.hpp"
#include "ops/window.hpp"
#include "window/slide_rows.cuh"
#include "window/sum_bands.cuh"
#include "window/table.hpp"
#include "window_tables.cuh"

namespace gpuimg::cuda {
namespace {

template <class T>
struct WriteAbove : PixelOperation<T, 1, std::uint8_t, 1, 256, 4> {
  std::uint32_t threshold;
  explicit WriteAbove(std::uint32_t level) : threshold(level) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      out.put(p, in.get(p) > threshold ? 255U : 0U);
    }
  }
};

/// Writes the gray level of each pixel's class, for more than two classes.
template <class T>
struct WriteClasses : PixelOperation<T, 1, std::uint8_t, 1, 256, 4> {
  ClassColors colors;
  explicit WriteClasses(const ClassColors& of) : colors(of) {}

  template <int n, class In, class Out>
  __device__ __forceinline__ void map(const In& in, Out& out, std::uint64_t) const {
#pragma unroll
    for (int p = 0; p < n; ++p) {
      out.put(p, colors(in.get(p)));
    }
  }
};

/// `squares` has no entries for the methods that do not need them.
template <class T, class Sum, ThresholdMethod method>
struct CompareWithWindow {
  static constexpr bool kNeedsSquares = needs_squares(method);
  PaddedTable<Sum> sums;
  PaddedTable<std::uint64_t> squares;
  WindowShape shape;
  ThresholdRule rule;
  const T* levels;
  std::uint8_t* out;

  __device__ void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * sums.width + static_cast<std::size_t>(x);
    const std::uint64_t sum = window_sum(sums, x, y, shape);
    std::uint64_t square_sum = 0;
    if constexpr (kNeedsSquares) {
      square_sum = window_sum(squares, x, y, shape);
    }
    const std::uint64_t n = shape.positions_at(x, y, sums.width, sums.height);
    out[pixel] = is_white<method>(__ldg(levels + pixel), sum, square_sum, n, rule) ? 255 : 0;
  }
};

/// Raises the maxima of wolf. Checks the maxima with plain reads first, to avoid most atomic operations. A stale read
/// only costs an atomic operation that changes nothing.
__device__ __forceinline__ void note_wolf(WolfMaxima* found, std::uint32_t level, double variance) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(variance));
  const volatile WolfMaxima* const seen = found;
  if (bits > seen->variance) {
    atomicMax(reinterpret_cast<unsigned long long*>(&found->variance), bits);
  }
  if (~level > seen->darkness) {
    atomicMax(&found->darkness, ~level);
  }
}

template <class T, class Sum>
struct LookAtWindows {
  PaddedTable<Sum> sums;
  PaddedTable<std::uint64_t> squares;
  WindowShape shape;
  const T* levels;
  int first_row;
  WolfMaxima* found;

  __device__ void operator()(int x, int row) const {
    const int y = first_row + row;
    const std::uint64_t n = shape.positions_at(x, y, sums.width, sums.height);
    note_wolf(found, __ldg(levels + static_cast<std::size_t>(y) * sums.width + x),
              window_variance(window_sum(sums, x, y, shape), window_sum(squares, x, y, shape), n));
  }
};

/// Calls look(maxima on the device), which launches a kernel. Waits for the device.
template <class Look>
WolfScale looked_up(Workspace& workspace, const Look& look) {
  constexpr const char* kDoing = "looking for the scale of a threshold";
  const DeviceMemory found(workspace.device(), sizeof(WolfMaxima));
  cuda_check(cudaMemsetAsync(found.data(), 0, sizeof(WolfMaxima), workspace.stream()), kDoing);
  look(found.as<WolfMaxima>());
  auto* on_host = workspace.results(sizeof(WolfMaxima)).as<WolfMaxima>();
  cuda_check(cudaMemcpyAsync(on_host, found.data(), sizeof(WolfMaxima), cudaMemcpyDeviceToHost, workspace.stream()),
             kDoing);
  workspace.device()->wait();
  return on_host->scale();
}

/// Thresholds of methods that need no squares. Callers add sum_base() to every sum. Whole windows have `size` × `size`
/// pixels.
template <ThresholdMethod method>
struct BandThreshold {
  static_assert(method == ThresholdMethod::mean || method == ThresholdMethod::bradley);
  static constexpr bool kReadsLevels = true;
  using Limit = std::conditional_t<method == ThresholdMethod::mean, BandMean, BandLimit>;
  ThresholdRule rule;
  Limit limit;

  BandThreshold(const ThresholdRule& threshold, int size)
      : rule(threshold),
        limit(limit_of(static_cast<std::uint32_t>(size) * static_cast<std::uint32_t>(size), threshold)) {}

  [[nodiscard]] std::uint32_t sum_base() const { return limit.sum_base(); }
  [[nodiscard]] bool has_whole() const {
    if constexpr (method == ThresholdMethod::bradley) {
      return limit.is_exact();
    } else {
      return true;
    }
  }

  [[nodiscard]] __device__ uint2 whole(const std::uint32_t (&sums)[8], uint2 levels) const {
    return make_uint2(above_limits(sums[0], sums[1], sums[2], sums[3], levels.x),
                      above_limits(sums[4], sums[5], sums[6], sums[7], levels.y));
  }
  [[nodiscard]] __device__ uint2 cut(const std::uint32_t (&sums)[8], const WindowCounts& counts, uint2 levels) const {
    std::uint32_t differences[8];  // negative if a pixel is white
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t level = byte_of(levels, i);
      if constexpr (method == ThresholdMethod::mean) {
        const std::uint32_t n = counts.pixels(i);
        differences[i] = quotient_mean(sums[i] - limit.sum_base(), n, below_inverse(n)) - level -
                         static_cast<std::uint32_t>(rule.offset);
      } else {
        const std::uint32_t hundreds = level * byte_of(counts.columns, i) * (100 * counts.rows);
        differences[i] = sums[i] * rule.percent - (hundreds + limit.sum_base() * rule.percent);
      }
    }
    return packed_signs(differences);
  }

 private:
  static Limit limit_of(std::uint32_t n, const ThresholdRule& rule) {
    if constexpr (method == ThresholdMethod::mean) {
      return BandMean(n);
    } else {
      return BandLimit(n, rule.percent);
    }
  }

  /// 255 for each of four levels that is above its limit, else 0. Each half of a word holds 2¹⁵ − 1 + level − limit, so
  /// the top bit of the half is the answer. An offset beyond ±256 has the same effect as ±256, because such an offset
  /// alone decides the result.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t above_limits(std::uint32_t sum0, std::uint32_t sum1,
                                                                      std::uint32_t sum2, std::uint32_t sum3,
                                                                      std::uint32_t levels) const {
    constexpr std::uint32_t kLowBytes = 0x5410;
    std::uint32_t bias = 0x7FFF7FFFU;
    if constexpr (method == ThresholdMethod::mean) {
      bias += static_cast<std::uint32_t>(min(max(rule.offset, -256), 256)) * 0x00010001U;
    }
    const std::uint32_t first =
        __byte_perm(levels, 0, 0x4140) - __byte_perm(limit(sum0), limit(sum1), kLowBytes) + bias;
    const std::uint32_t second =
        __byte_perm(levels, 0, 0x4342) - __byte_perm(limit(sum2), limit(sum3), kLowBytes) + bias;
    std::uint32_t white = 0;
    asm("prmt.b32 %0, %1, %2, 0xFDB9;" : "=r"(white) : "r"(first), "r"(second));  // selector + 8: the byte's sign
    return white;
  }
};

/// Thresholds of methods that need no squares, for sliding windows.
template <ThresholdMethod method, bool kModulo>
struct SlidingThreshold {
  static constexpr bool kReadsLevels = true;
  static constexpr bool kIsModulo = kModulo;
  static constexpr Border kBorder = border_of(method);
  ThresholdRule rule;

  [[nodiscard]] __device__ std::uint32_t pixel(std::uint32_t sum, std::uint32_t n, float below, std::uint32_t mean,
                                               std::uint32_t level) const {
    if constexpr (method == ThresholdMethod::mean) {
      const std::uint32_t own = kModulo ? mean : quotient_mean(sum, n, below);
      return static_cast<std::int32_t>(own - level) < rule.offset ? 255 : 0;
    } else if constexpr (kModulo) {
      return is_above_percent(level, mean, sum, n, rule.percent) ? 255 : 0;
    } else {
      return std::uint64_t{sum} * rule.percent < std::uint64_t{level} * (100 * n) ? 255 : 0;
    }
  }
};

template <ThresholdMethod method>
bool try_to_compare(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                    const Picture& result) {
  constexpr const char* kDoing = "comparing with windows";
  const WindowSize window = window_of(plane.width(), plane.height(), options);
  const int size = window.width;
  if (!window.is_square()) {
    return false;
  }
  const ThresholdRule rule = threshold_rule(plane.format(), options);
  const Border border = border_of(method);
  return (size <= kMaxBandWindow &&
          try_bands(workspace, plane, result, size / 2, border, BandThreshold<method>(rule, size), kDoing)) ||
         try_slides(workspace, plane, result, size / 2, SlidingThreshold<method, false>{rule},
                    SlidingThreshold<method, true>{rule}, kDoing);
}

/// The sums of a plane's windows.
template <class T, class Sum>
class PlaneWindows {
 public:
  PlaneWindows(Workspace& workspace, const Picture& plane, const ThresholdOptions& options)
      : workspace_(workspace),
        plane_(plane),
        shape_(window_of(plane.width(), plane.height(), options), border_of(options.method)),
        sums_(workspace, plane, Channel::red, options.luma, false) {
    if (needs_squares(options.method)) {
      squares_.emplace(workspace, plane, Channel::red, options.luma, true);
    }
  }

  void compare(const ThresholdOptions& options, const Picture& result) const {
    with_window_method(options.method, [&]<ThresholdMethod method>() {
      launch_for_each_pixel(
          workspace_, plane_.width(), plane_.height(),
          CompareWithWindow<T, Sum, method>{sums_.table, squares_ ? squares_->table : PaddedTable<std::uint64_t>{},
                                            shape_, threshold_rule(plane_.format(), options), levels(),
                                            reinterpret_cast<std::uint8_t*>(pixels_of(result))},
          "comparing with windows");
    });
  }

  [[nodiscard]] WolfScale scale(int first_row, int end_row) const {
    return looked_up(workspace_, [&](WolfMaxima* found) {
      launch_for_each_pixel(workspace_, plane_.width(), end_row - first_row,
                            LookAtWindows<T, Sum>{sums_.table, squares_->table, shape_, levels(), first_row, found},
                            "looking at windows");
    });
  }

 private:
  [[nodiscard]] const T* levels() const { return reinterpret_cast<const T*>(pixels_of(plane_)); }

  Workspace& workspace_;
  const Picture& plane_;
  WindowShape shape_;
  WindowTable<Sum> sums_;
  std::optional<WindowTable<std::uint64_t>> squares_;  ///< only for methods that need squares
};

/// Calls body(windows) with the windows of a plane of samples T.
template <class T, class Body>
auto with_windows(Workspace& workspace, const Picture& plane, const ThresholdOptions& options, const Body& body) {
  return fits_32_bits(window_of(plane.width(), plane.height(), options), kMaxOf<T>)
             ? body(PlaneWindows<T, std::uint32_t>(workspace, plane, options))
             : body(PlaneWindows<T, std::uint64_t>(workspace, plane, options));
}

/// Returns the options. If the method is wolf and the scale is not set, sets it to the result of look().
template <class Look>
ThresholdOptions with_scale(const ThresholdOptions& options, const Look& look) {
  ThresholdOptions scaled = options;
  if (options.method == ThresholdMethod::wolf && !options.scale) {
    scaled.scale = look();
  }
  return scaled;
}

/// The colors for the given levels, or for the levels that otsu finds in `counted`.
ClassColors used_colors(Workspace& workspace, const Picture& counted, const HistogramOptions& counting,
                        const ThresholdOptions& options) {
  const ClassLevels levels =
      options.levels ? *options.levels
                     : otsu_levels(histogram(workspace, counted, counting).channels.front().counts, options.classes);
  if (options.used_levels != nullptr) {
    *options.used_levels = levels;
  }
  return {levels, options.classes};
}

template <class T>
void write_threshold(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                     const Picture& result) {
  if (options.method == ThresholdMethod::otsu) {
    constexpr const char* kDoing = "comparing with thresholds";
    const ClassColors colors = used_colors(workspace, plane, HistogramOptions{}, options);
    if (options.classes == 2) {
      launch_map(workspace, pixels_of(plane), pixels_of(result), plane.pixel_count(), WriteAbove<T>(colors.levels[0]),
                 kDoing);
    } else {
      launch_map(workspace, pixels_of(plane), pixels_of(result), plane.pixel_count(), WriteClasses<T>(colors), kDoing);
    }
  } else {
    with_windows<T>(workspace, plane, options, [&](const auto& windows) {
      windows.compare(with_scale(options, [&] { return windows.scale(0, plane.height()); }), result);
    });
  }
}

void write_threshold(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                     const Picture& result) {
  const bool is_done = (options.method == ThresholdMethod::mean &&
                        try_to_compare<ThresholdMethod::mean>(workspace, plane, options, result)) ||
                       (options.method == ThresholdMethod::bradley &&
                        try_to_compare<ThresholdMethod::bradley>(workspace, plane, options, result));
  if (is_done) {
    return;
  }
  if (plane.format().sample == Sample::u8) {
    write_threshold<std::uint8_t>(workspace, plane, options, result);
  } else {
    write_threshold<std::uint16_t>(workspace, plane, options, result);
  }
}

// --- Windows whose pixels have weights -------------------------------------------------------------------------------

template <class T, ThresholdMethod method>
struct CompareWithWeighted {
  WeightedTables tables;
  PixelWeights<T> weights;
  int width;
  WindowShape shape;
  ThresholdRule rule;
  const T* levels;
  std::uint8_t* out;

  __device__ void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
    const bool white =
        weights.is_blank(x, y) || is_white<method>(__ldg(levels + pixel), tables.at(x, y, shape, kMaxOf<T>), rule);
    out[pixel] = white ? 255 : 0;
  }
};

/// Looks only at pixels that count.
template <class T>
struct LookAtWeighted {
  WeightedTables tables;
  PixelWeights<T> weights;
  int width;
  WindowShape shape;
  const T* levels;
  int first_row;
  WolfMaxima* found;

  __device__ void operator()(int x, int row) const {
    const int y = first_row + row;
    if (weights(x, y) != 0) {
      note_wolf(found, __ldg(levels + static_cast<std::size_t>(y) * width + x),
                weighted_variance(tables.at(x, y, shape, kMaxOf<T>)));
    }
  }
};

template <class T>
WolfScale weighted_scale(Workspace& workspace, const Picture& plane, const WeightedTables& sums,
                         const PixelWeights<T>& weights, const ThresholdOptions& options, int first_row, int end_row) {
  const WindowShape shape(window_of(plane.width(), plane.height(), options), border_of(options.method));
  return looked_up(workspace, [&](WolfMaxima* found) {
    launch_for_each_pixel(workspace, plane.width(), end_row - first_row,
                          LookAtWeighted<T>{sums, weights, plane.width(), shape,
                                            reinterpret_cast<const T*>(pixels_of(plane)), first_row, found},
                          "looking at windows");
  });
}

template <class T>
struct CompareWithLevels {
  PixelWeights<T> weights;
  int width;
  ClassColors colors;
  const T* levels;
  std::uint8_t* out;

  __device__ void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
    out[pixel] = weights.is_blank(x, y) ? 255 : static_cast<std::uint8_t>(colors(__ldg(levels + pixel)));
  }
};

template <class T>
void write_selected(Workspace& workspace, const Picture& picture, const Picture& plane, const PixelWeights<T>& weights,
                    const ThresholdOptions& options, const Picture& result) {
  const auto* levels = reinterpret_cast<const T*>(pixels_of(plane));
  auto* out = reinterpret_cast<std::uint8_t*>(pixels_of(result));
  const int width = picture.width();
  const int height = picture.height();
  if (options.method == ThresholdMethod::otsu) {
    const ClassColors colors = used_colors(workspace, picture, counted_for_otsu(options), options);
    return launch_for_each_pixel(workspace, width, height, CompareWithLevels<T>{weights, width, colors, levels, out},
                                 "comparing with thresholds");
  }
  const WindowSize window = window_of(width, height, options);
  WeightedTablesOf<T> tables(workspace, weights);
  const WeightedTables& sums = tables.of(plane, needs_squares(options.method) ? 3 : 2);
  const ThresholdOptions scaled = with_scale(
      options, [&] { return weighted_scale(workspace, plane, sums, weights, options, 0, picture.height()); });
  with_window_method(options.method, [&]<ThresholdMethod method>() {
    launch_for_each_pixel(workspace, width, height,
                          CompareWithWeighted<T, method>{sums, weights, width, WindowShape(window, border_of(method)),
                                                         threshold_rule(picture.format(), scaled), levels, out},
                          "comparing with windows");
  });
}

/// Returns false, and writes nothing, if the weights of the pixels cannot differ.
template <class T>
bool try_selected(Workspace& workspace, const Picture& picture, const Picture& plane, const ThresholdOptions& options,
                  const Picture& result) {
  const PixelWeights<T> weights = weights_of<T>(picture, options.selection);
  if (!weighs_pixels(picture.format(), options) || !are_unequal(workspace, picture, weights)) {
    return false;
  }
  write_selected<T>(workspace, picture, plane, weights, options, result);
  return true;
}

struct Invert {
  int width;
  std::uint8_t* out;

  __device__ void operator()(int x, int y) const {
    std::uint8_t& color = out[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
    color = 255 - color;
  }
};

void write_pixels(Workspace& workspace, const Picture& picture, const Picture& plane, const ThresholdOptions& options,
                  const Picture& result) {
  const bool is_done = picture.format().sample == Sample::u8
                           ? try_selected<std::uint8_t>(workspace, picture, plane, options, result)
                           : try_selected<std::uint16_t>(workspace, picture, plane, options, result);
  if (!is_done) {
    write_threshold(workspace, plane, options, result);
  }
  if (options.invert) {
    launch_for_each_pixel(workspace, result.width(), result.height(),
                          Invert{result.width(), reinterpret_cast<std::uint8_t*>(pixels_of(result))}, "inverting");
  }
}

template <class T>
WolfScale scale_of(Workspace& workspace, const Picture& picture, const Picture& plane, const ThresholdOptions& options,
                   int first_row, int end_row) {
  const PixelWeights<T> weights = weights_of<T>(picture, options.selection);
  if (weighs_pixels(picture.format(), options) && are_unequal(workspace, picture, weights)) {
    WeightedTablesOf<T> tables(workspace, weights);
    return weighted_scale(workspace, plane, tables.of(plane, 3), weights, options, first_row, end_row);
  }
  return with_windows<T>(workspace, plane, options,
                         [&](const auto& windows) { return windows.scale(first_row, end_row); });
}

/// Calls body(plane) with the plane of levels to compare.
template <class Body>
auto with_levels(Workspace& workspace, const Picture& picture, const ThresholdOptions& options, const Body& body) {
  return picture.format().channels == 1
             ? body(picture)
             : body(level_plane(workspace, picture, source_of(options.channel, options.luma, picture.format(), 0)));
}

}  // namespace

WolfScale wolf_scale(Workspace& workspace, const Picture& picture, const ThresholdOptions& options, int first_row,
                     int end_row) {
  return with_levels(workspace, picture, options, [&](const Picture& plane) {
    return picture.format().sample == Sample::u8
               ? scale_of<std::uint8_t>(workspace, picture, plane, options, first_row, end_row)
               : scale_of<std::uint16_t>(workspace, picture, plane, options, first_row, end_row);
  });
}

Picture apply(Workspace& workspace, const Picture& picture, const ThresholdOptions& options) {
  Picture result =
      new_picture(workspace.device(), picture.width(), picture.height(), result_format(picture.format(), options));
  with_levels(workspace, picture, options,
              [&](const Picture& plane) { write_pixels(workspace, picture, plane, options, result); });
  return result;
}

}  // namespace gpuimg::cuda

// Thresholds on the device: from the histogram, or from the sums of windows. Specified in docs/operations.md,
// "Thresholds".
#include <optional>

#include "map/level_plane.cuh"
#include "map/pixel_map.cuh"
#include "window_strip.cuh"
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

/// `squares` has no entries for the methods that do not need them.
template <class T, class Sum, ThresholdMethod method>
struct CompareWithWindow {
  PaddedTable<Sum> sums;
  PaddedTable<std::uint64_t> squares;
  int radius;
  Border border;
  ThresholdRule rule;
  const T* levels;
  std::uint8_t* out;

  __device__ void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * sums.width + static_cast<std::size_t>(x);
    const std::uint64_t sum = window_sum(sums, x, y, radius, border);
    std::uint64_t square_sum = 0;
    if constexpr (method == ThresholdMethod::niblack || method == ThresholdMethod::sauvola) {
      square_sum = window_sum(squares, x, y, radius, border);
    }
    const std::uint64_t n = std::uint64_t{counted_positions(x, radius, sums.width, border)} *
                            counted_positions(y, radius, sums.height, border);
    out[pixel] = is_white<method>(__ldg(levels + pixel), sum, square_sum, n, rule) ? 255 : 0;
  }
};

/// Of methods that need no squares.
template <ThresholdMethod method>
struct StripThreshold {
  ThresholdRule rule;
  __device__ std::uint32_t operator()(const std::uint8_t* level, std::uint32_t sum, std::uint32_t n,
                                      float below) const {
    return strip_is_white<method>(__ldg(level), sum, n, below, rule) ? 255U : 0U;
  }
};

template <ThresholdMethod method>
void compare_in_strips(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                       const Picture& result) {
  launch_strips(workspace, plane, result, window_of(plane.width(), plane.height(), options) / 2, border_of(method),
                StripThreshold<method>{threshold_rule(plane.format(), options)}, "comparing with windows");
}

template <class T, class Sum>
void compare_with_windows(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                          const Picture& result) {
  const int radius = window_of(plane.width(), plane.height(), options) / 2;
  const WindowTable<Sum> sums(workspace, plane, Channel::red, options.luma, false);
  std::optional<WindowTable<std::uint64_t>> squares;
  if (options.method == ThresholdMethod::niblack || options.method == ThresholdMethod::sauvola) {
    squares.emplace(workspace, plane, Channel::red, options.luma, true);
  }
  with_window_method(options.method, [&]<ThresholdMethod method>() {
    launch_for_each_pixel(
        workspace, plane.width(), plane.height(),
        CompareWithWindow<T, Sum, method>{sums.table, squares ? squares->table : PaddedTable<std::uint64_t>{}, radius,
                                          border_of(method), threshold_rule(plane.format(), options),
                                          reinterpret_cast<const T*>(pixels_of(plane)),
                                          reinterpret_cast<std::uint8_t*>(pixels_of(result))},
        "comparing with windows");
  });
}

std::uint32_t counted_level(Workspace& workspace, const Picture& plane) {
  return otsu_level(histogram(workspace, plane, HistogramOptions{}).channels.front().counts);
}

template <class T>
void write_threshold(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                     const Picture& result) {
  if (options.method == ThresholdMethod::otsu) {
    const std::uint32_t level = options.level ? *options.level : counted_level(workspace, plane);
    launch_map(workspace, pixels_of(plane), pixels_of(result), plane.pixel_count(), WriteAbove<T>(level),
               "comparing with a threshold");
  } else if (fits_32_bits(window_of(plane.width(), plane.height(), options), kMaxOf<T>)) {
    compare_with_windows<T, std::uint32_t>(workspace, plane, options, result);
  } else {
    compare_with_windows<T, std::uint64_t>(workspace, plane, options, result);
  }
}

void write_threshold(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                     const Picture& result) {
  const bool by_strips =
      has_window(options.method) && can_sum_strips(plane, window_of(plane.width(), plane.height(), options));
  if (by_strips && options.method == ThresholdMethod::mean) {
    compare_in_strips<ThresholdMethod::mean>(workspace, plane, options, result);
  } else if (by_strips && options.method == ThresholdMethod::bradley) {
    compare_in_strips<ThresholdMethod::bradley>(workspace, plane, options, result);
  } else if (plane.format().sample == Sample::u8) {
    write_threshold<std::uint8_t>(workspace, plane, options, result);
  } else {
    write_threshold<std::uint16_t>(workspace, plane, options, result);
  }
}

}  // namespace

Picture apply(Workspace& workspace, const Picture& picture, const ThresholdOptions& options) {
  Picture result =
      new_picture(workspace.device(), picture.width(), picture.height(), result_format(picture.format(), options));
  if (picture.format().channels == 1) {
    write_threshold(workspace, picture, options, result);
  } else {
    const LevelSource source = source_of(options.channel, options.luma, picture.format(), 0);
    write_threshold(workspace, level_plane(workspace, picture, source), options, result);
  }
  return result;
}

}  // namespace gpuimg::cuda

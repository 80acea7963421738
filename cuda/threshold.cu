// Thresholds on the device: from the histogram, or from the sums of windows. Specified in docs/operations.md,
// "Thresholds".
#include <optional>

#include "map/level_plane.cuh"
#include "map/pixel_map.cuh"
#include "window/launch_bands.cuh"
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

/// Of methods that need no squares, with sum_base() in the sums of whole windows of `size` pixels squared. A pixel is
/// white if a difference is negative.
template <int kSteps, ThresholdMethod method>
struct BandThreshold {
  static_assert(method == ThresholdMethod::mean || method == ThresholdMethod::bradley);
  static constexpr bool kReadsLevels = true;
  static constexpr bool kIsFew = kSteps == kFewBandSteps;
  ThresholdRule rule;
  std::uint32_t n;
  FewStepMean few;
  std::uint32_t minus_base;  ///< times the percentage

  BandThreshold(const ThresholdRule& threshold, int size)
      : rule(threshold),
        n(static_cast<std::uint32_t>(size) * static_cast<std::uint32_t>(size)),
        few(n),
        minus_base(0U - few.sum_base() * rule.percent) {}

  [[nodiscard]] std::uint32_t sum_base() const { return kIsFew ? few.sum_base() : 0; }

  [[nodiscard]] __device__ uint2 whole(const std::uint32_t (&sums)[8], uint2 levels) const {
    return compared(levels, [&](int i, std::uint32_t level) {
      if constexpr (!kIsFew) {
        return difference(level, sums[i], n);
      } else if constexpr (method == ThresholdMethod::mean) {
        return (few(sums[i]) & 255U) - level - static_cast<std::uint32_t>(rule.offset);
      } else {
        return sums[i] * rule.percent + minus_base - level * (100 * n);  // both are below 2²⁷
      }
    });
  }
  [[nodiscard]] __device__ uint2 cut(const std::uint32_t (&sums)[8], const std::uint32_t (&counts)[8],
                                     uint2 levels) const {
    return compared(levels, [&](int i, std::uint32_t level) { return difference(level, sums[i], counts[i]); });
  }

 private:
  [[nodiscard]] __device__ std::uint32_t difference(std::uint32_t level, std::uint32_t sum, std::uint32_t count) const {
    if constexpr (method == ThresholdMethod::mean) {
      return band_mean(sum, count, below_inverse(count)) - level - static_cast<std::uint32_t>(rule.offset);
    } else if constexpr (kIsFew) {
      return sum * rule.percent - level * (100 * count);
    } else {
      return static_cast<std::uint32_t>((std::uint64_t{sum} * rule.percent - std::uint64_t{level} * (100 * count)) >>
                                        32);
    }
  }

  template <class Difference>
  static __device__ uint2 compared(uint2 levels, const Difference& difference) {
    std::uint32_t differences[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      differences[i] = difference(i, (i < 4 ? levels.x : levels.y) >> (i % 4 * 8) & 255U);
    }
    return packed_signs(differences);
  }
};

template <ThresholdMethod method>
bool try_to_compare_bands(Workspace& workspace, const Picture& plane, const ThresholdOptions& options,
                          const Picture& result) {
  const int size = window_of(plane.width(), plane.height(), options);
  const auto comparison = [&]<int kSteps>() {
    return BandThreshold<kSteps, method>(threshold_rule(plane.format(), options), size);
  };
  return try_bands(workspace, plane, result, size / 2, border_of(method), comparison, "comparing with windows");
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
  const bool is_done = (options.method == ThresholdMethod::mean &&
                        try_to_compare_bands<ThresholdMethod::mean>(workspace, plane, options, result)) ||
                       (options.method == ThresholdMethod::bradley &&
                        try_to_compare_bands<ThresholdMethod::bradley>(workspace, plane, options, result));
  if (is_done) {
    return;
  }
  if (plane.format().sample == Sample::u8) {
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

// Resize: the weights and indices that the host computes for every backend, and exact arithmetic. Specified in
// docs/operations.md, "Resize". opencl/kernels/resize.cl repeats the arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

#include "gpuimg/ops/resize.hpp"
#include "host_device.hpp"

namespace gpuimg {

// --- Weights --------------------------------------------------------------------------------------------------------

/// Weights are integers in units of 2⁻²² for 8-bit samples and 2⁻³⁸ for 16-bit samples. Weighted sums fit in 31 and 63
/// bits: with every filter, the absolute weights of a pixel sum to less than 2.
template <class T>
using WeightOf = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;
template <class Weight>
inline constexpr int kBitsOf = sizeof(Weight) == 4 ? 22 : 38;
template <class T>
inline constexpr int kWeightBits = kBitsOf<WeightOf<T>>;

/// For each output position along one axis: the input positions that it depends on, and their weights.
template <class Weight>
struct AxisWeights {
  std::vector<std::int32_t> first;    ///< by output position: the first input position it uses
  std::vector<std::uint32_t> starts;  ///< by output position: index of its first weight; then the total
  std::vector<Weight> weights;

  [[nodiscard]] int size() const { return static_cast<int>(first.size()); }
  [[nodiscard]] int count(int i) const {
    const auto at = static_cast<std::size_t>(i);
    return static_cast<int>(starts[at + 1] - starts[at]);
  }
  /// One past the last input position that output position i uses. end(i) and first[i] never decrease with i.
  [[nodiscard]] int end(int i) const { return first[static_cast<std::size_t>(i)] + count(i); }

  void add(int position, const std::vector<Weight>& of_position) {
    if (starts.empty()) {
      starts.push_back(0);
    }
    first.push_back(position);
    weights.insert(weights.end(), of_position.begin(), of_position.end());
    starts.push_back(static_cast<std::uint32_t>(weights.size()));
  }
};

namespace detail {

/// Half the width of a filter, in pixels of the input or the output, whichever are larger.
inline double filter_support(ResizeFilter filter) {
  switch (filter) {
    case ResizeFilter::bilinear:
    case ResizeFilter::hamming: return 1.0;
    case ResizeFilter::bicubic: return 2.0;
    case ResizeFilter::lanczos: return 3.0;
    default: return 0.5;
  }
}

inline double sinc(double x) {
  const double angle = x * std::numbers::pi;
  return x == 0.0 ? 1.0 : std::sin(angle) / angle;
}

inline double hamming(double x) {
  if (x == 0.0) {
    return 1.0;
  }
  const double angle = x * std::numbers::pi;
  return x < 1.0 ? std::sin(angle) / angle * (double{0.54F} + double{0.46F} * std::cos(angle)) : 0.0;
}

inline double bicubic(double x) {
  constexpr double a = -0.5;
  if (x < 1.0) {
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  }
  return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * a : 0.0;
}

inline double filter_value(ResizeFilter filter, double x) {
  const double distance = std::fabs(x);
  switch (filter) {
    case ResizeFilter::bilinear: return distance < 1.0 ? 1.0 - distance : 0.0;
    case ResizeFilter::hamming: return hamming(distance);
    case ResizeFilter::bicubic: return bicubic(distance);
    case ResizeFilter::lanczos: return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
    default: return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
  }
}

/// Rounds to the nearest integer, ties away from zero.
template <class Weight>
Weight whole_weight(double weight) {
  return static_cast<Weight>(std::ldexp(weight, kBitsOf<Weight>) + (weight < 0.0 ? -0.5 : 0.5));
}

}  // namespace detail

/// The weights of output positions [begin, end). All `size` output positions together cover the range `from` to `to` of
/// an input with `input` positions.
template <class Weight>
AxisWeights<Weight> axis_weights(int input, float from, float to, int size, ResizeFilter filter, int begin, int end) {
  const double scale = static_cast<double>(to - from) / size;
  const double stretch = std::max(scale, 1.0);
  const double support = detail::filter_support(filter) * stretch;
  const double shrink = 1.0 / stretch;
  AxisWeights<Weight> axis;
  std::vector<double> exact;
  std::vector<Weight> whole;
  for (int i = begin; i < end; ++i) {
    const double center = static_cast<double>(from) + (i + 0.5) * scale;
    const int first = static_cast<int>(std::max(center - support + 0.5, 0.0));
    const int last = static_cast<int>(std::min(center + support + 0.5, static_cast<double>(input)));
    exact.clear();
    double sum = 0.0;
    for (int x = 0; x < last - first; ++x) {
      exact.push_back(detail::filter_value(filter, (x + first - center + 0.5) * shrink));
      sum += exact.back();
    }
    whole.clear();
    for (const double weight : exact) {
      whole.push_back(detail::whole_weight<Weight>(sum != 0.0 ? weight / sum : weight));
    }
    axis.add(first, whole);
  }
  return axis;
}

/// The weights of a pass that copies its input.
template <class Weight>
AxisWeights<Weight> unit_weights(int begin, int end) {
  AxisWeights<Weight> axis;
  for (int i = begin; i < end; ++i) {
    axis.add(i, {Weight{1} << kBitsOf<Weight>});
  }
  return axis;
}

/// The input position of each output position in [begin, end), for `nearest`.
inline std::vector<std::int32_t> nearest_positions(int input, float from, float to, int size, int begin, int end) {
  const double scale = static_cast<double>(to - from) / size;
  std::vector<std::int32_t> positions;
  double x = static_cast<double>(from) + scale * 0.5;
  for (int i = 0; i < end; ++i, x += scale) {
    if (i >= begin) {
      positions.push_back(std::min(static_cast<std::int32_t>(x), input - 1));
    }
  }
  return positions;
}

// --- Which part of a plan to compute ---------------------------------------------------------------------------------

/// Rows [begin, end).
struct RowRange {
  int begin = 0;
  int end = 0;
};

/// The rows of the resampled image that lie in rows [begin, end) of the result. Empty if these rows contain only bars.
inline RowRange placed_rows(const ResizePlan& plan, int begin, int end) {
  const auto in_place = [&](int row) { return std::clamp(row - plan.place.y, 0, plan.place.height); };
  return {in_place(begin), in_place(end)};
}

/// The rows of an image of this height that rows [begin, end) of the result depend on. Never empty.
inline RowRange rows_for(const ResizePlan& plan, int height, const ResizeOptions& options, int begin, int end) {
  const RowRange placed = placed_rows(plan, begin, end);
  if (placed.begin == placed.end) {
    return {0, 1};
  }
  if (options.filter == ResizeFilter::nearest) {
    const auto rows = nearest_positions(height, plan.top, plan.bottom, plan.place.height, placed.begin, placed.end);
    return {rows.front(), rows.back() + 1};
  }
  if (!plan.down) {
    return placed;
  }
  const auto axis = [&](int row) {
    return axis_weights<std::int32_t>(height, plan.top, plan.bottom, plan.place.height, options.filter, row, row + 1);
  };
  return {axis(placed.begin).first.front(), axis(placed.end - 1).end(0)};
}

/// The part of a plan to compute for a picture: all of it, or the strip that the options give.
struct ResizeWork {
  ResizePlan plan;
  ResizeFilter filter = ResizeFilter::bicubic;
  int image_width = 0;
  int image_height = 0;
  int first_row = 0;  ///< row of the image at which the picture begins
  RowRange rows;      ///< rows of the result to compute
  RowRange placed;    ///< rows of the resampled image among these rows
  bool is_copy = false;

  [[nodiscard]] int height() const { return rows.end - rows.begin; }
  /// The row, counted from the beginning of this part of the result, at which resampled rows begin.
  [[nodiscard]] int first_placed() const { return placed.begin + plan.place.y - rows.begin; }
  [[nodiscard]] bool has_bars() const {
    return plan.place.width != plan.width || placed.end - placed.begin != height();
  }

  template <class Weight>
  [[nodiscard]] AxisWeights<Weight> across() const {
    return plan.across
               ? axis_weights<Weight>(image_width, plan.left, plan.right, plan.place.width, filter, 0, plan.place.width)
               : unit_weights<Weight>(0, plan.place.width);
  }
  /// The weights of the vertical pass; input positions are rows of the picture.
  template <class Weight>
  [[nodiscard]] AxisWeights<Weight> down() const {
    AxisWeights<Weight> axis = plan.down ? axis_weights<Weight>(image_height, plan.top, plan.bottom, plan.place.height,
                                                                filter, placed.begin, placed.end)
                                         : unit_weights<Weight>(placed.begin, placed.end);
    for (std::int32_t& row : axis.first) {
      row -= first_row;
    }
    return axis;
  }
  [[nodiscard]] std::vector<std::int32_t> nearest_columns() const {
    return nearest_positions(image_width, plan.left, plan.right, plan.place.width, 0, plan.place.width);
  }
  [[nodiscard]] std::vector<std::int32_t> nearest_rows() const {
    auto rows_of_image =
        nearest_positions(image_height, plan.top, plan.bottom, plan.place.height, placed.begin, placed.end);
    for (std::int32_t& row : rows_of_image) {
      row -= first_row;
    }
    return rows_of_image;
  }
};

/// The work for a picture of this size. If the options give a strip, `height` is the height of the strip.
inline ResizeWork resize_work(int width, int height, const ResizeOptions& options) {
  ResizeWork work;
  work.image_width = width;
  work.image_height = options.strip ? options.strip->height : height;
  work.plan = resize_plan(width, work.image_height, options);
  work.filter = options.filter;
  work.first_row = options.strip ? options.strip->first_row : 0;
  work.rows = options.strip ? RowRange{options.strip->begin, options.strip->end} : RowRange{0, work.plan.height};
  work.placed = placed_rows(work.plan, work.rows.begin, work.rows.end);
  work.is_copy = !work.plan.across && !work.plan.down;
  return work;
}

/// The color of the bars: pad_color, opaque. Gray images get Pillow's luma of pad_color. Without pad_color, all
/// channels are 0.
inline std::array<std::uint16_t, 4> bar_pixel(PixelFormat format, const ResizeOptions& options) {
  std::array<std::uint16_t, 4> pixel{};
  if (!options.pad_color) {
    return pixel;
  }
  const std::uint32_t scale = format.sample == Sample::u8 ? 1 : 257;
  const auto& color = *options.pad_color;
  const auto colors = static_cast<std::size_t>(format.color_channels());
  for (std::size_t c = 0; c < colors; ++c) {
    pixel[c] = static_cast<std::uint16_t>(color[c] * scale);
  }
  if (colors == 1) {
    const std::uint32_t luma = (color[0] * 19595U + color[1] * 38470U + color[2] * 7471U + 0x8000U) >> 16;
    pixel[0] = static_cast<std::uint16_t>(luma * scale);
  }
  if (format.has_alpha()) {
    pixel[colors] = static_cast<std::uint16_t>(format.max_value());
  }
  return pixel;
}

// --- Arithmetic of a pixel ------------------------------------------------------------------------------------------

/// Converts a weighted sum to a sample. The sum must have started at half a unit, for rounding.
template <class T>
GPUIMG_HD constexpr T resampled(WeightOf<T> sum) {
  const WeightOf<T> level = sum >> kWeightBits<T>;
  constexpr auto kMost = static_cast<WeightOf<T>>(kMaxOf<T>);
  return static_cast<T>(level < 0 ? 0 : level > kMost ? kMost : level);
}

/// A color times its alpha.
template <class T>
GPUIMG_HD constexpr T premultiplied(std::uint32_t color, std::uint32_t alpha) {
  if constexpr (sizeof(T) == 1) {
    const std::uint32_t t = color * alpha + 128;
    return static_cast<T>(((t >> 8) + t) >> 8);
  } else {
    return static_cast<T>((color * alpha + 32767U) / 65535U);
  }
}

/// The inverse of premultiplied(). If alpha is 0 or V, the color stays unchanged; for V, this follows from the formula.
/// Do not add a separate test for V: with such a test, ptxas of CUDA 12.9 and 13.0 (not 13.5) for sm_90 tests the wrong
/// flag of VIMNMX.RELU to decide whether a level was clamped to V.
template <class T>
GPUIMG_HD constexpr T unmultiplied(std::uint32_t color, std::uint32_t alpha) {
  if (alpha == 0) {
    return static_cast<T>(color);
  }
  const std::uint32_t level = sizeof(T) == 1 ? 255U * color / alpha : (65535U * color + alpha / 2) / alpha;
  return static_cast<T>(level < kMaxOf<T> ? level : kMaxOf<T>);
}

}  // namespace gpuimg

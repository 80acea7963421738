// Resize: weights and indices, which the host computes for every backend, and exact arithmetic. Specified in
// docs/operations.md, "Resize". opencl/kernels/resize.cl restates the arithmetic.
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

/// Weights are integers in units of 2⁻²² at 8 bits and of 2⁻³⁸ at 16. The products of a window fit 31 and 63 bits: for
/// no filter do the absolute weights of a pixel sum up to 2.
template <class T>
using WeightOf = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;
template <class Weight>
inline constexpr int kBitsOf = sizeof(Weight) == 4 ? 22 : 38;
template <class T>
inline constexpr int kWeightBits = kBitsOf<WeightOf<T>>;

/// Which input positions each output position weights, along one axis.
template <class Weight>
struct AxisWeights {
  std::vector<std::int32_t> first;    ///< by output position: the first input position
  std::vector<std::uint32_t> starts;  ///< index of its first weight; one more at the end
  std::vector<Weight> weights;

  [[nodiscard]] int size() const { return static_cast<int>(first.size()); }
  [[nodiscard]] int count(int i) const {
    const auto at = static_cast<std::size_t>(i);
    return static_cast<int>(starts[at + 1] - starts[at]);
  }
  /// After the last input position of output position i. Neither it nor first[i] falls as i rises.
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

/// Half the width of a filter, in pixels of the larger scale.
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

/// The nearest integer; halves away from zero.
template <class Weight>
Weight whole_weight(double weight) {
  return static_cast<Weight>(std::ldexp(weight, kBitsOf<Weight>) + (weight < 0.0 ? -0.5 : 0.5));
}

}  // namespace detail

/// The weights of output positions [begin, end) of `size`, for a region of `input` positions.
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

/// The weights of a pass that changes nothing.
template <class Weight>
AxisWeights<Weight> unit_weights(int begin, int end) {
  AxisWeights<Weight> axis;
  for (int i = begin; i < end; ++i) {
    axis.add(i, {Weight{1} << kBitsOf<Weight>});
  }
  return axis;
}

/// The input position of each output position [begin, end) by `nearest`.
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

// --- What is computed -----------------------------------------------------------------------------------------------

/// Rows [begin, end).
struct RowRange {
  int begin = 0;
  int end = 0;
};

/// Rows [begin, end) of the resampled image that lie in rows [begin, end) of the result. Empty if these are bars.
inline RowRange placed_rows(const ResizePlan& plan, int begin, int end) {
  const auto in_place = [&](int row) { return std::clamp(row - plan.place.y, 0, plan.place.height); };
  return {in_place(begin), in_place(end)};
}

/// The rows of an image of this height on which rows of the result depend. Never empty.
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

/// A picture's part of a plan: all of it, or what the options name as a strip.
struct ResizeWork {
  ResizePlan plan;
  ResizeFilter filter = ResizeFilter::bicubic;
  int image_width = 0;
  int image_height = 0;
  int first_row = 0;  ///< of the picture in the image
  RowRange rows;      ///< of the result
  RowRange placed;    ///< of the resampled image
  bool is_copy = false;

  [[nodiscard]] int height() const { return rows.end - rows.begin; }
  /// Row of this part's result that is the first of its resampled rows.
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
  /// Of rows of the picture.
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

/// For a picture of this size, or a strip of this many rows.
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

/// The color of bars: that of the options, opaque, gray by Pillow's luma; or 0 in all channels.
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

/// A weighted sum that began at half a unit, as a sample.
template <class T>
GPUIMG_HD constexpr T resampled(WeightOf<T> sum) {
  const WeightOf<T> level = sum >> kWeightBits<T>;
  constexpr auto kMost = static_cast<WeightOf<T>>(kMaxOf<T>);
  return static_cast<T>(level < 0 ? 0 : level > kMost ? kMost : level);
}

/// A color by its alpha.
template <class T>
GPUIMG_HD constexpr T premultiplied(std::uint32_t color, std::uint32_t alpha) {
  if constexpr (sizeof(T) == 1) {
    const std::uint32_t t = color * alpha + 128;
    return static_cast<T>(((t >> 8) + t) >> 8);
  } else {
    return static_cast<T>((color * alpha + 32767U) / 65535U);
  }
}

/// The way back. Unchanged where alpha is 0 or V, at V by the formula. V must not have a test of its own: for sm_90,
/// ptxas of CUDA 12.9 and 13.0 (not 13.5) takes whether a level was clamped to V from a wrong flag of VIMNMX.RELU.
template <class T>
GPUIMG_HD constexpr T unmultiplied(std::uint32_t color, std::uint32_t alpha) {
  if (alpha == 0) {
    return static_cast<T>(color);
  }
  const std::uint32_t level = sizeof(T) == 1 ? 255U * color / alpha : (65535U * color + alpha / 2) / alpha;
  return static_cast<T>(level < kMaxOf<T> ? level : kMaxOf<T>);
}

}  // namespace gpuimg

// Oracles of resize, crop, rotate and flip in plain loops, written from docs/operations.md, "Resize". They do not use
// the arithmetic of core.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/arrange.hpp"
#include "gpuimg/ops/resize.hpp"
#include "support/test_images.hpp"

namespace gpuimg::oracle {

__extension__ using WideSum = __int128;

/// Integer samples: one for each channel of each pixel, row by row.
struct Samples {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<std::int64_t> values;

  Samples(int w, int h, int c)
      : width(w), height(h), channels(c), values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h * c)) {}
  std::int64_t& at(int x, int y, int c) {
    return values[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
                      static_cast<std::size_t>(channels) +
                  static_cast<std::size_t>(c)];
  }
};

inline Samples samples_of(ConstView image) {
  Samples samples(image.width, image.height, image.format.channels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < image.format.channels; ++c) {
        samples.at(x, y, c) = test::sample_at(image, x, y, c);
      }
    }
  }
  return samples;
}

inline Image image_of(Samples samples, Sample type) {
  Image image(samples.width, samples.height, {type, samples.channels});
  for (int y = 0; y < samples.height; ++y) {
    for (int x = 0; x < samples.width; ++x) {
      for (int c = 0; c < samples.channels; ++c) {
        test::set_sample(image.view(), x, y, c, static_cast<std::uint32_t>(samples.at(x, y, c)));
      }
    }
  }
  return image;
}

inline double filter_at(ResizeFilter filter, double x) {
  const double pi = std::acos(-1.0);
  const auto sinc = [&](double t) { return t == 0.0 ? 1.0 : std::sin(t * pi) / (t * pi); };
  const double d = std::abs(x);
  switch (filter) {
    case ResizeFilter::box: return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case ResizeFilter::bilinear: return std::max(0.0, 1.0 - d);
    case ResizeFilter::hamming:
      return d >= 1.0 ? 0.0 : d == 0.0 ? 1.0 : sinc(d) * (double{0.54F} + double{0.46F} * std::cos(d * pi));
    case ResizeFilter::bicubic:
      return d < 1.0 ? (1.5 * d - 2.5) * d * d + 1.0 : d < 2.0 ? -0.5 * (((d - 5.0) * d + 8.0) * d - 4.0) : 0.0;
    default: return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
  }
}

inline double reach_of(ResizeFilter filter) {
  switch (filter) {
    case ResizeFilter::box: return 0.5;
    case ResizeFilter::bicubic: return 2.0;
    case ResizeFilter::lanczos: return 3.0;
    default: return 1.0;
  }
}

struct Window {
  int first = 0;
  std::vector<std::int64_t> weights;
};

/// The window for output position i of n; the region extends from a to b within `size` positions.
inline Window window_at(int i, int n, int size, float a, float b, ResizeFilter filter, int bits) {
  const double scale = double{b - a} / n;
  const double stretch = scale > 1.0 ? scale : 1.0;
  const double reach = reach_of(filter) * stretch;
  const double center = double{a} + (i + 0.5) * scale;
  Window window;
  window.first = std::max(0, static_cast<int>(std::trunc(center - reach + 0.5)));
  const int end = std::min(size, static_cast<int>(std::trunc(center + reach + 0.5)));
  std::vector<double> exact;
  double sum = 0.0;
  for (int x = window.first; x < end; ++x) {
    exact.push_back(filter_at(filter, (x - center + 0.5) * (1.0 / stretch)));
    sum += exact.back();
  }
  for (const double w : exact) {
    const double unit = w / sum * std::pow(2.0, bits);
    window.weights.push_back(static_cast<std::int64_t>(std::trunc(unit < 0.0 ? unit - 0.5 : unit + 0.5)));
  }
  return window;
}

inline std::int64_t rounded_sum(WideSum sum, int bits, std::int64_t v_max) {
  const WideSum unit = WideSum{1} << bits;
  const WideSum shifted = sum + unit / 2;
  const WideSum level = shifted / unit - (shifted % unit < 0 ? 1 : 0);
  return static_cast<std::int64_t>(std::clamp<WideSum>(level, 0, v_max));
}

/// One pass, along rows or along columns.
inline Samples passed(Samples in, bool along_rows, int n, float a, float b, ResizeFilter filter, std::int64_t v_max) {
  const int bits = v_max == 255 ? 22 : 38;
  Samples out(along_rows ? n : in.width, along_rows ? in.height : n, in.channels);
  for (int i = 0; i < n; ++i) {
    const Window window = window_at(i, n, along_rows ? in.width : in.height, a, b, filter, bits);
    for (int j = 0; j < (along_rows ? in.height : in.width); ++j) {
      for (int c = 0; c < in.channels; ++c) {
        WideSum sum = 0;
        for (int k = 0; k < static_cast<int>(window.weights.size()); ++k) {
          const int at = window.first + k;
          sum +=
              WideSum{window.weights[static_cast<std::size_t>(k)]} * (along_rows ? in.at(at, j, c) : in.at(j, at, c));
        }
        (along_rows ? out.at(i, j, c) : out.at(j, i, c)) = rounded_sum(sum, bits, v_max);
      }
    }
  }
  return out;
}

/// Multiplies colors by alpha or, if `divides`, divides them by alpha.
inline void weight_by_alpha(Samples& image, std::int64_t v_max, bool divides) {
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::int64_t a = image.at(x, y, image.channels - 1);
      for (int c = 0; c < image.channels - 1; ++c) {
        std::int64_t& color = image.at(x, y, c);
        if (!divides) {
          const std::int64_t t = color * a + 128;
          color = v_max == 255 ? ((t >> 8) + t) >> 8 : (2 * color * a + v_max) / (2 * v_max);
        } else if (a != 0 && a != v_max) {
          color = std::min(v_max, v_max == 255 ? 255 * color / a : (v_max * color + a / 2) / a);
        }
      }
    }
  }
}

inline std::vector<int> nearest_at(int n, int size, float a, float b) {
  std::vector<int> positions;
  const double scale = double{b - a} / n;
  double x = double{a} + scale / 2.0;
  for (int i = 0; i < n; ++i) {
    positions.push_back(std::min(size - 1, static_cast<int>(x)));
    x += scale;
  }
  return positions;
}

/// Resamples an image to a width and a height.
inline Image resampled(ConstView image, int width, int height, ResizeFilter filter, float left, float top, float right,
                       float bottom) {
  const bool across = width != image.width || left != 0.0F || right != static_cast<float>(image.width);
  const bool down = height != image.height || top != 0.0F || bottom != static_cast<float>(image.height);
  const std::int64_t v_max = image.format.max_value();
  Samples samples = samples_of(image);
  if (!across && !down) {
    return copy_of(image);
  }
  if (filter == ResizeFilter::nearest) {
    Samples out(width, height, samples.channels);
    const std::vector<int> columns = nearest_at(width, image.width, left, right);
    const std::vector<int> rows = nearest_at(height, image.height, top, bottom);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < out.channels; ++c) {
          out.at(x, y, c) = samples.at(columns[static_cast<std::size_t>(x)], rows[static_cast<std::size_t>(y)], c);
        }
      }
    }
    return image_of(std::move(out), image.format.sample);
  }
  if (image.format.has_alpha()) {
    weight_by_alpha(samples, v_max, false);
  }
  if (across) {
    samples = passed(std::move(samples), true, width, left, right, filter, v_max);
  }
  if (down) {
    samples = passed(std::move(samples), false, height, top, bottom, filter, v_max);
  }
  if (image.format.has_alpha()) {
    weight_by_alpha(samples, v_max, true);
  }
  return image_of(std::move(samples), image.format.sample);
}

/// The pixel of the input that becomes pixel (x, y) of the rotated image.
inline ConstView at(ConstView image, int x, int y) {
  image.data = image.row_bytes(y) + static_cast<std::size_t>(x) * image.format.bytes_per_pixel();
  return image;
}

inline Image turned(ConstView image, Turn turn) {
  const int w = image.width;
  const int h = image.height;
  const bool swaps = turn == Turn::rotate90 || turn == Turn::rotate270;
  Image out(swaps ? h : w, swaps ? w : h, image.format);
  for (int y = 0; y < out.height(); ++y) {
    for (int x = 0; x < out.width(); ++x) {
      const ConstView from = turn == Turn::rotate90          ? at(image, y, h - 1 - x)
                             : turn == Turn::rotate180       ? at(image, w - 1 - x, h - 1 - y)
                             : turn == Turn::rotate270       ? at(image, w - 1 - y, x)
                             : turn == Turn::flip_horizontal ? at(image, w - 1 - x, y)
                                                             : at(image, x, h - 1 - y);
      std::copy_n(from.data, image.format.bytes_per_pixel(),
                  out.view().row_bytes(y) + static_cast<std::size_t>(x) * image.format.bytes_per_pixel());
    }
  }
  return out;
}

}  // namespace gpuimg::oracle

// Oracles of windows, thresholds and denoising in plain loops, written independently from docs/operations.md. They use
// only option names of gpuimg/ops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/window.hpp"
#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg::oracle {

/// The samples of the window around a pixel; the border rule is applied one step at a time.
inline std::vector<std::uint64_t> window_samples(ConstView plane, int x, int y, WindowSize size, Border border) {
  const auto inside = [border](int at, int count) {
    while (at < 0 || at >= count) {
      if (border == Border::cut) {
        return -1;
      }
      if (border == Border::replicate || count == 1) {
        return at < 0 ? 0 : count - 1;
      }
      at = at < 0 ? -at : 2 * count - 2 - at;
    }
    return at;
  };
  std::vector<std::uint64_t> samples;
  for (int j = y - size.height / 2; j <= y + size.height / 2; ++j) {
    for (int i = x - size.width / 2; i <= x + size.width / 2; ++i) {
      const int from_x = inside(i, plane.width);
      const int from_y = inside(j, plane.height);
      if (from_x >= 0 && from_y >= 0) {
        samples.push_back(plane.format.sample == Sample::u8 ? plane.row<std::uint8_t>(from_y)[from_x]
                                                            : plane.row<std::uint16_t>(from_y)[from_x]);
      }
    }
  }
  return samples;
}

/// One channel of an image. The channel is named as in the options.
inline Image plane_of(ConstView pixels, Channel channel, Luma luma) {
  Image plane(pixels.width, pixels.height, {pixels.format.sample, 1});
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const Pixel p = pixel_at(pixels, x, y);
      std::uint32_t level = p.r;
      switch (channel) {
        case Channel::red: level = p.r; break;
        case Channel::green: level = p.g; break;
        case Channel::blue: level = p.b; break;
        case Channel::alpha: level = p.a; break;
        default: level = pixels.format.channels < 3 ? p.r : luma_of_kind(luma)(p); break;
      }
      if (pixels.format.sample == Sample::u8) {
        plane.view().row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(level);
      } else {
        plane.view().row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(level);
      }
    }
  }
  return plane;
}

__extension__ using Wide = unsigned __int128;

/// The sums Σa, Σa·x and Σa·x² of samples x with weights a.
struct Moments {
  std::uint64_t n = 0;
  std::uint64_t sum = 0;
  Wide squares = 0;

  [[nodiscard]] std::uint64_t rounded_mean() const {
    return static_cast<std::uint64_t>((2 * Wide{sum} + n) / (2 * Wide{n}));
  }
  /// Each conversion rounds an integer of up to 128 bits to the nearest double.
  [[nodiscard]] double variance() const {
    const Wide numerator = n * squares - Wide{sum} * sum;
    return n == 0 ? 0.0 : static_cast<double>(numerator) / (static_cast<double>(n) * static_cast<double>(n));
  }
};

/// If all weights in a window are `v_max`, they are replaced by 1.
inline Moments moments_of(const std::vector<std::uint64_t>& samples, const std::vector<std::uint64_t>& weights,
                          std::uint64_t v_max) {
  const bool is_opaque = std::all_of(weights.begin(), weights.end(), [=](auto weight) { return weight == v_max; });
  Moments moments;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::uint64_t weight = is_opaque ? 1 : weights[i];
    moments.n += weight;
    moments.sum += weight * samples[i];
    moments.squares += Wide{weight} * samples[i] * samples[i];
  }
  return moments;
}

/// The weight of each pixel: its alpha or `v_max`, and 0 for pixels that `choice` excludes.
inline Image weights_of(ConstView pixels, const Choice& choice) {
  Image weights = plane_of(pixels, Channel::alpha, kDefaultLuma);  // V without alpha
  const std::uint32_t v_max = pixels.format.max_value();
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const bool counts = is_counted(pixels, x, y, choice);
      const std::uint32_t weight = choice.count_transparent ? v_max : pixel_at(pixels, x, y).a;
      test::set_sample(weights.view(), x, y, 0, counts ? weight : 0);
    }
  }
  return weights;
}

}  // namespace gpuimg::oracle

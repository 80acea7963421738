// Oracles of windows, thresholds and denoising in plain loops, written independently from docs/operations.md. They use
// only option names of gpuimg/ops.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/window.hpp"
#include "support/oracle_of_options.hpp"

namespace gpuimg::oracle {

/// The samples of the K × K window around a pixel, one border step at a time.
inline std::vector<std::uint64_t> window_samples(ConstView plane, int x, int y, int size, Border border) {
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
  for (int j = y - size / 2; j <= y + size / 2; ++j) {
    for (int i = x - size / 2; i <= x + size / 2; ++i) {
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

/// One channel of an image, as the options name it.
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

struct Moments {
  std::uint64_t n = 0;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;

  /// The compiler rounds a 128-bit integer to the nearest double.
  [[nodiscard]] double variance() const {
    __extension__ using Wide = unsigned __int128;
    const Wide numerator = Wide{n} * squares - Wide{sum} * sum;
    return static_cast<double>(numerator) / (static_cast<double>(n) * static_cast<double>(n));
  }
};

inline Moments moments_of(const std::vector<std::uint64_t>& samples) {
  Moments moments;
  for (const std::uint64_t sample : samples) {
    ++moments.n;
    moments.sum += sample;
    moments.squares += sample * sample;
  }
  return moments;
}

}  // namespace gpuimg::oracle

// Colors in float64, and rendering a scene function to an Image.
#pragma once

#include <cstdint>

#include "gpuimg/image.hpp"
#include "noise.hpp"

namespace gpuimg::samples {

/// Gamma-encoded red, green and blue, nominally in [0,1].
struct Color {
  double r = 0.0;
  double g = 0.0;
  double b = 0.0;
};

constexpr Color operator+(const Color& p, const Color& q) { return {p.r + q.r, p.g + q.g, p.b + q.b}; }
constexpr Color operator*(double k, const Color& p) { return {k * p.r, k * p.g, k * p.b}; }
constexpr Color mix(const Color& p, const Color& q, double t) {
  return {mix(p.r, q.r, t), mix(p.g, q.g, t), mix(p.b, q.b, t)};
}

/// The level 0 … v_max of x in [0,1], rounded half up.
constexpr std::uint32_t level(double x, std::uint32_t v_max) {
  return static_cast<std::uint32_t>(clamped(x) * v_max + 0.5);
}

/// Renders color_at(x, y) as 8-bit RGB. Each pixel is the mean of 2 × 2 points. x and y are in pixels from the top left
/// corner.
template <class Scene>
Image painted(int width, int height, const Scene& color_at) {
  Image image(width, height, {Sample::u8, 3});
  for (int y = 0; y < height; ++y) {
    auto* out = image.view().row<std::uint8_t>(y);
    for (int x = 0; x < width; ++x) {
      Color sum;
      for (const double dy : {0.25, 0.75}) {
        for (const double dx : {0.25, 0.75}) {
          sum = sum + color_at(x + dx, y + dy);
        }
      }
      *out++ = static_cast<std::uint8_t>(level(0.25 * sum.r, 255));
      *out++ = static_cast<std::uint8_t>(level(0.25 * sum.g, 255));
      *out++ = static_cast<std::uint8_t>(level(0.25 * sum.b, 255));
    }
  }
  return image;
}

/// Renders brightness(x, y), which must be in [0,1], at pixel centers. The result is a gray image with samples of type
/// T.
template <class T, class Scene>
Image painted_gray(int width, int height, const Scene& brightness) {
  constexpr Sample kSample = sizeof(T) == 1 ? Sample::u8 : Sample::u16;
  Image image(width, height, {kSample, 1});
  for (int y = 0; y < height; ++y) {
    T* out = image.view().row<T>(y);
    for (int x = 0; x < width; ++x) {
      out[x] = static_cast<T>(level(brightness(x + 0.5, y + 0.5), sizeof(T) == 1 ? 255 : 65535));
    }
  }
  return image;
}

}  // namespace gpuimg::samples

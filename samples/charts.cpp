// The geometric samples: ramp, logo, spectrum and flat.
#include <array>
#include <cmath>
#include <cstring>

#include "canvas.hpp"
#include "ops/hsl.hpp"
#include "scenes.hpp"

namespace gpuimg::samples {
namespace {

/// Signed distance to a square with half width 0.42 and corner radius 0.12; negative inside. x and y are relative to
/// its center.
double rounded_square(double x, double y) {
  const double u = std::fmax(std::fabs(x) - 0.30, 0.0);
  const double v = std::fmax(std::fabs(y) - 0.30, 0.0);
  return std::sqrt(u * u + v * v) - 0.12;
}

/// The coverage of the point (x, y) by histogram bars that stand on y = 0.26: 0 outside, 1 inside.
double bars(double x, double y) {
  constexpr std::array<double, 7> kHeights{0.10, 0.22, 0.40, 0.52, 0.44, 0.24, 0.12};
  const double slot = (x + 0.28) / 0.08;
  const double within = slot - std::floor(slot);
  if (slot < 0.0 || slot >= 7.0 || y > 0.26) {
    return 0.0;
  }
  const double top = 0.26 - kHeights[static_cast<std::size_t>(slot)];
  return smooth_step(top - 0.004, top + 0.004, y) * smooth_step(0.10, 0.16, within) * smooth_step(0.90, 0.84, within);
}

}  // namespace

Image ramp() {
  return painted_gray<std::uint16_t>(512, 96, [](double x, double y) {
    return y < 48.0 ? (x - 0.5) / 511.0 : (32518.0 + std::floor((x - 0.5) * 500.0 / 512.0)) / 65535.0;
  });
}

Image logo() {
  constexpr int kSide = 192;
  Image image(kSide, kSide, {Sample::u8, 4});
  for (int row = 0; row < kSide; ++row) {
    auto* out = image.view().row<std::uint8_t>(row);
    for (int column = 0; column < kSide; ++column, out += 4) {
      const double x = (column + 0.5) / kSide - 0.5;
      const double y = (row + 0.5) / kSide - 0.5;
      const double opacity = smooth_step(0.006, -0.006, rounded_square(x, y));
      const Color ground = mix({0.10, 0.24, 0.42}, {0.20, 0.52, 0.58}, clamped(0.5 - 0.6 * x + 0.6 * y));
      const Color color = mix(ground, {0.98, 0.80, 0.36}, bars(x, y));
      const std::uint32_t alpha = level(opacity, 255);
      const Color visible = alpha == 0 ? Color{} : color;
      const std::array<std::uint32_t, 4> levels{level(visible.r, 255), level(visible.g, 255), level(visible.b, 255),
                                                alpha};
      for (std::size_t i = 0; i < levels.size(); ++i) {
        out[i] = static_cast<std::uint8_t>(levels[i]);
      }
    }
  }
  return image;
}

Image spectrum() {
  Image image(360, 120, {Sample::u8, 3});
  for (int y = 0; y < image.height(); ++y) {
    auto* out = image.view().row<std::uint8_t>(y);
    for (int x = 0; x < image.width(); ++x, out += 3) {
      const Rgb rgb = rgb_from_hsl({static_cast<float>(x), 1.0F, (static_cast<float>(119 - y) + 0.5F) / 120.0F}, 255);
      out[0] = static_cast<std::uint8_t>(rgb.r);
      out[1] = static_cast<std::uint8_t>(rgb.g);
      out[2] = static_cast<std::uint8_t>(rgb.b);
    }
  }
  return image;
}

Image flat() {
  Image image(64, 64, {Sample::u8, 1});
  std::memset(image.view().data, 96, image.size_bytes());
  return image;
}

}  // namespace gpuimg::samples

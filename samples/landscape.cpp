// A lake between hills under a low sun: in haze (landscape.png), and in clear air, posterized (posterized.png).
#include <array>
#include <cmath>

#include "canvas.hpp"
#include "scenes.hpp"

namespace gpuimg::samples {
namespace {

// Coordinates are in units of the image height: y from 0 (top) to 1 (bottom), x from 0 to 1.5.
constexpr double kShore = 0.66;
constexpr double kSunX = 1.02;
constexpr double kSunY = 0.30;

constexpr Color kZenith{0.30, 0.48, 0.74};
constexpr Color kHorizon{0.98, 0.83, 0.66};
constexpr Color kSunlight{1.00, 0.93, 0.74};
constexpr Color kForest{0.07, 0.17, 0.13};
constexpr Color kMeadow{0.36, 0.42, 0.16};
constexpr Color kRock{0.40, 0.34, 0.36};

struct Ridge {
  double base;       // height of the outline where its noise is zero
  double amplitude;  // of the outline's noise
  double scale;      // hills per unit of width
  double nearness;   // 0 = lost in haze, 1 = close
};
constexpr std::array<Ridge, 5> kRidges{{
    {0.57, 0.95, 2.3, 0.22},
    {0.62, 0.66, 2.9, 0.40},
    {0.64, 0.42, 3.3, 0.58},
    {0.655, 0.22, 4.2, 0.78},
    {0.668, 0.10, 5.5, 1.00},
}};

Color sky(double x, double y) {
  const double height = clamped(1.0 - y / kShore);
  Color color = mix(kHorizon, kZenith, 1.0 - (1.0 - height) * (1.0 - height));
  const double bank = fractal_noise(x * 2.2 + 3.0, y * 7.0, 5, 11);
  const double cover = smooth_step(0.50, 0.74, bank) * smooth_step(0.02, 0.20, height);
  const double shade = fractal_noise(x * 2.2 + 3.06, y * 7.0 - 0.25, 5, 11);
  color =
      mix(color, mix({0.72, 0.66, 0.70}, {1.0, 0.95, 0.88}, smooth_step(0.66, 0.42, shade) * 0.9 + 0.1), 0.85 * cover);
  const double dx = x - kSunX;
  const double dy = y - kSunY;
  const double distance = dx * dx + dy * dy;
  color = mix(color, kSunlight, 0.75 / (1.0 + distance / 0.012));
  return mix(color, {1.0, 0.98, 0.90}, smooth_step(0.0011, 0.0007, distance));
}

double outline(const Ridge& ridge, double x, std::uint32_t seed) {
  double height = fractal_noise(x * ridge.scale + 5.0, 0.5, 7, seed) - 0.35;
  if (ridge.nearness > 0.5) {  // only the nearer hills have trees
    height += 0.30 * ridge.nearness * value_noise(x * 150.0, 0.5, seed + 40) * value_noise(x * 41.0, 0.5, seed + 41);
  }
  return ridge.base - ridge.amplitude * height;
}

Color hillside(const Ridge& ridge, double x, double y, double below_outline, std::uint32_t seed) {
  const double grain = 5.0 * ridge.scale;
  const double slant = x + 0.5 * y;  // gullies run down the slope
  const double here = fractal_noise(slant * grain, y * grain * 0.7, 5, seed + 70);
  const double toward_sun = fractal_noise((slant + 0.008) * grain, y * grain * 0.7, 5, seed + 70);
  const double light = clamped(0.62 + 5.0 * (here - toward_sun) - 1.1 * below_outline, 0.15, 1.2);
  const double growth = smooth_step(0.35, 0.65, fractal_noise(x * 6.0, y * 14.0, 3, seed + 90));
  const Color ground = mix(mix(kRock, kForest, ridge.nearness), kMeadow, 0.55 * growth * ridge.nearness);
  const Color lit = light * (ground + 0.35 * ground) + 0.10 * light * kSunlight;
  const Color air = mix(kHorizon, {0.56, 0.67, 0.86}, 0.80);
  const double haze = (1.0 - ridge.nearness) * 0.88 + 0.25 * ridge.nearness * smooth_step(0.10, 0.0, kShore - y);
  return mix(lit, air, clamped(haze));
}

Color above_water(double x, double y) {
  Color color = sky(x, y);
  for (std::size_t i = 0; i < kRidges.size(); ++i) {
    const auto seed = static_cast<std::uint32_t>(200 + 31 * i);
    const double top = outline(kRidges[i], x, seed);
    if (y > top) {
      color = hillside(kRidges[i], x, y, y - top, seed);
    }
  }
  return color;
}

Color water(double x, double y) {
  const double depth = (y - kShore) / (1.0 - kShore);  // 0 at the far shore, 1 in the foreground
  const double nearness = 0.12 + depth;
  const double wave = fractal_noise(x * 9.0 / nearness, 30.0 / nearness, 4, 500) - 0.5;
  const double ripple = fractal_noise(x * 34.0 / nearness, 95.0 / nearness, 3, 520) - 0.5;
  const Color mirrored =
      above_water(x + 0.05 * depth * wave, 2.0 * kShore - y + depth * (0.16 * wave + 0.05 * ripple) - 0.004);
  Color color = mix(mirrored, {0.10, 0.22, 0.30}, 0.22 + 0.30 * depth);
  const double beside_sun = (x - kSunX) / (0.05 + 0.10 * depth);
  const double glitter = smooth_step(0.03, 0.16, wave + ripple) / (1.0 + beside_sun * beside_sun * 4.0);
  color = mix(color, kSunlight, 0.8 * glitter);
  return mix(color, {0.90, 0.86, 0.80}, 0.45 * smooth_step(0.03, 0.0, depth));
}

/// The coverage of the point (x, y) by a fir that stands at (foot_x, foot_y): 0 outside, 1 inside.
double fir(double x, double y, double foot_x, double foot_y, double height, std::uint32_t seed) {
  const double up = (foot_y - y) / height;
  if (up < 0.0 || up > 1.0) {
    return 0.0;
  }
  const double beside = std::fabs(x - foot_x) / height;
  const double tiers = up * 9.0;
  const double tier = tiers - std::floor(tiers);
  const double ragged = 0.35 * (value_noise(x * 160.0, y * 160.0, seed) - 0.5);
  const double reach = 0.20 * (1.0 - up) * (1.15 - 0.55 * tier + ragged);
  const bool trunk = beside < 0.012 && up < 0.12;
  return (up > 0.07 && beside < reach) || trunk ? 1.0 : 0.0;
}

Color scene(double x, double y) {
  Color color = y < kShore ? above_water(x, y) : water(x, y);
  const double bank = 0.93 - 0.10 * smooth_step(0.62, 0.0, x) + 0.03 * fractal_noise(x * 7.0, 0.5, 5, 610);
  if (y > bank) {
    const double grass = fractal_noise(x * 60.0, y * 22.0, 4, 620);
    color = mix({0.03, 0.06, 0.04}, {0.26, 0.27, 0.09}, grass * smooth_step(0.0, 0.14, y - bank));
  }
  struct Tree {
    double x, y, height;
  };
  constexpr std::array<Tree, 7> kTrees{{{0.05, 0.90, 0.62},
                                        {0.17, 0.88, 0.50},
                                        {0.27, 0.91, 0.36},
                                        {0.11, 0.95, 0.40},
                                        {0.36, 0.92, 0.22},
                                        {1.42, 0.97, 0.34},
                                        {1.34, 0.98, 0.20}}};
  for (const Tree& tree : kTrees) {
    if (fir(x, y, tree.x, tree.y, tree.height, 640) > 0.0) {
      const double needles = value_noise(x * 190.0, y * 120.0, 650);
      color = mix({0.02, 0.05, 0.05}, {0.12, 0.17, 0.09}, needles * smooth_step(-0.04, 0.06, x - tree.x));
    }
  }
  return color;
}

}  // namespace

Image landscape() {
  return painted(570, 380, [](double x, double y) {
    return 0.36 * scene(x / 380.0, y / 380.0) + Color{0.315, 0.325, 0.340};
  });
}

Image posterized() {
  Image image = painted(300, 200, [](double x, double y) { return scene(x / 200.0, y / 200.0); });
  auto* value = image.view().row<std::uint8_t>(0);
  for (std::size_t i = 0; i < image.size_bytes(); ++i) {
    value[i] = static_cast<std::uint8_t>(value[i] / 32 * 32);
  }
  return image;
}

}  // namespace gpuimg::samples

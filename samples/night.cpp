// A town by a river under the moon (night.png): most pixels are nearly black, a few are bright.
#include <cmath>

#include "canvas.hpp"
#include "scenes.hpp"

namespace gpuimg::samples {
namespace {

constexpr double kQuay = 0.72;  // the waterline; the image is 1 high and 1.5 wide
constexpr double kMoonX = 0.34;
constexpr double kMoonY = 0.20;

Color night_sky(double x, double y) {
  Color color = mix({0.020, 0.024, 0.060}, {0.085, 0.070, 0.110}, smooth_step(0.0, kQuay, y));
  const double cell = 46.0;  // at most one star per square of a grid
  const double cx = std::floor(x * cell);
  const double cy = std::floor(y * cell);
  const auto ix = static_cast<std::int64_t>(cx);
  const auto iy = static_cast<std::int64_t>(cy);
  if (random_at(ix, iy, 1) > 0.86) {
    const double dx = x * cell - cx - 0.2 - 0.6 * random_at(ix, iy, 2);
    const double dy = y * cell - cy - 0.2 - 0.6 * random_at(ix, iy, 3);
    const double magnitude = random_at(ix, iy, 4);
    color = color + (0.75 * magnitude * magnitude * smooth_step(0.020, 0.0, dx * dx + dy * dy)) * Color{0.9, 0.95, 1.0};
  }
  const double mx = x - kMoonX;
  const double my = y - kMoonY;
  const double distance = std::sqrt(mx * mx + my * my);
  color = color + (0.16 / (1.0 + distance * distance / 0.010)) * Color{0.75, 0.82, 1.0};
  const double seas = fractal_noise(x * 26.0, y * 26.0, 4, 9);
  color = mix(color, mix({0.93, 0.93, 0.88}, {0.66, 0.68, 0.70}, smooth_step(0.45, 0.62, seas)),
              smooth_step(0.065, 0.061, distance));
  const double cloud = smooth_step(0.48, 0.75, fractal_noise(x * 2.5 + 1.0, y * 8.0, 5, 21));
  return mix(color, 0.5 * color + Color{0.035, 0.037, 0.055}, cloud);
}

/// A row of houses: width of a house, minimum height, and how much of the town's light it receives.
struct HouseRow {
  double width, height, glow;
  std::uint32_t seed;
};

bool house(const HouseRow& row, double x, double y, Color& color) {
  const double slot = std::floor(x / row.width);
  const auto number = static_cast<std::int64_t>(slot);
  const double within = x / row.width - slot;
  const double roof = kQuay - row.height * (0.45 + 0.9 * random_at(number, 0, row.seed));
  const double gable = random_at(number, 1, row.seed) < 0.5 ? 0.35 * row.width * std::fabs(2.0 * within - 1.0) : 0.0;
  if (y < roof + gable) {
    return false;
  }
  color =
      row.glow * Color{0.11, 0.10, 0.12} + (0.06 * row.glow * random_at(number, 2, row.seed)) * Color{1.0, 0.8, 0.6};
  const double columns = 4.0;
  const double floors = (y - roof) / 0.026;
  const double column = within * columns;
  const auto window = static_cast<std::int64_t>(std::floor(column)) + 7 * number;
  const auto floor_number = static_cast<std::int64_t>(std::floor(floors));
  const double u = column - std::floor(column);
  const double v = floors - std::floor(floors);
  const bool pane = u > 0.3 && u < 0.7 && v > 0.25 && v < 0.75 && floor_number >= 1 && y < kQuay - 0.012;
  if (pane && random_at(window, floor_number, row.seed + 5) > 0.72) {
    const double warmth = random_at(window, floor_number, row.seed + 6);
    color = mix({0.95, 0.62, 0.25}, {0.98, 0.86, 0.58}, warmth);
  }
  return true;
}

Color town(double x, double y) {
  Color color = night_sky(x, y);
  const double hill = 0.62 - 0.22 * (fractal_noise(x * 2.0, 0.5, 5, 60) - 0.3);
  if (y > hill) {
    color = {0.030, 0.032, 0.052};
  }
  Color front;
  if (house({0.083, 0.17, 0.6, 100}, x, y, front)) {
    color = front;
  }
  if (house({0.061, 0.10, 1.0, 200}, x, y, front)) {
    color = front;
  }
  return color;
}

Color river(double x, double y) {
  const double depth = (y - kQuay) / (1.0 - kQuay);
  const double wave = fractal_noise(x * 12.0 / (0.15 + depth), 16.0 / (0.15 + depth), 3, 300) - 0.5;
  Color sum;
  for (int i = 0; i < 6; ++i) {  // reflections of lights are stretched downward
    sum = sum + town(x + 0.03 * depth * wave, kQuay - (y - kQuay) * (0.55 + 0.12 * i) + 0.05 * depth * wave - 0.003);
  }
  Color color = (0.62 / 6.0) * sum;
  const double beside_moon = (x - kMoonX) / (0.03 + 0.05 * depth);
  color =
      color + (0.5 * smooth_step(0.06, 0.2, wave) / (1.0 + 3.0 * beside_moon * beside_moon)) * Color{0.8, 0.85, 1.0};
  return color;
}

}  // namespace

Image night() {
  return painted(480, 320, [](double px, double py) {
    const double x = px / 320.0;
    const double y = py / 320.0;
    return 0.62 * (y < kQuay ? town(x, y) : river(x, y)) +
           (0.006 * random_at(static_cast<int>(px), static_cast<int>(py), 800)) * Color{1, 1, 1};
  });
}

}  // namespace gpuimg::samples

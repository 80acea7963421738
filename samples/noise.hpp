// Reproducible noise for the samples. Uses only integer hashes and float64 sums, products and quotients, so that every
// machine draws the same pixels. Results of library functions differ between machines in the last digit.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpuimg::samples {

/// A pseudo-random number in [0,1) that depends only on the lattice point and the seed.
inline double random_at(std::int64_t x, std::int64_t y, std::uint32_t seed) {
  auto h =
      static_cast<std::uint32_t>(x) * 0x85EBCA6BU ^ static_cast<std::uint32_t>(y) * 0xC2B2AE35U ^ seed * 0x27D4EB2FU;
  h ^= h >> 15;
  h *= 0x2C1B3C6DU;
  h ^= h >> 12;
  h *= 0x297A2D39U;
  h ^= h >> 15;
  return static_cast<double>(h >> 8) / 16777216.0;
}

constexpr double mix(double a, double b, double t) { return a + (b - a) * t; }

constexpr double clamped(double x, double low = 0.0, double high = 1.0) { return x < low ? low : x > high ? high : x; }

/// Smoothstep: 0 below `low`, 1 above `high`, smooth between.
constexpr double smooth_step(double low, double high, double x) {
  const double t = clamped((x - low) / (high - low));
  return t * t * (3.0 - 2.0 * t);
}

/// Value noise in [0,1): random lattice values, blended with continuous second derivatives.
inline double value_noise(double x, double y, std::uint32_t seed) {
  const double cell_x = std::floor(x);
  const double cell_y = std::floor(y);
  const auto blend = [](double t) { return t * t * t * (t * (t * 6.0 - 15.0) + 10.0); };
  const double u = blend(x - cell_x);
  const double v = blend(y - cell_y);
  const auto ix = static_cast<std::int64_t>(cell_x);
  const auto iy = static_cast<std::int64_t>(cell_y);
  return mix(mix(random_at(ix, iy, seed), random_at(ix + 1, iy, seed), u),
             mix(random_at(ix, iy + 1, seed), random_at(ix + 1, iy + 1, seed), u), v);
}

/// Octaves of value noise, each twice as fine and half as strong as the one before. Roughly in [0,1], with mean 0.5.
inline double fractal_noise(double x, double y, int octaves, std::uint32_t seed) {
  double sum = 0.0;
  double weight = 0.5;
  double total = 0.0;
  for (int i = 0; i < octaves; ++i) {
    sum += weight * value_noise(x, y, seed + static_cast<std::uint32_t>(i));
    total += weight;
    weight *= 0.5;
    x = x * 2.0 + 17.17;
    y = y * 2.0 + 9.73;
  }
  return sum / total;
}

}  // namespace gpuimg::samples

// Mean and deviation on a circle, from sums of sines and cosines over the bins.
#include "report/circular_moments.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace gpuimg {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kMinResultant = 1e-6;

double rounded_degrees(double radians) {
  constexpr double kDecimals = 1e6;
  return std::round(radians * kDegrees * kDecimals) / kDecimals;
}

double center_of_bin(std::size_t bin, std::size_t bins) {
  return 2.0 * std::numbers::pi * (static_cast<double>(bin) + 0.5) / static_cast<double>(bins);
}

/// 1 − R, as the average of 1 − cos(θ − mean) = 2 sin²((θ − mean)/2). For a narrow peak R itself is too close to 1.
double circular_variance(std::span<const std::uint64_t> counts, double counted, double mean) {
  double variance = 0.0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] != 0) {
      const double half_sine = std::sin((center_of_bin(bin, counts.size()) - mean) / 2.0);
      variance += 2.0 * half_sine * half_sine * (static_cast<double>(counts[bin]) / counted);
    }
  }
  return variance;
}

}  // namespace

std::optional<CircularMoments> circular_moments(std::span<const std::uint64_t> counts) {
  const auto counted = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double sine = 0.0;
  double cosine = 0.0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] != 0) {
      const double share = static_cast<double>(counts[bin]) / counted;
      sine += share * std::sin(center_of_bin(bin, counts.size()));
      cosine += share * std::cos(center_of_bin(bin, counts.size()));
    }
  }
  if (std::hypot(sine, cosine) < kMinResultant) {
    return std::nullopt;
  }
  const double mean = std::atan2(sine, cosine);
  const double degrees = rounded_degrees(mean < 0.0 ? mean + 2.0 * std::numbers::pi : mean);
  const double deviation = std::sqrt(-2.0 * std::log1p(-circular_variance(counts, counted, mean)));
  return CircularMoments{degrees < 360.0 ? degrees : 0.0, rounded_degrees(deviation)};
}

}  // namespace gpuimg

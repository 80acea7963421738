// Statistics of one channel, from exact sums; mean and deviation on a circle, from sums of sines and cosines.
#include "report/statistics.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace gpuimg {
namespace {

__extension__ using Wide = unsigned __int128;

/// Computes mean and standard deviation from offsets to an integer near the mean. The squared offsets sum to less than
/// 2⁹⁶. The correction subtracts at most half of the sum, so there is no cancellation.
void fill_moments(std::span<const std::uint64_t> counts, HistogramStatistics& s) {
  Wide sum = 0;
  for (std::size_t v = s.min; v <= s.max; ++v) {
    sum += Wide{counts[v]} * v;
  }
  const auto pivot = static_cast<std::uint64_t>((sum + s.counted / 2) / s.counted);
  Wide squares = 0;
  for (std::size_t v = s.min; v <= s.max; ++v) {
    const std::uint64_t offset = v > pivot ? v - pivot : pivot - v;
    squares += Wide{counts[v]} * (offset * offset);
  }
  const Wide at_pivot = Wide{pivot} * s.counted;
  const auto n = static_cast<double>(s.counted);
  const double excess = sum >= at_pivot ? static_cast<double>(sum - at_pivot) : -static_cast<double>(at_pivot - sum);
  const double shift = excess / n;
  s.mean = static_cast<double>(sum) / n;
  s.standard_deviation = std::sqrt(static_cast<double>(squares) / n - shift * shift);
}

void fill_percentiles(std::span<const std::uint64_t> counts, HistogramStatistics& s) {
  std::size_t next = 0;
  std::uint64_t below = 0;
  for (std::size_t v = s.min; v <= s.max; ++v) {
    below += counts[v];
    while (next < kPercentiles.size() &&
           Wide{below} * 100 >= Wide{s.counted} * static_cast<unsigned>(kPercentiles[next])) {
      s.percentiles[next++] = static_cast<std::uint32_t>(v);
    }
  }
}

double entropy_bits(std::span<const std::uint64_t> counts, std::uint64_t counted) {
  constexpr double kDecimals = 1e9;
  double bits = 0.0;
  for (const std::uint64_t count : counts) {
    if (count != 0) {
      const double share = static_cast<double>(count) / static_cast<double>(counted);
      bits -= share * std::log2(share);
    }
  }
  return std::abs(std::round(bits * kDecimals) / kDecimals);  // abs: a single level gives −0
}

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kMinResultant = 1e-6;

double rounded_degrees(double radians) {
  constexpr double kDecimals = 1e6;
  return std::round(radians * kDegrees * kDecimals) / kDecimals;
}

double center_of_bin(std::size_t bin, std::size_t bins) {
  return 2.0 * std::numbers::pi * (static_cast<double>(bin) + 0.5) / static_cast<double>(bins);
}

/// 1 − R, computed as the average of 1 − cos(θ − mean) = 2 sin²((θ − mean)/2). For a narrow peak, R is too close to 1
/// to compute 1 − R directly.
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

std::optional<HistogramStatistics> statistics_of(std::span<const std::uint64_t> counts) {
  HistogramStatistics s;
  s.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (s.counted == 0) {
    return std::nullopt;
  }
  const std::size_t last = counts.size() - 1;
  std::size_t low = 0;
  std::size_t high = last;
  while (counts[low] == 0) {
    ++low;
  }
  while (counts[high] == 0) {
    --high;
  }
  std::size_t mode = low;
  for (std::size_t v = low + 1; v <= high; ++v) {
    mode = counts[v] > counts[mode] ? v : mode;
  }
  s.min = static_cast<std::uint32_t>(low);
  s.max = static_cast<std::uint32_t>(high);
  s.mode = static_cast<std::uint32_t>(mode);
  fill_moments(counts, s);
  fill_percentiles(counts, s);
  s.entropy_bits = entropy_bits(counts, s.counted);
  s.share_at_zero = static_cast<double>(counts[0]) / static_cast<double>(s.counted);
  s.share_at_max = static_cast<double>(counts[last]) / static_cast<double>(s.counted);
  return s;
}

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
  if (std::sqrt(sine * sine + cosine * cosine) < kMinResultant) {
    return std::nullopt;
  }
  const double mean = std::atan2(sine, cosine);
  const double degrees = rounded_degrees(mean < 0.0 ? mean + 2.0 * std::numbers::pi : mean);
  const double deviation = std::sqrt(-2.0 * std::log1p(-circular_variance(counts, counted, mean)));
  return CircularMoments{degrees < 360.0 ? degrees : 0.0, rounded_degrees(deviation)};
}

}  // namespace gpuimg

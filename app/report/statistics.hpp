// Statistics of one channel, from its integer histogram only: docs/operations.md, "Histogram".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gpuimg {

constexpr std::array<int, 7> kPercentiles = {1, 5, 25, 50, 75, 95, 99};

/// Values are in levels: 0 … counts.size() − 1.
struct HistogramStatistics {
  std::uint64_t counted = 0;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  double mean = 0.0;
  double standard_deviation = 0.0;  ///< population standard deviation: divided by `counted`
  std::array<std::uint32_t, kPercentiles.size()> percentiles{};  ///< smallest v with cdf(v) ≥ p/100, for kPercentiles
  std::uint32_t mode = 0;      ///< the smallest, if several levels are equally frequent
  double entropy_bits = 0.0;   ///< −Σ p·log2 p, rounded to 9 decimals so that every machine's log2 gives the same
  double share_at_zero = 0.0;  ///< share of the counted pixels, 0 … 1
  double share_at_max = 0.0;   ///< share at the last level

  [[nodiscard]] std::uint32_t median() const { return percentiles[3]; }
};

/// Returns nullopt if no pixel was counted. The sum of the counts must fit in 64 bits; at most 65536 levels. Sums are
/// exact 128-bit integers. Mean and standard deviation use few IEEE float64 operations, so every machine gets the same
/// result.
std::optional<HistogramStatistics> statistics_of(std::span<const std::uint64_t> counts);

/// Mean and deviation on a circle, for hue.
struct CircularMoments {
  double mean = 0.0;       ///< degrees, [0, 360)
  double deviation = 0.0;  ///< degrees; 0 if all pixels are in one bin; no upper bound
};

/// The circular mean and circular standard deviation (Mardia and Jupp, Directional Statistics, 2000, sections 2.2 and
/// 2.3). Bin k of N stands for its center θ = 2π(k + ½)/N. S and C are the averages of sin θ and cos θ over the pixels,
/// and R = √(S² + C²):
///   mean = atan2(S, C)    deviation = √(−2 ln R)
/// Both are rounded to 6 decimals of a degree, to hide differences between math libraries in the last bits. Returns
/// nullopt if no pixel was counted, or if R < 10⁻⁶: opposite hues cancel, so there is no mean direction.
std::optional<CircularMoments> circular_moments(std::span<const std::uint64_t> counts);

}  // namespace gpuimg

// Mean and deviation on a circle, for hue. docs/operations.md, "Histogram".
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace gpuimg {

struct CircularMoments {
  double mean = 0.0;       ///< degrees, [0, 360)
  double deviation = 0.0;  ///< degrees; 0 if one bin holds everything; no upper bound
};

/// The circular mean and the circular standard deviation (Mardia and Jupp, Directional Statistics, 2000, sections 2.2
/// and 2.3). Bin k of N stands for its center θ = 2π(k + ½)/N. With S and C the averages of sin θ and cos θ over the
/// pixels, and R = √(S² + C²):
///   mean = atan2(S, C)    deviation = √(−2 ln R)
/// Both are rounded to 6 decimals of a degree, to hide differences between math libraries in the last bits. Returns
/// nullopt if nothing was counted, or if R < 10⁻⁶: opposite hues cancel, and no direction is the mean.
std::optional<CircularMoments> circular_moments(std::span<const std::uint64_t> counts);

}  // namespace gpuimg

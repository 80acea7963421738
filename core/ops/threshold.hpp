// Thresholds, of the whole image and of the window around each pixel: exact arithmetic. Specified in
// docs/operations.md, "Thresholds".
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpuimg/ops/threshold.hpp"
#include "host_device.hpp"
#include "ops/window.hpp"

namespace gpuimg {

/// What a pixel is compared with, ready for the inner loops.
struct ThresholdRule {
  ThresholdMethod method = ThresholdMethod::otsu;
  std::int32_t offset = 0;    ///< ⌈C⌉
  std::uint32_t percent = 0;  ///< 100 − t
  double k = 0.0;
  double range = 0.0;    ///< R of sauvola and wolf
  double darkest = 0.0;  ///< M of wolf
};

/// Of wolf, options.scale must be there.
inline ThresholdRule threshold_rule(PixelFormat format, const ThresholdOptions& options) {
  constexpr double kBeyondAnyLevel = 1 << 17;
  ThresholdRule rule;
  rule.method = options.method;
  rule.offset =
      static_cast<std::int32_t>(std::clamp(std::ceil(offset_of(format, options)), -kBeyondAnyLevel, kBeyondAnyLevel));
  rule.percent = static_cast<std::uint32_t>(100 - options.sensitivity);
  rule.k = k_of(options);
  rule.range = options.range.value_or(static_cast<double>(format.max_value()) / 2.0);
  if (options.method == ThresholdMethod::wolf) {
    rule.range = std::sqrt(options.scale->variance);
    rule.darkest = static_cast<double>(options.scale->darkest);
  }
  return rule;
}

/// What a device keeps of a WolfScale while it looks: zeros at first, and the larger of two numbers from then on.
struct WolfMaxima {
  std::uint64_t variance = 0;  ///< the bits of a double, which are in the order of numbers from 0 up
  std::uint32_t darkness = 0;  ///< 2³² − 1 less the level

  [[nodiscard]] WolfScale scale() const {
    WolfScale scale;
    std::memcpy(&scale.variance, &variance, sizeof variance);
    scale.darkest = ~darkness;
    return scale;
  }
};

/// Methods whose arithmetic is float64. `spread` is the deviation; of nick, the root of the mean square. No product and
/// sum may be fused.
template <ThresholdMethod method>
GPUIMG_HD inline bool is_above(std::uint32_t level, double mean, double spread, const ThresholdRule& rule) {
  const double x = static_cast<double>(level);
  if constexpr (method == ThresholdMethod::niblack) {
    return x > mean - rule.k * spread;
  } else if constexpr (method == ThresholdMethod::sauvola) {
    return x > mean * (1.0 + rule.k * (spread / rule.range - 1.0));
  } else if constexpr (method == ThresholdMethod::wolf) {
    const double part = rule.range > 0.0 ? spread / rule.range : 0.0;
    return x > mean - rule.k * (1.0 - part) * (mean - rule.darkest);
  } else {
    static_assert(method == ThresholdMethod::nick);
    return x > mean + rule.k * spread;
  }
}

/// True if a pixel of this level is white; `sum` and `squares` are those of its window of n pixels.
template <ThresholdMethod method>
GPUIMG_HD inline bool is_white(std::uint32_t level, std::uint64_t sum, std::uint64_t squares, std::uint64_t n,
                               const ThresholdRule& rule) {
  if constexpr (method == ThresholdMethod::mean) {
    return static_cast<std::int32_t>(level) - static_cast<std::int32_t>(window_mean(sum, n)) > -rule.offset;
  } else if constexpr (method == ThresholdMethod::bradley) {
    return std::uint64_t{100} * level * n > sum * rule.percent;
  } else {
    const double count = static_cast<double>(n);
    const double spread = method == ThresholdMethod::nick ? sqrt(static_cast<double>(squares) / count)
                                                          : window_deviation(sum, squares, n);
    return is_above<method>(level, static_cast<double>(sum) / count, spread, rule);
  }
}

/// The same of a window whose pixels have weights. White if it has none.
template <ThresholdMethod method>
GPUIMG_HD inline bool is_white(std::uint32_t level, const WeightedSums& sums, const ThresholdRule& rule) {
  if (sums.weights == 0) {
    return true;
  }
  if constexpr (method == ThresholdMethod::mean) {
    return static_cast<std::int32_t>(level) - static_cast<std::int32_t>(window_mean(sums)) > -rule.offset;
  } else if constexpr (method == ThresholdMethod::bradley) {
    return Uint128{std::uint64_t{100} * level} * sums.weights > Uint128{sums.levels} * rule.percent;
  } else {
    const double weights = static_cast<double>(sums.weights);
    const double spread = method == ThresholdMethod::nick ? sqrt(rounded_to_double(sums.squares) / weights)
                                                          : sqrt(weighted_variance(sums));
    return is_above<method>(level, static_cast<double>(sums.levels) / weights, spread, rule);
  }
}

/// Calls body.template operator()<method>() for a method with a window.
template <class Body>
void with_window_method(ThresholdMethod method, const Body& body) {
  switch (method) {
    case ThresholdMethod::bradley: return body.template operator()<ThresholdMethod::bradley>();
    case ThresholdMethod::niblack: return body.template operator()<ThresholdMethod::niblack>();
    case ThresholdMethod::sauvola: return body.template operator()<ThresholdMethod::sauvola>();
    case ThresholdMethod::wolf: return body.template operator()<ThresholdMethod::wolf>();
    case ThresholdMethod::nick: return body.template operator()<ThresholdMethod::nick>();
    default: return body.template operator()<ThresholdMethod::mean>();
  }
}

namespace detail {

/// Unsigned integers of 384 bits, the lowest word first.
using LongNumber = std::array<std::uint64_t, 6>;

inline LongNumber long_number(Uint128 x) {
  return {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64), 0, 0, 0, 0};
}

/// Modulo 2³⁸⁴.
inline LongNumber product(const LongNumber& a, const LongNumber& b) {
  LongNumber result{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < result.size(); ++j) {
      const Uint128 sum = Uint128{a[i]} * b[j] + result[i + j] + carry;
      result[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }
  return result;
}

inline bool is_less(const LongNumber& a, const LongNumber& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

}  // namespace detail

/// Otsu's threshold: the smallest level t in use for which (N·S(t) − c(t)·S)² / (c(t)·(N − c(t))) is largest, where
/// c(t) pixels of N, with sum S(t) of S, have levels up to t. Exact. 0 if there is only one level.
inline std::uint32_t otsu_level(const std::vector<std::uint64_t>& counts) {
  Uint128 all = 0;
  Uint128 all_sum = 0;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    all += counts[level];
    all_sum += Uint128{counts[level]} * level;
  }
  std::uint32_t best = 0;
  detail::LongNumber best_numerator{};
  detail::LongNumber best_denominator = detail::long_number(1);
  Uint128 below = 0;
  Uint128 below_sum = 0;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    below += counts[level];
    below_sum += Uint128{counts[level]} * level;
    if (counts[level] == 0 || below == all) {
      continue;
    }
    // The mean up to a level is at most the mean of all.
    const detail::LongNumber distance = detail::long_number(below * all_sum - all * below_sum);
    const detail::LongNumber numerator = detail::product(distance, distance);
    const detail::LongNumber denominator = detail::long_number(below * (all - below));
    if (detail::is_less(detail::product(best_numerator, denominator), detail::product(numerator, best_denominator))) {
      best = static_cast<std::uint32_t>(level);
      best_numerator = numerator;
      best_denominator = denominator;
    }
  }
  return best;
}

}  // namespace gpuimg

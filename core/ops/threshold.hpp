// Thresholds, of the whole image and of the window around each pixel: exact arithmetic. Specified in
// docs/operations.md, "Thresholds".
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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
  double range = 0.0;  ///< R of sauvola
};

inline ThresholdRule threshold_rule(PixelFormat format, const ThresholdOptions& options) {
  constexpr double kBeyondAnyLevel = 1 << 17;
  return {
      options.method,
      static_cast<std::int32_t>(std::clamp(std::ceil(offset_of(format, options)), -kBeyondAnyLevel, kBeyondAnyLevel)),
      static_cast<std::uint32_t>(100 - options.sensitivity), options.k,
      options.range.value_or(static_cast<double>(format.max_value()) / 2.0)};
}

/// Niblack and Sauvola. No product and sum may be fused.
template <ThresholdMethod method>
GPUIMG_HD inline bool is_above(std::uint32_t level, double mean, double deviation, const ThresholdRule& rule) {
  static_assert(method == ThresholdMethod::niblack || method == ThresholdMethod::sauvola);
  if constexpr (method == ThresholdMethod::niblack) {
    return static_cast<double>(level) > mean - rule.k * deviation;
  } else {
    return static_cast<double>(level) > mean * (1.0 + rule.k * (deviation / rule.range - 1.0));
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
    return is_above<method>(level, static_cast<double>(sum) / static_cast<double>(n), window_deviation(sum, squares, n),
                            rule);
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
    return is_above<method>(level, static_cast<double>(sums.levels) / static_cast<double>(sums.weights),
                            sqrt(weighted_variance(sums)), rule);
  }
}

/// Calls body.template operator()<method>() for a method with a window.
template <class Body>
void with_window_method(ThresholdMethod method, const Body& body) {
  switch (method) {
    case ThresholdMethod::bradley: return body.template operator()<ThresholdMethod::bradley>();
    case ThresholdMethod::niblack: return body.template operator()<ThresholdMethod::niblack>();
    case ThresholdMethod::sauvola: return body.template operator()<ThresholdMethod::sauvola>();
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

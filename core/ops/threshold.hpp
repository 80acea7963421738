// Exact arithmetic of global thresholds, and of local thresholds computed from the window around each pixel. Specified
// in docs/operations.md, "Thresholds".
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpuimg/ops/threshold.hpp"
#include "host_device.hpp"
#include "ops/window.hpp"

namespace gpuimg {

/// The parameters of a threshold, prepared for inner loops.
struct ThresholdRule {
  ThresholdMethod method = ThresholdMethod::otsu;
  std::int32_t offset = 0;    ///< ⌈C⌉
  std::uint32_t percent = 0;  ///< 100 − t
  double k = 0.0;
  double range = 0.0;    ///< R of sauvola and wolf
  double darkest = 0.0;  ///< M of wolf
};

/// For wolf, options.scale must be set.
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

/// A WolfScale as a device accumulates it: each member starts at zero, and is updated to the maximum of itself and a
/// new value.
struct WolfMaxima {
  std::uint64_t variance = 0;  ///< bits of a double ≥ 0; compared as integers, they have the order of the doubles
  std::uint32_t darkness = 0;  ///< 2³² − 1 − level

  [[nodiscard]] WolfScale scale() const {
    WolfScale scale;
    std::memcpy(&scale.variance, &variance, sizeof variance);
    scale.darkest = ~darkness;
    return scale;
  }
};

/// True if the level is above the threshold, for methods that compute in float64. `spread` is the standard deviation;
/// for nick, the root mean square. Multiplications and additions must not be fused.
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

/// True if a pixel of this level becomes white. `sum` and `squares` are the sums of x and x² over its window of n
/// pixels.
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

/// Like the function above, for a window whose pixels have weights. True if all weights are 0.
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

/// Calls body.template operator()<method>() for a method that uses windows.
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

/// Terms of S²/n for a class of levels. Levels are taken relative to the lowest level in use, which keeps the numbers
/// small.
struct ClassTerm {
  Uint128 sum = 0;
  std::uint64_t count = 0;
};

/// S²/n as an integer and a remainder; n < 2⁶².
struct ClassQuotient {
  Uint128 whole = 0;
  std::uint64_t remainder = 0;  ///< less than n
};

inline ClassQuotient class_quotient(const ClassTerm& term) {
  const Uint128 mean = term.sum / term.count;
  const Uint128 rest = term.sum - mean * term.count;
  return {mean * mean * term.count + 2 * mean * rest + rest * rest / term.count,
          static_cast<std::uint64_t>(rest * rest % term.count)};
}

/// True if Σ S²/n is greater for `a` than for `b`, which must have the same number of classes. Exact: compares 64-bit
/// digits of the fractions until they decide, or until any difference would be smaller than the reciprocal of the
/// product of all n.
inline bool is_greater(const std::vector<ClassTerm>& a, const std::vector<ClassTerm>& b) {
  __extension__ using Int128 = __int128;
  const auto size = static_cast<Int128>(a.size());
  std::vector<std::uint64_t> remainders;
  std::vector<std::uint64_t> counts;
  Int128 difference = 0;
  std::size_t bits = 0;
  for (const std::vector<ClassTerm>* terms : {&a, &b}) {
    for (const ClassTerm& term : *terms) {
      const ClassQuotient quotient = class_quotient(term);
      difference += terms == &a ? static_cast<Int128>(quotient.whole) : -static_cast<Int128>(quotient.whole);
      remainders.push_back(quotient.remainder);
      counts.push_back(term.count);
      bits += static_cast<std::size_t>(std::bit_width(term.count));
    }
  }
  // The fractions change the difference by between −size and size.
  for (std::size_t digit = 0; difference > -size && difference < size; ++digit) {
    constexpr std::size_t kDigit = 64;
    if (digit * kDigit > bits + kDigit) {
      return false;
    }
    difference *= Int128{1} << kDigit;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Uint128 scaled = Uint128{remainders[i]} << kDigit;
      const auto next = static_cast<Int128>(scaled / counts[i]);
      difference += i < a.size() ? next : -next;
      remainders[i] = static_cast<std::uint64_t>(scaled % counts[i]);
    }
  }
  return difference > 0;
}

/// Finds the partition of levels into classes for which Σ S²/n is largest.
class OtsuClasses {
 public:
  explicit OtsuClasses(const std::vector<std::uint64_t>& counts) {
    levels_.reserve(counts.size());
    before_.reserve(counts.size() + 1);
    for (std::size_t level = 0; level < counts.size(); ++level) {
      if (counts[level] != 0) {
        levels_.push_back(static_cast<std::uint32_t>(level));
        const ClassTerm& all = before_.back();
        before_.push_back({all.sum + Uint128{counts[level]} * (level - levels_.front()), all.count + counts[level]});
      }
    }
  }

  /// The largest number of bytes that an object holds for levels 0 … levels − 1.
  static constexpr std::uint64_t bytes_for(std::uint64_t levels, std::uint64_t classes) {
    return levels * ((classes - 1) * sizeof(End) + sizeof(std::uint32_t) + sizeof(ClassTerm) + 2 * sizeof(double));
  }

  /// The last level of each class except the last class. If there are fewer levels in use than classes, each level is a
  /// class.
  [[nodiscard]] std::vector<std::uint32_t> thresholds(std::size_t classes) {
    classes = std::min(classes, levels_.size());
    ends_.assign(classes + 1, {});
    std::vector<double> rest(levels_.size());
    for (std::size_t first = 0; first < levels_.size(); ++first) {
      rest[first] = value(first, levels_.size());
    }
    for (std::size_t k = 2; k <= classes; ++k) {
      ends_[k].resize(levels_.size());
      std::vector<double> best(levels_.size());
      const std::size_t end = k == classes ? 1 : levels_.size() - k + 1;  // the last pass needs only one suffix
      find_ends(k, rest, best, {0, end, 1, levels_.size()});
      rest = std::move(best);
    }
    std::vector<std::uint32_t> found;
    for (std::size_t first = 0, k = classes; k > 1; --k) {
      first = ends_[k][first];
      found.push_back(levels_[first - 1]);
    }
    return found;
  }

 private:
  /// The position of a level. It is below the number of levels, because another class follows.
  using End = std::uint16_t;

  /// The suffixes that begin at levels [first, last), and the range [least, most] of ends of their first class.
  struct Part {
    std::size_t first;
    std::size_t last;
    std::size_t least;
    std::size_t most;
  };

  [[nodiscard]] ClassTerm term(std::size_t first, std::size_t end) const {
    return {before_[end].sum - before_[first].sum, before_[end].count - before_[first].count};
  }

  /// S²/n of the used levels [first, end), with a relative error below 2⁻⁴⁹.
  [[nodiscard]] double value(std::size_t first, std::size_t end) const {
    const ClassTerm of = term(first, end);
    const double sum = rounded_to_double(of.sum);
    return sum * sum / static_cast<double>(of.count);
  }

  /// For each suffix of the levels, split into k classes, finds where the first class ends. The first class of a longer
  /// suffix never ends later. So the range of suffixes is halved recursively, and only a few ends are tried for each
  /// suffix.
  void find_ends(std::size_t k, const std::vector<double>& rest, std::vector<double>& best, const Part& part) {
    if (part.first >= part.last) {
      return;
    }
    const std::size_t middle = part.first + (part.last - part.first) / 2;
    const std::size_t least = std::max(part.least, middle + 1);
    const std::size_t most = std::min(part.most, levels_.size() - k + 1);
    std::size_t best_end = least;
    best[middle] = value(middle, least) + rest[least];
    for (std::size_t end = least + 1; end <= most; ++end) {
      const double found = value(middle, end) + rest[end];
      constexpr double kSure = 0x1p-44;
      const bool is_near = std::abs(found - best[middle]) <= kSure * best[middle];
      if (is_near ? is_greater(terms(k, middle, end), terms(k, middle, best_end)) : found > best[middle]) {
        best[middle] = found;
        best_end = end;
      }
    }
    ends_[k][middle] = static_cast<End>(best_end);
    find_ends(k, rest, best, {part.first, middle, part.least, best_end});
    find_ends(k, rest, best, {middle + 1, part.last, best_end, part.most});
  }

  /// The terms of all k classes into which the levels from `first` on are split, if the first class ends at `end`.
  [[nodiscard]] std::vector<ClassTerm> terms(std::size_t k, std::size_t first, std::size_t end) const {
    std::vector<ClassTerm> all;
    for (; k > 1; --k) {
      all.push_back(term(first, end));
      first = end;
      end = k > 2 ? ends_[k - 1][first] : levels_.size();
    }
    all.push_back(term(first, levels_.size()));
    return all;
  }

  std::vector<std::uint32_t> levels_;   ///< in use
  std::vector<ClassTerm> before_{1};    ///< [i]: sums over the first i levels in use
  std::vector<std::vector<End>> ends_;  ///< ends_[k][first]: see find_ends()
};

}  // namespace detail

/// Otsu's thresholds for the histogram `counts`. Each threshold is the last level of a class; the last class has no
/// threshold. The thresholds maximize Σ S²/n, where n is the number of pixels of a class and S the sum of their levels.
/// Ties go to the smallest first threshold, then to the smallest second threshold, and so on. Exact. If there are fewer
/// levels in use than classes, each level is a class, and the first thresholds are 0.
inline ClassLevels otsu_levels(const std::vector<std::uint64_t>& counts, int classes) {
  const std::vector<std::uint32_t> found = detail::OtsuClasses(counts).thresholds(static_cast<std::size_t>(classes));
  ClassLevels levels{};
  std::copy(found.begin(), found.end(), levels.begin() + (classes - 1) - static_cast<std::ptrdiff_t>(found.size()));
  return levels;
}

/// The output level for each input level.
struct ClassColors {
  std::uint32_t levels[kClassLimits.most - 1];
  std::uint32_t classes;

  ClassColors(const ClassLevels& of, int number) : classes(static_cast<std::uint32_t>(number)) {
    std::copy(of.begin(), of.end(), levels);
  }

  /// ⌊255·c/(classes − 1) + ½⌋, where c is the class of `level`.
  [[nodiscard]] GPUIMG_HD std::uint32_t operator()(std::uint32_t level) const {
    std::uint32_t above = 0;
    for (std::uint32_t i = 0; i + 1 < classes; ++i) {
      above += level > levels[i] ? 1U : 0U;
    }
    return (2 * 255 * above + (classes - 1)) / (2 * (classes - 1));
  }
};

}  // namespace gpuimg

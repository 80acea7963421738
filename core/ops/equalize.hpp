// Histogram equalization: look-up tables, and how they change colors. Specified in docs/operations.md, "Equalization".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpuimg/ops/equalize.hpp"
#include "host_device.hpp"
#include "ops/hsl.hpp"
#include "ops/luma.hpp"

namespace gpuimg {

/// The properties of a histogram that determine its look-up table.
struct LevelRule {
  EqualizeFormula formula = EqualizeFormula::opencv;
  bool is_identity = true;        ///< every level maps to itself
  std::uint32_t v_max = 255;      ///< V
  std::uint64_t total = 0;        ///< N = Σh
  std::uint64_t first_count = 0;  ///< h[i₀], where i₀ is the lowest level in use
  std::uint64_t step = 0;         ///< pillow: ⌊(N − h[last]) / V⌋
  float scale = 0.0F;             ///< opencv: float32(V) / float32(N − h[i₀])
  std::uint32_t low = 0;          ///< stretch: the level that maps to 0
  std::uint32_t high = 0;         ///< stretch: the level that maps to V
};

/// stretch: the cumulative count that defines a percentile: ⌈percentile · total⌉, but at least 1. Exact in 64 bits.
GPUIMG_HD constexpr std::uint64_t percentile_count(std::uint32_t percentile, std::uint64_t total) {
  const std::uint64_t rest = total % kHundredPercent * percentile;
  const std::uint64_t count = total / kHundredPercent * percentile + (rest + kHundredPercent - 1) / kHundredPercent;
  return count == 0 ? 1 : count;
}

/// stretch: `low` and `high` are the lowest levels whose cumulative counts reach the percentile_count() of
/// StretchRange::low and ::high.
GPUIMG_HD constexpr LevelRule stretch_rule(std::uint32_t v_max, std::uint32_t low, std::uint32_t high) {
  LevelRule rule;
  rule.formula = EqualizeFormula::stretch;
  rule.is_identity = low == high;
  rule.v_max = v_max;
  rule.low = low;
  rule.high = high;
  return rule;
}

/// For every formula except stretch. `first_count` and `last_count` are the counts of the lowest and highest level in
/// use. If only one level is in use, both counts equal `total`.
GPUIMG_HD constexpr LevelRule level_rule(EqualizeFormula formula, std::uint32_t v_max, std::uint64_t total,
                                         std::uint64_t first_count, std::uint64_t last_count) {
  LevelRule rule;
  rule.formula = formula;
  rule.v_max = v_max;
  rule.total = total;
  rule.first_count = first_count;
  if (total == 0) {
    return rule;
  }
  const bool flat = first_count == total;
  switch (formula) {
    case EqualizeFormula::opencv:
      rule.is_identity = flat;
      rule.scale = flat ? 0.0F : static_cast<float>(v_max) / static_cast<float>(total - first_count);
      break;
    case EqualizeFormula::cdf: rule.is_identity = false; break;
    case EqualizeFormula::pillow:
      rule.step = (total - last_count) / v_max;
      rule.is_identity = flat || rule.step == 0;
      break;
    case EqualizeFormula::stretch: break;
  }
  return rule;
}

/// LUT[level], where `cumulative` is the sum of h[0] … h[level] and `count` is h[level].
GPUIMG_HD inline std::uint32_t mapped_level(const LevelRule& rule, std::uint32_t level, std::uint64_t cumulative,
                                            std::uint64_t count) {
  if (rule.is_identity) {
    return level;
  }
  const std::uint64_t v = rule.v_max;
  switch (rule.formula) {
    case EqualizeFormula::opencv: {
      if (cumulative <= rule.first_count) {
        return 0;  // at or below i₀
      }
      const float mapped = rintf(static_cast<float>(cumulative - rule.first_count) * rule.scale);
      return mapped >= static_cast<float>(rule.v_max) ? rule.v_max : static_cast<std::uint32_t>(mapped);
    }
    case EqualizeFormula::cdf: return static_cast<std::uint32_t>((2 * v * cumulative + rule.total) / (2 * rule.total));
    case EqualizeFormula::pillow: {
      const std::uint64_t mapped = (rule.step / 2 + (cumulative - count)) / rule.step;
      return static_cast<std::uint32_t>(mapped < v ? mapped : v);
    }
    case EqualizeFormula::stretch: {
      const std::uint64_t width = rule.high - rule.low;
      const std::uint64_t above = level <= rule.low ? 0 : level >= rule.high ? width : level - rule.low;
      return static_cast<std::uint32_t>((above * v + width / 2) / width);
    }
  }
  return level;
}

/// The lowest level whose cumulative count reaches `wanted`, which must not exceed the sum of all counts.
inline std::uint32_t level_reaching(std::uint64_t wanted, const std::vector<std::uint64_t>& counts) {
  std::uint32_t level = 0;
  for (std::uint64_t cumulative = counts[0]; cumulative < wanted; cumulative += counts[++level]) {
  }
  return level;
}

/// The rule for a histogram with V + 1 counts.
inline LevelRule rule_of(const TableFormula& formula, const std::vector<std::uint64_t>& counts) {
  std::uint64_t total = 0;
  std::uint64_t first_count = 0;
  std::uint64_t last_count = 0;
  for (const std::uint64_t count : counts) {
    total += count;
    first_count = first_count == 0 ? count : first_count;
    last_count = count != 0 ? count : last_count;
  }
  const auto v_max = static_cast<std::uint32_t>(counts.size() - 1);
  if (formula.kind == EqualizeFormula::stretch && total != 0) {
    return stretch_rule(v_max, level_reaching(percentile_count(formula.range.low, total), counts),
                        level_reaching(percentile_count(formula.range.high, total), counts));
  }
  return level_rule(formula.kind, v_max, total, first_count, last_count);
}

/// The table for a histogram. The table and the histogram have V + 1 entries each.
inline std::vector<std::uint16_t> level_map(const TableFormula& formula, const std::vector<std::uint64_t>& counts) {
  const LevelRule rule = rule_of(formula, counts);
  std::vector<std::uint16_t> map(counts.size());
  std::uint64_t cumulative = 0;
  for (std::uint32_t level = 0; level < map.size(); ++level) {
    cumulative += counts[level];
    map[level] = static_cast<std::uint16_t>(mapped_level(rule, level, cumulative, counts[level]));
  }
  return map;
}

/// Histogram matching. Among the levels in use in `reference`, level v maps to the level u whose cumulative share of
/// pixels is nearest to the cumulative share of v; ties go to the smaller u. Products of counts are compared in 128
/// bits. `reference` also has V + 1 counts, not all of them zero. If all levels in use map to themselves, the table is
/// the identity.
inline std::vector<std::uint16_t> matched_map(const std::vector<std::uint64_t>& counts,
                                              const std::vector<std::uint64_t>& reference) {
  __extension__ using Wide = unsigned __int128;
  const Wide total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const Wide reference_total = std::accumulate(reference.begin(), reference.end(), std::uint64_t{0});
  std::vector<std::uint16_t> map(counts.size());
  if (total == 0) {
    std::iota(map.begin(), map.end(), std::uint16_t{0});
    return map;
  }
  const auto used_from = [&](std::size_t level) {
    while (level < reference.size() && reference[level] == 0) {
      ++level;
    }
    return level;
  };
  std::size_t to = used_from(0);
  std::size_t next = used_from(to + 1);
  Wide below = 0;
  Wide share = Wide{reference[to]} * total;  // cumulative share of `to`; all shares here are multiplied by both totals
  bool keeps_levels_in_use = true;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    below += counts[level];
    const Wide wanted = below * reference_total;
    while (next < reference.size()) {
      const Wide next_share = share + Wide{reference[next]} * total;
      const bool is_nearer = wanted >= next_share || (wanted > share && next_share - wanted < wanted - share);
      if (!is_nearer) {
        break;
      }
      to = next;
      next = used_from(to + 1);
      share = next_share;
    }
    map[level] = static_cast<std::uint16_t>(to);
    keeps_levels_in_use = keeps_levels_in_use && (counts[level] == 0 || to == level);
  }
  if (keeps_levels_in_use) {
    std::iota(map.begin(), map.end(), std::uint16_t{0});
  }
  return map;
}

/// The tables that equalize() builds from these histograms, one table per histogram.
inline LevelTables level_tables(const EqualizeOptions& options, const LevelCounts& counts) {
  LevelTables tables;
  for (const auto& each : counts) {
    const std::size_t t = tables.maps.size();
    tables.maps.push_back(options.match == nullptr
                              ? level_map(options.formula, each)
                              : matched_map(each, (*options.match)[std::min(t, options.match->size() - 1)]));
  }
  return tables;
}

/// True if the table maps every level to itself.
inline bool is_identity(const std::vector<std::uint16_t>& map) {
  for (std::size_t level = 0; level < map.size(); ++level) {
    if (map[level] != level) {
      return false;
    }
  }
  return true;
}

/// in + strength·(to − in), rounded half up, in float64.
GPUIMG_HD inline std::uint32_t blended(std::uint32_t in, std::uint32_t to, double strength) {
  const double difference = static_cast<double>(to) - static_cast<double>(in);
  return static_cast<std::uint32_t>(floor(static_cast<double>(in) + strength * difference + 0.5));
}

/// EqualizeColor::luma: gives the pixel the luma y_new. `y` is its present luma, y_new = LUT[y], and T is the sample
/// type.
template <class T>
GPUIMG_HD constexpr Rgb with_luma(const Rgb& p, std::uint32_t y, std::uint32_t y_new) {
  if (y == 0) {
    return {y_new, y_new, y_new};
  }
  const std::uint32_t high = p.r > p.g ? (p.r > p.b ? p.r : p.b) : (p.g > p.b ? p.g : p.b);
  if (high * y_new <= kMaxOf<T> * y) {
    const std::uint32_t half = y / 2;
    return {(p.r * y_new + half) / y, (p.g * y_new + half) / y, (p.b * y_new + half) / y};
  }
  const std::uint32_t room = kMaxOf<T> - y_new;
  const std::uint32_t reach = high - y;
  const auto toward = [&](std::uint32_t c) {
    // The distance is rounded half up, so on a tie c is rounded away from y_new. distance · room fits in 32 bits, even
    // for 16-bit samples.
    const std::uint32_t distance = c > y ? c - y : y - c;
    const std::uint32_t moved = (distance * room + reach / 2) / reach;
    return c > y ? y_new + moved : y_new - moved;
  };
  return {toward(p.r), toward(p.g), toward(p.b)};
}

struct YCrCb {
  std::uint32_t y = 0;
  std::uint32_t cr = 0;
  std::uint32_t cb = 0;
};

GPUIMG_HD constexpr std::uint32_t saturated(std::int32_t x, std::int32_t v_max) {
  return static_cast<std::uint32_t>(x < 0 ? 0 : x > v_max ? v_max : x);
}

/// OpenCV's fixed-point YCrCb: 14 fraction bits, arithmetic shifts.
GPUIMG_HD constexpr std::uint32_t ycrcb_luma(const Rgb& p) {
  return (4899U * p.r + 9617U * p.g + 1868U * p.b + 8192U) >> 14;
}
GPUIMG_HD constexpr YCrCb ycrcb_from_rgb(const Rgb& p, std::uint32_t v_max) {
  const auto limit = static_cast<std::int32_t>(v_max);
  const std::int32_t half = (limit + 1) / 2;
  const std::uint32_t y = ycrcb_luma(p);
  const std::int32_t red = static_cast<std::int32_t>(p.r) - static_cast<std::int32_t>(y);
  const std::int32_t blue = static_cast<std::int32_t>(p.b) - static_cast<std::int32_t>(y);
  return {y, saturated((red * 11682 + (half << 14) + 8192) >> 14, limit),
          saturated((blue * 9241 + (half << 14) + 8192) >> 14, limit)};
}
GPUIMG_HD constexpr Rgb rgb_from_ycrcb(const YCrCb& p, std::uint32_t v_max) {
  const auto limit = static_cast<std::int32_t>(v_max);
  const std::int32_t half = (limit + 1) / 2;
  const auto y = static_cast<std::int32_t>(p.y);
  const std::int32_t cr = static_cast<std::int32_t>(p.cr) - half;
  const std::int32_t cb = static_cast<std::int32_t>(p.cb) - half;
  return {saturated(y + ((cr * 22987 + 8192) >> 14), limit),
          saturated(y + ((cr * -11698 + cb * -5636 + 8192) >> 14), limit),
          saturated(y + ((cb * 29049 + 8192) >> 14), limit)};
}

/// EqualizeColor::ycbcr: keeps Cr and Cb, sets Y = y_new.
GPUIMG_HD constexpr Rgb with_ycrcb_luma(const Rgb& p, std::uint32_t y_new, std::uint32_t v_max) {
  const YCrCb converted = ycrcb_from_rgb(p, v_max);
  return rgb_from_ycrcb({y_new, converted.cr, converted.cb}, v_max);
}

/// The level that EqualizeColor::hsl uses: ⌊(max + min + 1) / 2⌋.
GPUIMG_HD constexpr std::uint32_t hsl_level(const Rgb& p) {
  const std::uint32_t high = p.r > p.g ? (p.r > p.b ? p.r : p.b) : (p.g > p.b ? p.g : p.b);
  const std::uint32_t low = p.r < p.g ? (p.r < p.b ? p.r : p.b) : (p.g < p.b ? p.g : p.b);
  return (high + low + 1) / 2;
}

/// EqualizeColor::hsl: keeps H and S, sets L = level_new / V, and converts back to RGB. Quotients are correctly rounded
/// to float32.
template <class T>
GPUIMG_HD inline Rgb with_hsl_level(const Rgb& p, std::uint32_t level_new) {
  Hsl hsl = hsl_float<T>(hsl_fractions(p.r, p.g, p.b, kMaxOf<T>));
  hsl.lightness = nearest_ratio<true>(level_new, kMaxOf<T>);
  return rgb_from_hsl(hsl, kMaxOf<T>);
}

/// The level that the histogram counts and the table maps, for color modes with a single table.
template <Luma kind>
GPUIMG_HD constexpr std::uint32_t level_of(EqualizeColor color, const Rgb& p) {
  switch (color) {
    case EqualizeColor::ycbcr: return ycrcb_luma(p);
    case EqualizeColor::hsl: return hsl_level(p);
    default: return luma_of<kind>(p.r, p.g, p.b);
  }
}

}  // namespace gpuimg

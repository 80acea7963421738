// Vectorized CLAHE: tables, and interpolation between the tables of four tiles. Specified in core/ops/clahe.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_clahe.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "ops/clahe.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;
using ClaheFloats = hn::ScalableTag<float>;
using ClaheInts = hn::RebindToSigned<ClaheFloats>;
using ClaheFloat = hn::Vec<ClaheFloats>;
using ClaheInt = hn::Vec<ClaheInts>;

/// Performs products and sums in the order of gpuimg::interpolated(), without fusing them.
HWY_INLINE ClaheInt interpolated_levels(ClaheInt above_left, ClaheInt above_right, ClaheInt below_left,
                                        ClaheInt below_right, ClaheFloat right, ClaheFloat above, ClaheFloat below) {
  const ClaheFloats d;
  const ClaheFloat left = hn::Sub(hn::Set(d, 1.0F), right);
  const auto mixed = [&](ClaheInt a, ClaheInt b) {
    return hn::Add(hn::Mul(hn::ConvertTo(d, a), left), hn::Mul(hn::ConvertTo(d, b), right));
  };
  const ClaheFloat upper = mixed(above_left, above_right);
  const ClaheFloat lower = mixed(below_left, below_right);
  return hn::NearestInt(hn::Add(hn::Mul(upper, above), hn::Mul(lower, below)));
}

std::size_t interpolate_vectors(const std::uint8_t* HWY_RESTRICT levels, std::size_t count,
                                const std::uint32_t* HWY_RESTRICT tables, const float* HWY_RESTRICT right, float below,
                                std::uint8_t* HWY_RESTRICT out) {
  const ClaheFloats df;
  const ClaheInts d;
  const hn::Rebind<std::uint8_t, ClaheInts> d8;
  const ClaheInt byte = hn::Set(d, 0xFF);
  const ClaheFloat below_weight = hn::Set(df, below);
  const ClaheFloat above_weight = hn::Set(df, 1.0F - below);
  const std::size_t step = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const ClaheInt index = hn::PromoteTo(d, hn::LoadU(d8, levels + x));
    const ClaheInt four = hn::GatherIndex(d, reinterpret_cast<const std::int32_t*>(tables), index);
    const auto top = hn::ShiftRight<24>(hn::BitCast(hn::RebindToUnsigned<ClaheInts>(), four));
    const ClaheInt mapped = interpolated_levels(hn::And(four, byte), hn::And(hn::ShiftRight<8>(four), byte),
                                                hn::And(hn::ShiftRight<16>(four), byte), hn::BitCast(d, top),
                                                hn::LoadU(df, right + x), above_weight, below_weight);
    hn::StoreU(hn::DemoteTo(d8, mapped), d8, out + x);
  }
  return x;
}

/// A gather reads 32 bits, so this reads the aligned pair that contains the entry.
HWY_INLINE ClaheInt short_entries(const std::uint16_t* table, ClaheInt pair, ClaheInt shift) {
  const ClaheInts d;
  const ClaheInt both = hn::GatherIndex(d, reinterpret_cast<const std::int32_t*>(table), pair);
  return hn::And(hn::Shr(both, shift), hn::Set(d, 0xFFFF));
}

std::size_t interpolate_vectors(const std::uint16_t* HWY_RESTRICT levels, std::size_t count,
                                const std::uint16_t* const* HWY_RESTRICT tables, const float* HWY_RESTRICT right,
                                float below, std::uint16_t* HWY_RESTRICT out) {
  const ClaheFloats df;
  const ClaheInts d;
  const hn::Rebind<std::uint16_t, ClaheInts> d16;
  const ClaheFloat below_weight = hn::Set(df, below);
  const ClaheFloat above_weight = hn::Set(df, 1.0F - below);
  const std::size_t step = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const ClaheInt index = hn::PromoteTo(d, hn::LoadU(d16, levels + x));
    const ClaheInt pair = hn::ShiftRight<1>(index);
    const ClaheInt shift = hn::ShiftLeft<4>(hn::And(index, hn::Set(d, 1)));
    const ClaheInt mapped =
        interpolated_levels(short_entries(tables[0], pair, shift), short_entries(tables[1], pair, shift),
                            short_entries(tables[2], pair, shift), short_entries(tables[3], pair, shift),
                            hn::LoadU(df, right + x), above_weight, below_weight);
    hn::StoreU(hn::DemoteTo(d16, mapped), d16, out + x);
  }
  return x;
}
/// Gets all four entries of a level with one 64-bit look-up.
std::size_t interpolate_vectors(const std::uint16_t* HWY_RESTRICT levels, std::size_t count,
                                const std::uint64_t* HWY_RESTRICT words, const float* HWY_RESTRICT right, float below,
                                std::uint16_t* HWY_RESTRICT out) {
  const ClaheFloats df;
  const ClaheInts d;
  const hn::RebindToUnsigned<ClaheInts> du;
  const hn::Rebind<std::uint16_t, ClaheInts> d16;
  const hn::Half<ClaheInts> half;
  const hn::RepartitionToWide<ClaheInts> wide;
  const ClaheInt low = hn::Set(d, 0xFFFF);
  const ClaheFloat below_weight = hn::Set(df, below);
  const ClaheFloat above_weight = hn::Set(df, 1.0F - below);
  const auto* const signed_words = reinterpret_cast<const std::int64_t*>(words);
  const std::size_t step = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const ClaheInt index = hn::PromoteTo(d, hn::LoadU(d16, levels + x));
    const auto first = hn::GatherIndex(wide, signed_words, hn::PromoteTo(wide, hn::LowerHalf(half, index)));
    const auto second = hn::GatherIndex(wide, signed_words, hn::PromoteTo(wide, hn::UpperHalf(half, index)));
    const ClaheInt above = hn::ConcatEven(d, hn::BitCast(d, second), hn::BitCast(d, first));
    const ClaheInt lower = hn::ConcatOdd(d, hn::BitCast(d, second), hn::BitCast(d, first));
    const auto high = [&](ClaheInt pair) { return hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(du, pair))); };
    const ClaheInt mapped = interpolated_levels(hn::And(above, low), high(above), hn::And(lower, low), high(lower),
                                                hn::LoadU(df, right + x), above_weight, below_weight);
    hn::StoreU(hn::DemoteTo(d16, mapped), d16, out + x);
  }
  return x;
}

std::size_t join_vectors(const std::uint16_t* const* tables, std::size_t count, std::uint64_t* HWY_RESTRICT words) {
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    hn::StoreInterleaved4(hn::LoadU(d, tables[0] + i), hn::LoadU(d, tables[1] + i), hn::LoadU(d, tables[2] + i),
                          hn::LoadU(d, tables[3] + i), d, reinterpret_cast<std::uint16_t*>(words + i));
  }
  return i;
}

/// The sum of max(count − limit, 0) over all levels.
std::uint64_t clipped_sum(const std::uint32_t* HWY_RESTRICT counts, std::size_t levels, std::uint32_t limit) {
  const hn::ScalableTag<std::uint32_t> d;
  const auto most = hn::Set(d, limit);
  auto sum = hn::Zero(d);  // cannot overflow: at most the sum of the counts
  for (std::size_t i = 0; i < levels; i += hn::Lanes(d)) {
    const auto count = hn::LoadU(d, counts + i);
    sum = hn::Add(sum, hn::Sub(count, hn::Min(count, most)));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void clip_counts(std::uint32_t* HWY_RESTRICT counts, std::size_t levels, std::uint32_t limit, std::uint32_t bonus) {
  const hn::ScalableTag<std::uint32_t> d;
  for (std::size_t i = 0; i < levels; i += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::Min(hn::LoadU(d, counts + i), hn::Set(d, limit)), hn::Set(d, bonus)), d, counts + i);
  }
}

/// Applies gpuimg::clahe_level() to cumulative counts, and clears them.
void map_cumulative(std::uint32_t* HWY_RESTRICT cumulative, std::size_t levels, float scale,
                    std::uint16_t* HWY_RESTRICT map) {
  const ClaheFloats df;
  const ClaheInts d;
  const hn::Rebind<std::uint16_t, ClaheInts> d16;
  for (std::size_t i = 0; i < levels; i += hn::Lanes(d)) {
    const ClaheInt sum = hn::LoadU(d, reinterpret_cast<std::int32_t*>(cumulative + i));
    const ClaheFloat level = hn::Mul(hn::ConvertTo(df, sum), hn::Set(df, scale));
    hn::StoreU(hn::DemoteTo(d16, hn::NearestInt(level)), d16, map + i);  // saturates at V
    hn::StoreU(hn::Zero(d), d, reinterpret_cast<std::int32_t*>(cumulative + i));
  }
}
#else
template <class... Arguments>
std::size_t interpolate_vectors(const Arguments&...) {
  return 0;
}
template <class... Arguments>
std::size_t join_vectors(const Arguments&...) {
  return 0;
}

std::uint64_t clipped_sum(const std::uint32_t* counts, std::size_t levels, std::uint32_t limit) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < levels; ++i) {
    sum += counts[i] - std::min(counts[i], limit);
  }
  return sum;
}

void clip_counts(std::uint32_t* counts, std::size_t levels, std::uint32_t limit, std::uint32_t bonus) {
  for (std::size_t i = 0; i < levels; ++i) {
    counts[i] = std::min(counts[i], limit) + bonus;
  }
}

void map_cumulative(std::uint32_t* cumulative, std::size_t levels, float scale, std::uint16_t* map) {
  ClipRule rule;
  rule.scale = scale;
  for (std::size_t i = 0; i < levels; ++i) {
    map[i] = static_cast<std::uint16_t>(clahe_level(rule, cumulative[i], 65535));
    cumulative[i] = 0;
  }
}
#endif

/// `words` holds the four entries of each level side by side, the first one in the lowest bits.
template <class Level, class Word>
void interpolate_joined(const Level* HWY_RESTRICT levels, std::size_t count, const Word* HWY_RESTRICT words,
                        const float* HWY_RESTRICT right, float below, Level* HWY_RESTRICT out) {
  constexpr int kBits = 8 * sizeof(Level);
  constexpr Word kEntry = std::numeric_limits<Level>::max();
  for (std::size_t x = interpolate_vectors(levels, count, words, right, below, out); x < count; ++x) {
    const Word four = words[levels[x]];
    const auto entry = [four](int number) { return static_cast<float>(four >> (kBits * number) & kEntry); };
    out[x] = static_cast<Level>(interpolated({entry(0), entry(1), entry(2), entry(3)}, right[x], below));
  }
}

void interpolate_bytes(const std::uint8_t* HWY_RESTRICT levels, std::size_t count,
                       const std::uint32_t* HWY_RESTRICT words, const float* HWY_RESTRICT right, float below,
                       std::uint8_t* HWY_RESTRICT out) {
  interpolate_joined(levels, count, words, right, below, out);
}

void interpolate_shorts(const std::uint16_t* HWY_RESTRICT levels, std::size_t count,
                        const std::uint64_t* HWY_RESTRICT words, const float* HWY_RESTRICT right, float below,
                        std::uint16_t* HWY_RESTRICT out) {
  interpolate_joined(levels, count, words, right, below, out);
}

void interpolate_four_tables(const std::uint16_t* HWY_RESTRICT levels, std::size_t count,
                             const std::uint16_t* const* HWY_RESTRICT tables, const float* HWY_RESTRICT right,
                             float below, std::uint16_t* HWY_RESTRICT out) {
  for (std::size_t x = interpolate_vectors(levels, count, tables, right, below, out); x < count; ++x) {
    const auto entry = [&](int table) { return static_cast<float>(tables[table][levels[x]]); };
    out[x] = static_cast<std::uint16_t>(interpolated({entry(0), entry(1), entry(2), entry(3)}, right[x], below));
  }
}

void join_shorts(const std::uint16_t* const* tables, std::size_t count, std::uint64_t* HWY_RESTRICT words) {
  for (std::size_t i = join_vectors(tables, count, words); i < count; ++i) {
    words[i] = std::uint64_t{tables[0][i]} | std::uint64_t{tables[1][i]} << 16 | std::uint64_t{tables[2][i]} << 32 |
               std::uint64_t{tables[3][i]} << 48;
  }
}

void clahe_map_of_counts(std::uint32_t* counts, double clip, std::uint16_t* map) {
  constexpr std::uint32_t kLevels = 65536;
  const std::uint64_t counted = clipped_sum(counts, kLevels, 0);
  if (counted == 0) {
    clahe_map(counts, kLevels, clip, map);
    return;
  }
  const std::uint64_t limit = clip_limit(clip, counted, kLevels);
  const auto most = static_cast<std::uint32_t>(limit);
  const ClipRule rule = clip_rule(limit, clipped_sum(counts, kLevels, most), counted, kLevels);
  clip_counts(counts, kLevels, most, static_cast<std::uint32_t>(rule.bonus));
  for (std::uint32_t k = 0; k < rule.rest; ++k) {
    ++counts[std::size_t{k} * rule.stride];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    sum += counts[level];
    counts[level] = sum;
  }
  map_cumulative(counts, kLevels, rule.scale, map);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(interpolate_bytes);
HWY_EXPORT(interpolate_shorts);
HWY_EXPORT(interpolate_four_tables);
HWY_EXPORT(join_shorts);
HWY_EXPORT(clahe_map_of_counts);

void interpolate_levels(const std::uint8_t* levels, std::size_t count, const std::uint32_t* words, const float* right,
                        float below, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(interpolate_bytes)(levels, count, words, right, below, out);
}

void interpolate_levels(const std::uint16_t* levels, std::size_t count, const std::uint64_t* words, const float* right,
                        float below, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(interpolate_shorts)(levels, count, words, right, below, out);
}

void interpolate_levels(const std::uint16_t* levels, std::size_t count, const std::uint16_t* const* tables,
                        const float* right, float below, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(interpolate_four_tables)(levels, count, tables, right, below, out);
}

void join_tables(const std::uint16_t* const* tables, std::size_t count, std::uint32_t* words) {
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = std::uint32_t{tables[0][i]} | std::uint32_t{tables[1][i]} << 8 | std::uint32_t{tables[2][i]} << 16 |
               std::uint32_t{tables[3][i]} << 24;
  }
}

void join_tables(const std::uint16_t* const* tables, std::size_t count, std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(join_shorts)(tables, count, words);
}

void clahe_map_16(std::uint32_t* counts, double clip, std::uint16_t* map) {
  HWY_DYNAMIC_DISPATCH(clahe_map_of_counts)(counts, clip, map);
}

}  // namespace gpuimg::cpu
#endif

// Vectorized sums of rows for summed-area tables and windows, means of windows, and stores that bypass the caches.
// Specified in docs/operations.md, "Integral image" and "Windows".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_sums.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ops/window.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// --- Prefix sums over lanes ------------------------------------------------------------------------------------------

using PrefixWords = hn::CappedTag<std::uint32_t, 16>;

#if HWY_TARGET != HWY_SCALAR
/// Adds a value to each block of four lanes: the last lane of the block that is `distance` blocks earlier, if any.
HWY_INLINE hn::Vec<PrefixWords> plus_earlier_block(hn::Vec<PrefixWords> sums, std::uint32_t distance) {
  const PrefixWords d;
  const auto lane = hn::Iota(d, 0);
  const auto first = hn::Set(d, 4 * distance);
  const auto has_earlier = hn::Not(hn::Lt(hn::BitCast(hn::RebindToSigned<PrefixWords>(), lane),
                                          hn::BitCast(hn::RebindToSigned<PrefixWords>(), first)));
  const auto source = hn::Or(hn::Sub(lane, first), hn::Set(d, 3));
  const auto safe = hn::And(source, hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d)) - 1));
  const auto earlier = hn::TableLookupLanes(sums, hn::IndicesFromVec(d, safe));
  return hn::Add(sums, hn::IfThenElseZero(hn::RebindMask(d, has_earlier), earlier));
}

HWY_INLINE hn::Vec<PrefixWords> prefix_sums(hn::Vec<PrefixWords> values) {
  const PrefixWords d;
  const auto pairs = hn::Add(values, hn::ShiftLeftLanes<1>(d, values));
  auto sums = hn::Add(pairs, hn::ShiftLeftLanes<2>(d, pairs));
  for (std::uint32_t distance = 1; 4 * distance < hn::Lanes(d); distance *= 2) {
    sums = plus_earlier_block(sums, distance);
  }
  return sums;
}

#endif

// --- Summed-area tables ----------------------------------------------------------------------------------------------

using PrefixBytes = hn::Rebind<std::uint8_t, PrefixWords>;
using PrefixSums = hn::Vec<PrefixWords>;

#if HWY_TARGET == HWY_SCALAR
std::size_t row_vectors(const std::uint8_t*, std::size_t, std::uint32_t*, std::uint32_t&) { return 0; }
#else
/// Returns the number of entries that were computed. Sets `row_sum` to the sum of their levels.
std::size_t row_vectors(const std::uint8_t* HWY_RESTRICT levels, std::size_t count, std::uint32_t* HWY_RESTRICT row,
                        std::uint32_t& row_sum) {
  const PrefixWords d;
  const auto last_lane = hn::IndicesFromVec(d, hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d)) - 1));
  PrefixSums before = hn::Zero(d);
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const PrefixSums sums = prefix_sums(hn::PromoteTo(d, hn::LoadU(PrefixBytes(), levels + x)));
    hn::StoreU(hn::Add(sums, hn::Add(before, hn::LoadU(d, row + x))), d, row + x);
    before = hn::Add(before, hn::TableLookupLanes(sums, last_lane));
  }
  row_sum = hn::GetLane(before);
  return x;
}
#endif

void integral_row(const std::uint8_t* levels, std::size_t count, std::uint32_t* row) {
  std::uint32_t row_sum = 0;
  for (std::size_t x = row_vectors(levels, count, row, row_sum); x < count; ++x) {
    row_sum += levels[x];
    row[x] += row_sum;
  }
}

void add_to_columns(const std::uint8_t* HWY_RESTRICT levels, std::size_t count, std::uint32_t* HWY_RESTRICT sums) {
  const PrefixWords d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const PrefixSums level = hn::PromoteTo(d, hn::LoadU(PrefixBytes(), levels + x));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + x), level), d, sums + x);
  }
  for (; x < count; ++x) {
    sums[x] += levels[x];
  }
}

/// Stores that bypass the caches avoid reading cache lines that will be overwritten completely.
void stream_bytes(const std::uint8_t* HWY_RESTRICT from, std::size_t bytes, std::uint8_t* HWY_RESTRICT to) {
  constexpr std::size_t kCacheLine = 64;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(to) % kCacheLine;
  std::size_t i = std::min(bytes, (kCacheLine - past_line) % kCacheLine);
  std::memcpy(to, from, i);
  for (; i + hn::Lanes(d) <= bytes; i += hn::Lanes(d)) {
    hn::Stream(hn::LoadU(d, from + i), d, to + i);
  }
  std::memcpy(to + i, from + i, bytes - i);
  hwy::FlushStream();
}

// --- Windows ---------------------------------------------------------------------------------------------------------

using Ints = hn::ScalableTag<std::int32_t>;
using Words = hn::RebindToUnsigned<Ints>;
using Floats = hn::RebindToFloat<Ints>;
template <class T>
using Samples = hn::Rebind<T, Ints>;

template <class T>
void slide_columns_of(const T* HWY_RESTRICT entering, const T* HWY_RESTRICT leaving, std::size_t count,
                      std::uint32_t* HWY_RESTRICT sums) {
  const Words d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto added = hn::Add(hn::LoadU(d, sums + i), hn::PromoteTo(d, hn::LoadU(Samples<T>(), entering + i)));
    hn::StoreU(hn::Sub(added, hn::PromoteTo(d, hn::LoadU(Samples<T>(), leaving + i))), d, sums + i);
  }
  for (; i < count; ++i) {
    sums[i] += std::uint32_t{entering[i]} - std::uint32_t{leaving[i]};
  }
}

/// ⌊a/n⌋ for 0 ≤ a < 2³¹ and quotients below 2¹⁶. `below` is slightly less than 1/n, so the product is less than the
/// quotient, by less than 1. The truncated product is the result or one less.
hn::Vec<Ints> quotients(hn::Vec<Ints> a, hn::Vec<Floats> below, hn::Vec<Ints> n) {
  const Ints d;
  const auto estimate = hn::ConvertTo(d, hn::Mul(hn::ConvertTo(Floats(), a), below));
  const auto rest = hn::Sub(a, hn::Mul(estimate, n));
  return hn::Sub(estimate, hn::VecFromMask(d, hn::Not(hn::Lt(rest, n))));
}

template <class T>
void means_of(const std::uint32_t* HWY_RESTRICT sums, std::size_t count, std::uint32_t n, T* HWY_RESTRICT means) {
  const Ints d;
  const auto divisor = hn::Set(d, static_cast<std::int32_t>(n));
  const auto half = hn::Set(d, static_cast<std::int32_t>(n / 2));
  // Rounding errors of 2⁻²⁴ each: the conversion, the product, and the two steps that compute `below`.
  const auto below = hn::Set(Floats(), (1.0F / static_cast<float>(n)) * (1.0F - 0x1p-21F));
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto sum = hn::BitCast(d, hn::LoadU(Words(), sums + i));
    hn::StoreU(hn::DemoteTo(Samples<T>(), quotients(hn::Add(sum, half), below, divisor)), Samples<T>(), means + i);
  }
  for (; i < count; ++i) {
    means[i] = static_cast<T>(window_mean(sums[i], n));
  }
}

std::uint32_t slide_along(const std::uint32_t* HWY_RESTRICT entering, const std::uint32_t* HWY_RESTRICT leaving,
                          std::size_t count, std::uint32_t before, std::uint32_t* HWY_RESTRICT sums) {
  std::size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const PrefixWords d;
  const auto last_lane = hn::IndicesFromVec(d, hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d)) - 1));
  auto running = hn::Set(d, before);
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const auto steps = hn::Sub(hn::LoadU(d, entering + x), hn::LoadU(d, leaving + x));
    const auto through = prefix_sums(steps);
    hn::StoreU(hn::Add(through, running), d, sums + x);
    running = hn::Add(running, hn::TableLookupLanes(through, last_lane));
  }
  before = hn::GetLane(running);
#endif
  for (; x < count; ++x) {
    before += entering[x] - leaving[x];
    sums[x] = before;
  }
  return before;
}

void compare_with_means(const std::uint8_t* HWY_RESTRICT levels, std::size_t count, std::int32_t offset,
                        std::uint8_t* HWY_RESTRICT white) {
  const hn::ScalableTag<std::int16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const std::int32_t least = std::clamp(-offset, -256, 256);
  const auto above = hn::Set(d, static_cast<std::int16_t>(least));
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto level = hn::PromoteTo(d, hn::LoadU(bytes, levels + i));
    const auto mean = hn::PromoteTo(d, hn::LoadU(bytes, white + i));
    const auto color = hn::IfThenElseZero(hn::Gt(hn::Sub(level, mean), above), hn::Set(d, 255));
    hn::StoreU(hn::DemoteTo(bytes, color), bytes, white + i);
  }
  for (; i < count; ++i) {
    white[i] = std::int32_t{levels[i]} - std::int32_t{white[i]} > least ? 255 : 0;
  }
}

void slide_bytes(const std::uint8_t* entering, const std::uint8_t* leaving, std::size_t count, std::uint32_t* sums) {
  slide_columns_of(entering, leaving, count, sums);
}
void slide_shorts(const std::uint16_t* entering, const std::uint16_t* leaving, std::size_t count, std::uint32_t* sums) {
  slide_columns_of(entering, leaving, count, sums);
}
void byte_means(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint8_t* means) {
  means_of(sums, count, n, means);
}
void short_means(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint16_t* means) {
  means_of(sums, count, n, means);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(integral_row);
HWY_EXPORT(add_to_columns);
HWY_EXPORT(stream_bytes);
HWY_EXPORT(compare_with_means);
HWY_EXPORT(slide_along);
HWY_EXPORT(slide_bytes);
HWY_EXPORT(slide_shorts);
HWY_EXPORT(byte_means);
HWY_EXPORT(short_means);

void integral_row(const std::uint8_t* levels, std::size_t count, std::uint32_t* row) {
  HWY_DYNAMIC_DISPATCH(integral_row)(levels, count, row);
}

void add_to_columns(const std::uint8_t* levels, std::size_t count, std::uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(add_to_columns)(levels, count, sums);
}

void stream_bytes(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(stream_bytes)(from, bytes, to);
}

void compare_with_means(const std::uint8_t* levels, std::size_t count, std::int32_t offset, std::uint8_t* white) {
  HWY_DYNAMIC_DISPATCH(compare_with_means)(levels, count, offset, white);
}
void slide_columns(const std::uint8_t* entering, const std::uint8_t* leaving, std::size_t count, std::uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(slide_bytes)(entering, leaving, count, sums);
}
void slide_columns(const std::uint16_t* entering, const std::uint16_t* leaving, std::size_t count,
                   std::uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(slide_shorts)(entering, leaving, count, sums);
}
std::uint32_t slide_along(const std::uint32_t* entering, const std::uint32_t* leaving, std::size_t count,
                          std::uint32_t before, std::uint32_t* sums) {
  return HWY_DYNAMIC_DISPATCH(slide_along)(entering, leaving, count, before, sums);
}
void means_of_sums(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint8_t* means) {
  HWY_DYNAMIC_DISPATCH(byte_means)(sums, count, n, means);
}
void means_of_sums(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint16_t* means) {
  HWY_DYNAMIC_DISPATCH(short_means)(sums, count, n, means);
}

}  // namespace gpuimg::cpu
#endif

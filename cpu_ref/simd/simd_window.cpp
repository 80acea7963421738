// Vectorized rows of window sums and means. Specified in docs/operations.md, "Windows".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_window.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/window.hpp"
#include "simd/simd_prefix-inl.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

/// ⌊a/n⌋ for 0 ≤ a < 2³¹ and quotients below 2¹⁶, where `below` is a little less than 1/n: the product is less than the
/// quotient, by less than 1, so truncating it gives the result or one less.
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
  // Rounding errors: 2⁻²⁴ each of the conversion, the product, and the two steps that make `below`.
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

HWY_EXPORT(compare_with_means);
HWY_EXPORT(slide_along);
HWY_EXPORT(slide_bytes);
HWY_EXPORT(slide_shorts);
HWY_EXPORT(byte_means);
HWY_EXPORT(short_means);

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

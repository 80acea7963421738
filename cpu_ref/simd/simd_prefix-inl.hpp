// Sums of vector lanes from the lowest up. Highway's foreach_target includes this file once per instruction set.
#if defined(GPUIMG_SIMD_PREFIX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GPUIMG_SIMD_PREFIX_INL
#undef GPUIMG_SIMD_PREFIX_INL
#else
#define GPUIMG_SIMD_PREFIX_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PrefixWords = hn::CappedTag<std::uint32_t, 16>;

#if HWY_TARGET != HWY_SCALAR
/// Adds to each block of four lanes the last lane of the block `distance` blocks earlier, if there is one.
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

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

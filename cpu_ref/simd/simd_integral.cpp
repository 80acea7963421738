// Vectorized rows of summed-area tables of bytes. Specified in docs/operations.md, "Integral image".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_integral.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/simd_prefix-inl.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = PrefixWords;
using Bytes = hn::Rebind<std::uint8_t, Words>;
using Word = hn::Vec<Words>;

#if HWY_TARGET == HWY_SCALAR
std::size_t row_vectors(const std::uint8_t*, std::size_t, std::uint32_t*, std::uint32_t&) { return 0; }
#else
/// Returns how many entries it computed, and sets `row_sum` to the sum of their levels.
std::size_t row_vectors(const std::uint8_t* HWY_RESTRICT levels, std::size_t count, std::uint32_t* HWY_RESTRICT row,
                        std::uint32_t& row_sum) {
  const Words d;
  const auto last_lane = hn::IndicesFromVec(d, hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d)) - 1));
  Word before = hn::Zero(d);
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const Word sums = prefix_sums(hn::PromoteTo(d, hn::LoadU(Bytes(), levels + x)));
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
  const Words d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const Word level = hn::PromoteTo(d, hn::LoadU(Bytes(), levels + x));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + x), level), d, sums + x);
  }
  for (; x < count; ++x) {
    sums[x] += levels[x];
  }
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(integral_row);
HWY_EXPORT(add_to_columns);

void integral_row(const std::uint8_t* levels, std::size_t count, std::uint32_t* row) {
  HWY_DYNAMIC_DISPATCH(integral_row)(levels, count, row);
}

void add_to_columns(const std::uint8_t* levels, std::size_t count, std::uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(add_to_columns)(levels, count, sums);
}

}  // namespace gpuimg::cpu
#endif

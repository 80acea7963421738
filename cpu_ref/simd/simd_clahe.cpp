// Vectorized interpolation between the tables of four tiles. Specified in include/gpuimg/ops/clahe.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_clahe.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gpuimg/ops/clahe.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;
using ClaheFloats = hn::ScalableTag<float>;
using ClaheInts = hn::RebindToSigned<ClaheFloats>;
using ClaheFloat = hn::Vec<ClaheFloats>;
using ClaheInt = hn::Vec<ClaheInts>;

/// Products and sums in the order of gpuimg::interpolated(), none fused.
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

/// A gather reads 32 bits, so it reads the aligned pair that the entry is in.
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
#else
template <class... Arguments>
std::size_t interpolate_vectors(const Arguments&...) {
  return 0;
}
#endif

void interpolate_bytes(const std::uint8_t* HWY_RESTRICT levels, std::size_t count,
                       const std::uint32_t* HWY_RESTRICT tables, const float* HWY_RESTRICT right, float below,
                       std::uint8_t* HWY_RESTRICT out) {
  for (std::size_t x = interpolate_vectors(levels, count, tables, right, below, out); x < count; ++x) {
    const std::uint32_t four = tables[levels[x]];
    const auto entry = [four](int byte) { return static_cast<float>(four >> (8 * byte) & 0xFFU); };
    out[x] = static_cast<std::uint8_t>(interpolated({entry(0), entry(1), entry(2), entry(3)}, right[x], below));
  }
}

void interpolate_shorts(const std::uint16_t* HWY_RESTRICT levels, std::size_t count,
                        const std::uint16_t* const* HWY_RESTRICT tables, const float* HWY_RESTRICT right, float below,
                        std::uint16_t* HWY_RESTRICT out) {
  for (std::size_t x = interpolate_vectors(levels, count, tables, right, below, out); x < count; ++x) {
    const auto entry = [&](int table) { return static_cast<float>(tables[table][levels[x]]); };
    out[x] = static_cast<std::uint16_t>(interpolated({entry(0), entry(1), entry(2), entry(3)}, right[x], below));
  }
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(interpolate_bytes);
HWY_EXPORT(interpolate_shorts);

void interpolate_bytes(const std::uint8_t* levels, std::size_t count, const std::uint32_t* tables, const float* right,
                       float below, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(interpolate_bytes)(levels, count, tables, right, below, out);
}

void interpolate_shorts(const std::uint16_t* levels, std::size_t count, const std::uint16_t* const* tables,
                        const float* right, float below, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(interpolate_shorts)(levels, count, tables, right, below, out);
}

}  // namespace gpuimg::cpu
#endif

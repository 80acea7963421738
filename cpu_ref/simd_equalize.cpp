// Equalized rows, vectorised: hue-preserving colour, and look-up of bytes.
// The rules: include/gpuimg/ops/equalize.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_equalize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gpuimg/ops/equalize.hpp"
#include "simd_pixels-inl.hpp"
#include "simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
/// What with_luma computes, one division a pixel: a channel becomes base + round((c − origin)·factor / divisor), where
/// in gamut base = origin = 0, factor = Y′ and divisor = Y, and else base = Y′, origin = Y, factor = V − Y′ and
/// divisor = M − Y. All are integers below 2¹⁶ in float32; (|numerator| + ⌊divisor/2⌋ + ½) times the refined reciprocal
/// is off by less than 2⁻²⁰ of itself, and no such quotient is nearer than ½/divisor > 2⁻¹⁷ of itself to an integer.
struct Relight {
  Float base;
  Float origin;
  Float factor;
  Float reciprocal;
  Float half;

  Relight(Byte high_bytes, Byte level_bytes, const std::int32_t* map) {
    const Floats df;
    const Ints di;
    const Float white = hn::Set(df, 255.0F);
    const Float zero = hn::Zero(df);
    const Float one = hn::Set(df, 1.0F);
    const auto level_index = hn::PromoteTo(di, level_bytes);
    const Float y = hn::ConvertTo(df, level_index);
    const Float y_new = hn::ConvertTo(df, hn::GatherIndex(di, map, level_index));
    const Float high = floats_of(high_bytes);
    const auto black = hn::Eq(y, zero);
    const auto in_gamut = hn::Le(hn::Mul(high, y_new), hn::Mul(white, y));
    base = hn::IfThenZeroElse(hn::AndNot(black, in_gamut), y_new);
    origin = hn::IfThenZeroElse(in_gamut, y);
    factor = hn::IfThenZeroElse(black, hn::IfThenElse(in_gamut, y_new, hn::Sub(white, y_new)));
    const Float divisor = hn::Max(hn::IfThenElse(in_gamut, y, hn::Sub(high, y)), one);
    reciprocal = approximate_reciprocal(divisor);
    half = hn::Add(hn::Floor(hn::Mul(divisor, hn::Set(df, 0.5F))), hn::Set(df, 0.5F));
  }

  [[nodiscard]] Byte operator()(Byte channel) const {
    const Float numerator = hn::Mul(hn::Sub(floats_of(channel), origin), factor);
    const Float quotient = hn::Floor(hn::Mul(hn::Add(hn::Abs(numerator), half), reciprocal));
    const Float level = hn::Add(base, hn::CopySign(quotient, numerator));
    return hn::DemoteTo(Bytes(), hn::ConvertTo(Ints(), level));
  }
};

template <int channels>
void relit(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, const std::uint8_t* HWY_RESTRICT levels,
           const std::int32_t* HWY_RESTRICT map, std::uint8_t* HWY_RESTRICT out) {
  const std::size_t step = hn::Lanes(Bytes());
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const Pixels p = load_pixels<channels>(pixels + channels * x);
    const Relight relight(hn::Max(p.r, hn::Max(p.g, p.b)), hn::LoadU(Bytes(), levels + x), map);
    store_pixels<channels>({relight(p.r), relight(p.g), relight(p.b), p.alpha}, out + channels * x);
  }
  for (; x < count; ++x) {
    const std::uint8_t* from = pixels + channels * x;
    std::uint8_t* to = out + channels * x;
    const Rgb p =
        with_luma<std::uint8_t>({from[0], from[1], from[2]}, levels[x], static_cast<std::uint32_t>(map[levels[x]]));
    to[0] = static_cast<std::uint8_t>(p.r);
    to[1] = static_cast<std::uint8_t>(p.g);
    to[2] = static_cast<std::uint8_t>(p.b);
    if constexpr (channels == 4) {
      to[3] = from[3];
    }
  }
}

void relit_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
               const std::int32_t* map, std::uint8_t* out) {
  if (channels == 3) {
    relit<3>(pixels, count, levels, map, out);
  } else {
    relit<4>(pixels, count, levels, map, out);
  }
}

#if HWY_TARGET == HWY_AVX3_DL
/// 256 entries in four registers: two look-ups of 128 entries, and the index's top bit chooses.
std::size_t mapped_vectors(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out) {
  const __m512i entries0 = _mm512_loadu_si512(map);
  const __m512i entries1 = _mm512_loadu_si512(map + 64);
  const __m512i entries2 = _mm512_loadu_si512(map + 128);
  const __m512i entries3 = _mm512_loadu_si512(map + 192);
  std::size_t x = 0;
  for (; x + 64 <= count; x += 64) {
    const __m512i index = _mm512_loadu_si512(in + x);
    const __m512i low = _mm512_permutex2var_epi8(entries0, index, entries1);
    const __m512i high = _mm512_permutex2var_epi8(entries2, index, entries3);
    _mm512_storeu_si512(out + x, _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high));
  }
  return x;
}
#else
/// Sixteen tables of sixteen entries: an index that is not in a table's range has its top bit set, which looks up 0.
std::size_t mapped_vectors(const std::uint8_t* HWY_RESTRICT in, std::size_t count, const std::uint8_t* HWY_RESTRICT map,
                           std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto push = hn::Set(d, 0x70);
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    const auto index = hn::LoadU(d, in + x);
    auto found = hn::Zero(d);
    for (std::size_t table = 0; table < 16; ++table) {
      const auto entries = hn::LoadDup128(d, map + 16 * table);
      const auto own = hn::Xor(index, hn::Set(d, static_cast<std::uint8_t>(16 * table)));
      found = hn::Or(found, hn::TableLookupBytesOr0(entries, hn::SaturatedAdd(own, push)));
    }
    hn::StoreU(found, d, out + x);
  }
  return x;
}
#endif

void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out) {
  for (std::size_t x = mapped_vectors(in, count, map, out); x < count; ++x) {
    out[x] = map[in[x]];
  }
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(relit_row);
HWY_EXPORT(mapped_bytes);

void relit_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
               const std::int32_t* map, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(relit_row)(pixels, channels, count, levels, map, out);
}

void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(mapped_bytes)(in, count, map, out);
}

}  // namespace gpuimg::cpu
#endif

// HSL of rows, vectorised. The fractions, their order of cases and the rounding: include/gpuimg/ops/hsl.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_hsl.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gpuimg/ops/hsl.hpp"
#include "simd_pixels-inl.hpp"
#include "simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
using Shorts = hn::Rebind<std::uint16_t, Floats>;

/// HslFractions of one vector of pixels: integers below 2¹¹ in float32. Where chroma is 0 the numerator is 0 too.
struct Fractions {
  Float hue_numerator;
  Float chroma;
  Float saturation_denominator;  ///< at least 1
  Float sum;

  explicit Fractions(const Pixels& p) {
    const Floats df;
    const Float r = floats_of(p.r);
    const Float g = floats_of(p.g);
    const Float b = floats_of(p.b);
    const Float high = hn::Max(r, hn::Max(g, b));
    const Float low = hn::Min(r, hn::Min(g, b));
    const Float v_max = hn::Set(df, 255.0F);
    chroma = hn::Sub(high, low);
    sum = hn::Add(high, low);
    saturation_denominator = hn::Max(hn::Min(sum, hn::Sub(hn::Add(v_max, v_max), sum)), hn::Set(df, 1.0F));
    const Float two_chroma = hn::Add(chroma, chroma);
    const Float red_case = hn::Sub(g, b);
    const Float whole_turn = hn::IfThenElseZero(hn::Lt(g, b), hn::Mul(chroma, hn::Set(df, 6.0F)));
    const Float green_case = hn::Add(two_chroma, hn::Sub(b, r));
    const Float blue_case = hn::Add(hn::Add(two_chroma, two_chroma), hn::Sub(r, g));
    hue_numerator = hn::IfThenElse(hn::Eq(high, r), hn::Add(red_case, whole_turn),
                                   hn::IfThenElse(hn::Eq(high, g), green_case, blue_case));
  }
};

/// ⌊numerator/divisor + ½⌋ for integers with numerator < 2²⁷ exact in float32, 1 ≤ divisor < 2¹¹ and a quotient of at
/// most 2¹⁶: an estimate that is off by one at most, then put right by its exact remainder.
Int rounded_quotient(Float numerator, Float divisor) {
  const Ints di;
  const Int estimate = hn::NearestInt(hn::Mul(numerator, approximate_reciprocal(divisor)));
  const Int whole_divisor = hn::ConvertTo(di, divisor);
  const Int remainder = hn::Sub(hn::ConvertTo(di, numerator), hn::Mul(estimate, whole_divisor));
  const Int twice = hn::Add(remainder, remainder);
  const Int too_low = hn::Not(hn::VecFromMask(di, hn::Lt(twice, whole_divisor)));
  const Int too_high = hn::VecFromMask(di, hn::Lt(twice, hn::Neg(whole_divisor)));
  return hn::Add(hn::Sub(estimate, too_low), too_high);
}

void hsl_u16_row(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, std::uint16_t* HWY_RESTRICT out) {
  const Floats df;
  const Ints di;
  const Shorts d16;
  const std::size_t step = hn::Lanes(df);
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const Fractions f(load_pixels<3>(pixels + 3 * x));
    const Float turn = hn::Max(hn::Mul(f.chroma, hn::Set(df, 6.0F)), hn::Set(df, 1.0F));
    const Int hue = rounded_quotient(hn::Mul(f.hue_numerator, hn::Set(df, 65536.0F)), turn);
    const Int saturation = rounded_quotient(hn::Mul(f.chroma, hn::Set(df, 65535.0F)), f.saturation_denominator);
    // 65535/510 = 257/2
    const Int sum = hn::ConvertTo(di, f.sum);
    const Int lightness = hn::ShiftRight<1>(hn::Add(hn::Mul(sum, hn::Set(di, 257)), hn::Set(di, 1)));
    hn::StoreInterleaved3(hn::DemoteTo(d16, hn::And(hue, hn::Set(di, 0xFFFF))), hn::DemoteTo(d16, saturation),
                          hn::DemoteTo(d16, lightness), d16, out + 3 * x);
  }
  for (; x < count; ++x) {
    const std::uint8_t* p = pixels + 3 * x;
    const HslU16 hsl = hsl_u16<std::uint8_t>(hsl_fractions(p[0], p[1], p[2], 255));
    out[3 * x] = hsl.hue;
    out[3 * x + 1] = hsl.saturation;
    out[3 * x + 2] = hsl.lightness;
  }
}

void hsl_f32_row(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, float* HWY_RESTRICT out) {
  const Floats df;
  const std::size_t step = hn::Lanes(df);
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const Fractions f(load_pixels<3>(pixels + 3 * x));
    const Float chroma = hn::Max(f.chroma, hn::Set(df, 1.0F));
    const Float hue = hn::Div(hn::Mul(f.hue_numerator, hn::Set(df, 60.0F)), chroma);
    const Float saturation = hn::Div(f.chroma, f.saturation_denominator);
    const Float lightness = hn::Div(f.sum, hn::Set(df, 510.0F));
    hn::StoreInterleaved3(hue, saturation, lightness, df, out + 3 * x);
  }
  for (; x < count; ++x) {
    const std::uint8_t* p = pixels + 3 * x;
    const Hsl hsl = hsl_float<std::uint8_t>(hsl_fractions(p[0], p[1], p[2], 255));
    out[3 * x] = hsl.hue_degrees;
    out[3 * x + 1] = hsl.saturation;
    out[3 * x + 2] = hsl.lightness;
  }
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(hsl_u16_row);
HWY_EXPORT(hsl_f32_row);

void hsl_u16_row(const std::uint8_t* pixels, std::size_t count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(hsl_u16_row)(pixels, count, out);
}

void hsl_f32_row(const std::uint8_t* pixels, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(hsl_f32_row)(pixels, count, out);
}

}  // namespace gpuimg::cpu
#endif

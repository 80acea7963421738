// Vectorized HSL of rows. core/ops/hsl.hpp specifies the fractions, the order of cases, and the rounding.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_hsl.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gpuimg/ops/hsl.hpp"
#include "simd/simd_pixels-inl.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
template <int channels>
std::size_t u16_vectors(const std::uint8_t*, std::size_t, std::uint16_t*) {
  return 0;
}
template <int channels>
std::size_t f32_vectors(const std::uint8_t*, std::size_t, float*) {
  return 0;
}
#else
using HalfShorts = hn::Rebind<std::uint16_t, Floats>;

/// HslFractions of a vector of pixels. If chroma is 0, the hue numerator is 0 too.
struct Fractions {
  Int hue_numerator;  ///< negative if red is the maximum and blue exceeds green: a whole turn (6·chroma) is missing
  Int chroma;
  Int saturation_denominator;  ///< at least 1
  Int sum;

  explicit HWY_INLINE Fractions(Int words) {
    const Ints d;
    const Int r = channel_of<0>(words);
    const Int g = channel_of<1>(words);
    const Int b = channel_of<2>(words);
    const Int high = hn::Max(r, hn::Max(g, b));
    const Int low = hn::Min(r, hn::Min(g, b));
    chroma = hn::Sub(high, low);
    sum = hn::Add(high, low);
    saturation_denominator = hn::Max(hn::Min(sum, hn::Sub(hn::Set(d, 510), sum)), hn::Set(d, 1));
    const auto red_is_high = hn::Eq(high, r);
    const auto green_is_high = hn::Eq(high, g);
    const Int two_chroma = hn::Add(chroma, chroma);
    const Int green_case = hn::Add(two_chroma, hn::Sub(b, r));
    const Int blue_case = hn::Add(hn::Add(two_chroma, two_chroma), hn::Sub(r, g));
    hue_numerator = hn::IfThenElse(red_is_high, hn::Sub(g, b), hn::IfThenElse(green_is_high, green_case, blue_case));
  }

  [[nodiscard]] Int turn() const {
    const Int two_chroma = hn::Add(chroma, chroma);
    return hn::Add(two_chroma, hn::Add(two_chroma, two_chroma));
  }
};

/// numerator·scale/divisor, rounded to the nearest integer or off by one. Only the lowest 16 bits are valid.
HWY_INLINE Int near_quotient(Int numerator, float scale, Int divisor) {
  const Floats df;
  const Float scaled = hn::Mul(hn::ConvertTo(df, numerator), hn::Set(df, scale));
  return rounded_bits(hn::Mul(scaled, approximate_reciprocal(hn::ConvertTo(df, divisor))));
}

/// Hue (low half) and saturation (high half) of HslU16, as 16-bit pairs. Corrects each quotient of near_quotient() by
/// its remainder. 16 bits are enough for the remainder: modulo 2¹⁶, the numerators are 65536·n ≡ 0 and 65535·C ≡ −C. A
/// hue that lacks a whole turn is also correct modulo 2¹⁶.
HWY_INLINE Int hue_and_saturation(const Fractions& f) {
  const Ints d;
  const Shorts d16;
  const auto pair = [&](Int low, Int high) { return hn::BitCast(d16, hn::Or(low, hn::ShiftLeft<16>(high))); };
  const Int turn = hn::Max(f.turn(), hn::Set(d, 1));
  const Int hue = near_quotient(f.hue_numerator, 65536.0F, turn);
  const Int saturation = near_quotient(f.chroma, 65535.0F, f.saturation_denominator);
  const Short quotient = pair(hn::And(hue, hn::Set(d, 0xFFFF)), saturation);
  const Short divisor = pair(turn, f.saturation_denominator);
  const Short excess = hn::Add(hn::Mul(quotient, divisor), hn::BitCast(d16, hn::ShiftLeft<16>(f.chroma)));
  const Short twice = hn::Add(excess, excess);
  const Short too_high = hn::VecFromMask(d16, hn::Gt(twice, divisor));
  const Short too_low = hn::VecFromMask(d16, hn::Lt(twice, hn::Sub(hn::Set(d16, 1), divisor)));
  return hn::BitCast(d, hn::Sub(hn::Add(quotient, too_high), too_low));
}

/// Stores hue, saturation and lightness of each pixel.
HWY_INLINE void store_hsl(Int hue_saturation, Int lightness, std::uint16_t* out) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  // Indices of 16-bit elements: below 32 from the pairs of hue and saturation, from 32 on from the low halves of
  // lightness.
  alignas(64) static constexpr std::int16_t kFirst[32] = {0,  1,  32, 2,  3,  34, 4,  5,  36, 6,  7,
                                                          38, 8,  9,  40, 10, 11, 42, 12, 13, 44, 14,
                                                          15, 46, 16, 17, 48, 18, 19, 50, 20, 21};
  alignas(64) static constexpr std::int16_t kRest[32] = {52, 22, 23, 54, 24, 25, 56, 26,
                                                         27, 58, 28, 29, 60, 30, 31, 62};
  const auto chosen = [&](const std::int16_t* order) {
    return _mm512_permutex2var_epi16(hue_saturation.raw, _mm512_load_si512(order), lightness.raw);
  };
  _mm512_storeu_si512(out, chosen(kFirst));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32), _mm512_castsi512_si256(chosen(kRest)));
#else
  const HalfShorts d16;
  const Int hue = hn::And(hue_saturation, hn::Set(Ints(), 0xFFFF));
  const Int saturation = hn::BitCast(Ints(), hn::ShiftRight<16>(hn::BitCast(Words(), hue_saturation)));
  hn::StoreInterleaved3(hn::DemoteTo(d16, hue), hn::DemoteTo(d16, saturation), hn::DemoteTo(d16, lightness), d16, out);
#endif
}

template <int channels>
std::size_t u16_vectors(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, std::uint16_t* HWY_RESTRICT out) {
  const Ints d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) + pixels_after() <= count; x += hn::Lanes(d)) {
    const Int words = load_words<channels>(pixels + channels * x);
    const Fractions f(words);
    // 65535/510 = 257/2
    const Int twice_lightness = hn::Add(hn::ShiftLeft<8>(f.sum), f.sum);
    const Int lightness = hn::ShiftRight<1>(hn::Add(twice_lightness, hn::Set(d, 1)));
    if constexpr (channels == 4) {
      const Int alpha = channel_of<3>(words);
      const Int last = hn::Or(lightness, hn::Or(hn::ShiftLeft<16>(alpha), hn::ShiftLeft<24>(alpha)));
      hn::StoreInterleaved2(hue_and_saturation(f), last, d, reinterpret_cast<std::int32_t*>(out + channels * x));
    } else {
      store_hsl(hue_and_saturation(f), lightness, out + channels * x);
    }
  }
  return x;
}

template <int channels>
std::size_t f32_vectors(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, float* HWY_RESTRICT out) {
  const Floats df;
  const Ints d;
  const auto quotient = [&](Int numerator, Int divisor) {
    return hn::Div(hn::ConvertTo(df, numerator), hn::ConvertTo(df, divisor));
  };
  std::size_t x = 0;
  for (; x + hn::Lanes(d) + pixels_after() <= count; x += hn::Lanes(d)) {
    const Int words = load_words<channels>(pixels + channels * x);
    const Fractions f(words);
    const Int whole_turn = hn::And(hn::BroadcastSignBit(f.hue_numerator), f.turn());
    const Int numerator = hn::Add(f.hue_numerator, whole_turn);
    const Int sixty_times = hn::Sub(hn::ShiftLeft<6>(numerator), hn::ShiftLeft<2>(numerator));
    const Float hue = quotient(sixty_times, hn::Max(f.chroma, hn::Set(d, 1)));
    const Float saturation = quotient(f.chroma, f.saturation_denominator);
    const Float lightness = quotient(f.sum, hn::Set(d, 510));
    if constexpr (channels == 4) {
      const Float alpha = quotient(channel_of<3>(words), hn::Set(d, 255));
      hn::StoreInterleaved4(hue, saturation, lightness, alpha, df, out + channels * x);
    } else {
      hn::StoreInterleaved3(hue, saturation, lightness, df, out + channels * x);
    }
  }
  return x;
}
#endif

std::size_t hsl_u16_vectors(const std::uint8_t* pixels, int channels, std::size_t count, std::uint16_t* out) {
  return channels == 4 ? u16_vectors<4>(pixels, count, out) : u16_vectors<3>(pixels, count, out);
}

std::size_t hsl_f32_vectors(const std::uint8_t* pixels, int channels, std::size_t count, float* out) {
  return channels == 4 ? f32_vectors<4>(pixels, count, out) : f32_vectors<3>(pixels, count, out);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(hsl_u16_vectors);
HWY_EXPORT(hsl_f32_vectors);

std::size_t hsl_u16_vectors(const std::uint8_t* pixels, int channels, std::size_t count, std::uint16_t* out) {
  return HWY_DYNAMIC_DISPATCH(hsl_u16_vectors)(pixels, channels, count, out);
}

std::size_t hsl_f32_vectors(const std::uint8_t* pixels, int channels, std::size_t count, float* out) {
  return HWY_DYNAMIC_DISPATCH(hsl_f32_vectors)(pixels, channels, count, out);
}

}  // namespace gpuimg::cpu
#endif

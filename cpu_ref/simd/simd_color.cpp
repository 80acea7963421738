// Vectorized color of rows: luma, equalization that preserves hue, YCrCb, and look-up of bytes. core/ops/luma.hpp and
// core/ops/equalize.hpp specify weights and rounding.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_color.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/equalize.hpp"
#include "simd/simd_pixels-inl.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
/// On x86, ReorderWidenMulAccumulate adds the sum of each pair to the lane of that pair in the first accumulator, so
/// that an initial value costs nothing. On other processors, an initial value would count twice or not at all, so it is
/// added at the end.
constexpr bool kPairsKeepTheirLane = HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128;

HWY_INLINE Int initial_sum(int value) { return hn::Set(Ints(), kPairsKeepTheirLane ? value : 0); }

HWY_INLINE Int whole_sum(Int sum, Int rest, int initial) {
  const Int pairs = hn::RearrangeToOddPlusEven(sum, rest);
  return kPairsKeepTheirLane ? pairs : hn::Add(pairs, hn::Set(Ints(), initial));
}

/// Multiplies and adds 16-bit pairs with one instruction. Both pairs contain green with half its weight, because its
/// full weight can exceed 2¹⁵.
template <int red, int green, int blue, int shift>
HWY_INLINE Int weighted(Int words) {
  alignas(16) static constexpr std::uint8_t kRedGreen[16] = {0, kNone, 1, kNone, 4,  kNone, 5,  kNone,
                                                             8, kNone, 9, kNone, 12, kNone, 13, kNone};
  alignas(16) static constexpr std::uint8_t kGreenBlue[16] = {1, kNone, 2,  kNone, 5,  kNone, 6,  kNone,
                                                              9, kNone, 10, kNone, 13, kNone, 14, kNone};
  constexpr int kHalfGreen = green / 2;
  const Ints d;
  const auto pairs = [&](const std::uint8_t* order) { return hn::BitCast(Shorts(), shuffled(words, order)); };
  constexpr int kHalf = 1 << (shift - 1);
  Int rest = hn::Zero(d);
  Int sum = initial_sum(kHalf);
  sum = hn::ReorderWidenMulAccumulate(d, pairs(kRedGreen), short_pairs(red, kHalfGreen), sum, rest);
  sum = hn::ReorderWidenMulAccumulate(d, pairs(kGreenBlue), short_pairs(green - kHalfGreen, blue), sum, rest);
  return hn::ShiftRight<shift>(whole_sum(sum, rest, kHalf));
}

Int truncated_float(Int words) {
  const Floats df;
  const auto scaled = [&](Int channel, float weight) {
    return hn::Mul(hn::Set(df, weight), hn::ConvertTo(df, channel));
  };
  const Float red = scaled(channel_of<0>(words), 0.299F);
  const Float green = scaled(channel_of<1>(words), 0.587F);
  const Float blue = scaled(channel_of<2>(words), 0.114F);
  return hn::ConvertTo(Ints(), hn::Add(hn::Add(red, green), blue));
}
#endif

/// Each kind of luma in two forms: for one pixel, and for a vector of 32-bit pixels.
template <Luma kind>
struct LumaOf {
  static std::uint32_t pixel(const std::uint8_t* p) { return luma_of<kind>(p[0], p[1], p[2]); }
#if HWY_TARGET != HWY_SCALAR
  static Int vector(Int words) {
    if constexpr (kind == Luma::bt601) {
      return weighted<19595, 38470, 7471, 16>(words);
    } else if constexpr (kind == Luma::opencv) {
      return weighted<9798, 19235, 3735, 15>(words);
    } else if constexpr (kind == Luma::bt709) {
      return weighted<13933, 46871, 4732, 16>(words);
    } else {
      return truncated_float(words);
    }
  }
#endif
};

struct YcrcbLuma {
  static std::uint32_t pixel(const std::uint8_t* p) { return gpuimg::ycrcb_luma({p[0], p[1], p[2]}); }
#if HWY_TARGET != HWY_SCALAR
  static Int vector(Int words) { return weighted<4899, 9617, 1868, 14>(words); }
#endif
};

template <class Kind, int channels>
void levels_of_row(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, std::uint8_t* HWY_RESTRICT levels) {
  std::size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const std::size_t step = hn::Lanes(Ints());
  for (; x + step + pixels_after() <= count; x += step) {
    const Int luma = Kind::vector(load_words<channels>(pixels + channels * x));
    hn::StoreU(hn::U8FromU32(hn::BitCast(Words(), luma)), Bytes(), levels + x);
  }
#endif
  for (; x < count; ++x) {
    levels[x] = static_cast<std::uint8_t>(Kind::pixel(pixels + channels * x));
  }
}

template <class Kind>
void levels_of(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  if (channels == 3) {
    levels_of_row<Kind, 3>(pixels, count, levels);
  } else {
    levels_of_row<Kind, 4>(pixels, count, levels);
  }
}

void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  switch (kind) {
    case Luma::bt601: return levels_of<LumaOf<Luma::bt601>>(pixels, channels, count, levels);
    case Luma::bt601_trunc: return levels_of<LumaOf<Luma::bt601_trunc>>(pixels, channels, count, levels);
    case Luma::opencv: return levels_of<LumaOf<Luma::opencv>>(pixels, channels, count, levels);
    case Luma::bt709: return levels_of<LumaOf<Luma::bt709>>(pixels, channels, count, levels);
  }
}

void ycrcb_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  levels_of<YcrcbLuma>(pixels, channels, count, levels);
}

#if HWY_TARGET != HWY_SCALAR
/// Vector form of with_luma(). A channel c becomes Y′ + (c − Y)·k, where k = Y′/Y in gamut and k = (V − Y′)/(M − Y) out
/// of gamut. In gamut, ties round up; out of gamut, they round away from Y′.
///
/// Exact: a value that is not a tie is at least 1/510 away from the nearest tie, and the float32 error is below 2⁻¹¹ −
/// 2⁻¹³. So adding 2⁻¹¹ in the direction of tie rounding always rounds correctly.
class LumaRemap {
 public:
  HWY_INLINE LumaRemap(Int words, Int level, Int level_new) {
    const Floats df;
    const Int high_level = hn::Max(channel_of<0>(words), hn::Max(channel_of<1>(words), channel_of<2>(words)));
    const Float high = hn::ConvertTo(df, high_level);
    const Float y_new = hn::ConvertTo(df, level_new);
    const Float white = hn::Set(df, 255.0F);
    y_ = hn::ConvertTo(df, level);
    const auto in_gamut = hn::Le(hn::Mul(high, y_new), hn::Mul(white, y_));
    const Float factor = hn::IfThenElse(in_gamut, y_new, hn::Sub(white, y_new));
    const Float divisor = hn::IfThenElse(in_gamut, y_, hn::Sub(high, y_));
    const Float quotient = hn::Mul(factor, approximate_reciprocal(divisor));
    k_ = hn::IfThenZeroElse(hn::Eq(y_, hn::Zero(df)), quotient);  // black becomes gray; its quotient may be 0/0
    y_new_ = y_new;
    away_ = hn::IfThenZeroElse(in_gamut, hn::SignBit(df));
  }

  /// The new level, in the lowest bits, as rounded_bits() returns it.
  [[nodiscard]] HWY_INLINE Int operator()(Int channel) const {
    const Floats df;
    const Float distance = hn::Sub(hn::ConvertTo(df, channel), y_);
    const Float side = hn::Or(hn::And(distance, away_), hn::Set(df, 0x1p-11F));
    return rounded_bits(hn::Add(hn::MulAdd(distance, k_, y_new_), side));
  }

 private:
  Float y_;
  Float k_;
  Float y_new_;
  Float away_;  ///< the sign bit is set where ties round away from Y′
};

HWY_INLINE Int remap_luma_words(Int words, Int level, Int level_new) {
  const LumaRemap remap(words, level, level_new);
  const Int byte = hn::Set(Ints(), 0xFF);
  const Int red = hn::And(remap(channel_of<0>(words)), byte);
  const Int green = hn::ShiftLeft<8>(hn::And(remap(channel_of<1>(words)), byte));
  const Int blue = hn::ShiftLeft<16>(remap(channel_of<2>(words)));
  return hn::Or(hn::Or(red, green), hn::Or(blue, alpha_of(words)));
}

/// Converts to YCrCb, replaces Y, and converts back. Red and blue share a vector of 16-bit pairs. MulFixedPoint15 of
/// twice a number multiplies with 14 fraction bits, and rounds as equalize.hpp does.
HWY_INLINE Int remap_ycrcb_words(Int words, Int level, Int level_new) {
  const Ints d;
  const Shorts d16;
  const auto twice = [](Int number) { return hn::BitCast(Shorts(), hn::Or(number, hn::ShiftLeft<16>(number))); };
  const auto scaled = [](Short number, int low, int high) {
    return hn::MulFixedPoint15(hn::Add(number, number), short_pairs(low, high));
  };
  const Short red_blue = hn::BitCast(d16, hn::And(words, hn::Set(d, 0xFF00FF)));
  const Short unlimited = scaled(hn::Sub(red_blue, twice(level)), 11682, 9241);
  const Short cr_cb = hn::Max(hn::Min(unlimited, hn::Set(d16, 127)), hn::Set(d16, -128));
  const Short back = hn::Add(twice(level_new), scaled(cr_cb, 22987, 29049));
  const Short rb_new = hn::Max(hn::Min(back, hn::Set(d16, 255)), hn::Zero(d16));
  constexpr int kHalf = 8192;
  Int rest = hn::Zero(d);
  const Int sum = hn::ReorderWidenMulAccumulate(d, cr_cb, short_pairs(-11698, -5636), initial_sum(kHalf), rest);
  const Int green = hn::Add(level_new, hn::ShiftRight<14>(whole_sum(sum, rest, kHalf)));
  const Int g_new = hn::Max(hn::Min(green, hn::Set(d, 255)), hn::Zero(d));
  return hn::Or(hn::Or(hn::BitCast(d, rb_new), hn::ShiftLeft<8>(g_new)), alpha_of(words));
}
#endif

/// A remapping in two forms: for one pixel, and for a vector of 32-bit pixels.
struct RemapLuma {
  static Rgb pixel(const Rgb& p, std::uint32_t level, std::uint32_t level_new) {
    return with_luma<std::uint8_t>(p, level, level_new);
  }
#if HWY_TARGET != HWY_SCALAR
  static Int vector(Int words, Int level, Int level_new) { return remap_luma_words(words, level, level_new); }
#endif
};

struct RemapYcrcb {
  static Rgb pixel(const Rgb& p, std::uint32_t, std::uint32_t level_new) { return with_ycrcb_luma(p, level_new, 255); }
#if HWY_TARGET != HWY_SCALAR
  static Int vector(Int words, Int level, Int level_new) { return remap_ycrcb_words(words, level, level_new); }
#endif
};

template <class Kind, int channels>
void remap_row(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, const std::uint8_t* HWY_RESTRICT levels,
               const std::uint8_t* HWY_RESTRICT levels_new, std::uint8_t* HWY_RESTRICT out) {
  std::size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const std::size_t step = hn::Lanes(Ints());
  for (; x + step + pixels_after() <= count; x += step) {
    const Int words = load_words<channels>(pixels + channels * x);
    store_words<channels>(Kind::vector(words, ints_of(levels + x), ints_of(levels_new + x)), out + channels * x);
  }
#endif
  for (; x < count; ++x) {
    const std::uint8_t* from = pixels + channels * x;
    std::uint8_t* to = out + channels * x;
    const Rgb p = Kind::pixel({from[0], from[1], from[2]}, levels[x], levels_new[x]);
    to[0] = static_cast<std::uint8_t>(p.r);
    to[1] = static_cast<std::uint8_t>(p.g);
    to[2] = static_cast<std::uint8_t>(p.b);
    if constexpr (channels == 4) {
      to[3] = from[3];
    }
  }
}

template <class Kind>
void remap(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
           const std::uint8_t* levels_new, std::uint8_t* out) {
  if (channels == 3) {
    remap_row<Kind, 3>(pixels, count, levels, levels_new, out);
  } else {
    remap_row<Kind, 4>(pixels, count, levels, levels_new, out);
  }
}

void remap_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                    const std::uint8_t* levels_new, std::uint8_t* out) {
  remap<RemapLuma>(pixels, channels, count, levels, levels_new, out);
}

void remap_ycrcb_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                     const std::uint8_t* levels_new, std::uint8_t* out) {
  remap<RemapYcrcb>(pixels, channels, count, levels, levels_new, out);
}

#if HWY_TARGET == HWY_SCALAR
std::size_t mapped_vectors(const std::uint8_t*, std::size_t, const std::uint8_t*, std::uint8_t*) { return 0; }
#elif HWY_TARGET == HWY_AVX3_DL
/// 256 entries in four registers: two look-ups with 128 entries each. The top bit of the index selects between them.
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
/// TableLookupBytesOr0 is defined only for an index that is below 16 or has its top bit set. SSSE3 and later also
/// ignore the bits in between; other instruction sets do not.
constexpr bool kOverlooksMiddleBits = HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3;

/// Sixteen tables with sixteen entries each. An index outside a table's range gets its top bit set, so the look-up
/// returns 0.
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
      auto wanted = hn::SaturatedAdd(own, push);
      if constexpr (!kOverlooksMiddleBits) {
        wanted = hn::And(wanted, hn::Set(d, 0x8F));
      }
      found = hn::Or(found, hn::TableLookupBytesOr0(entries, wanted));
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

HWY_EXPORT(luma_row);
HWY_EXPORT(ycrcb_luma_row);
HWY_EXPORT(remap_luma_row);
HWY_EXPORT(remap_ycrcb_row);
HWY_EXPORT(mapped_bytes);

void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(luma_row)(kind, pixels, channels, count, levels);
}

void ycrcb_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(ycrcb_luma_row)(pixels, channels, count, levels);
}

void remap_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                    const std::uint8_t* levels_new, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(remap_luma_row)(pixels, channels, count, levels, levels_new, out);
}

void remap_ycrcb_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                     const std::uint8_t* levels_new, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(remap_ycrcb_row)(pixels, channels, count, levels, levels_new, out);
}

void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(mapped_bytes)(in, count, map, out);
}

}  // namespace gpuimg::cpu
#endif

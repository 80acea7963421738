// Vectorized luma of rows. Weights and rounding are specified in core/ops/luma.hpp, those of YCrCb in
// equalize.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_luma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/equalize.hpp"
#include "simd/simd_pixels-inl.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
/// Multiplies and adds 16-bit pairs in one instruction. Green is split over both pairs with half its weight each,
/// because the whole weight can exceed 2¹⁵.
template <int red, int green, int blue, int shift>
HWY_INLINE Int weighted(Int words) {
  alignas(16) static constexpr std::uint8_t kRedGreen[16] = {0, kNone, 1, kNone, 4,  kNone, 5,  kNone,
                                                             8, kNone, 9, kNone, 12, kNone, 13, kNone};
  alignas(16) static constexpr std::uint8_t kGreenBlue[16] = {1, kNone, 2,  kNone, 5,  kNone, 6,  kNone,
                                                              9, kNone, 10, kNone, 13, kNone, 14, kNone};
  constexpr int kHalfGreen = green / 2;
  const Ints d;
  const auto pairs = [&](const std::uint8_t* order) { return hn::BitCast(Shorts(), shuffled(words, order)); };
  Int rest = hn::Zero(d);
  Int sum = hn::Set(d, 1 << (shift - 1));
  sum = hn::ReorderWidenMulAccumulate(d, pairs(kRedGreen), short_pairs(red, kHalfGreen), sum, rest);
  sum = hn::ReorderWidenMulAccumulate(d, pairs(kGreenBlue), short_pairs(green - kHalfGreen, blue), sum, rest);
  return hn::ShiftRight<shift>(hn::RearrangeToOddPlusEven(sum, rest));
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

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(luma_row);
HWY_EXPORT(ycrcb_luma_row);

void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(luma_row)(kind, pixels, channels, count, levels);
}

void ycrcb_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(ycrcb_luma_row)(pixels, channels, count, levels);
}

}  // namespace gpuimg::cpu
#endif

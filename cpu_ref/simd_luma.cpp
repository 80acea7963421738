// Luma of rows, vectorised. The weights and the rounding: include/gpuimg/ops/luma.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd_luma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd_pixels-inl.hpp"
#include "simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {

using Words = hn::RebindToUnsigned<Ints>;
using Word = hn::Vec<Words>;

template <std::uint32_t red, std::uint32_t green, std::uint32_t blue, int shift>
Word weighted(Words d, Word r, Word g, Word b) {
  const Word sum = hn::Add(hn::Add(hn::Mul(r, hn::Set(d, red)), hn::Mul(g, hn::Set(d, green))),
                           hn::Add(hn::Mul(b, hn::Set(d, blue)), hn::Set(d, 1U << (shift - 1))));
  return hn::ShiftRight<shift>(sum);
}

Word truncated_float(Words d, Word r, Word g, Word b) {
  const Floats df;
  const Ints di;
  const auto scaled = [&](Word channel, float weight) {
    return hn::Mul(hn::Set(df, weight), hn::ConvertTo(df, hn::BitCast(di, channel)));
  };
  const auto sum = hn::Add(hn::Add(scaled(r, 0.299F), scaled(g, 0.587F)), scaled(b, 0.114F));
  return hn::BitCast(d, hn::ConvertTo(di, sum));
}

template <Luma kind>
Word luma_of_words(Words d, Word r, Word g, Word b) {
  if constexpr (kind == Luma::bt601) {
    return weighted<19595, 38470, 7471, 16>(d, r, g, b);
  } else if constexpr (kind == Luma::opencv) {
    return weighted<9798, 19235, 3735, 15>(d, r, g, b);
  } else if constexpr (kind == Luma::bt709) {
    return weighted<13933, 46871, 4732, 16>(d, r, g, b);
  } else {
    return truncated_float(d, r, g, b);
  }
}

template <Luma kind, int channels>
void luma_of_row(const std::uint8_t* HWY_RESTRICT pixels, std::size_t count, std::uint8_t* HWY_RESTRICT levels) {
  const Words d;
  const std::size_t step = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + step <= count; x += step) {
    const Pixels p = load_pixels<channels>(pixels + channels * x);
    const Word luma = luma_of_words<kind>(d, hn::PromoteTo(d, p.r), hn::PromoteTo(d, p.g), hn::PromoteTo(d, p.b));
    hn::StoreU(hn::U8FromU32(luma), Bytes(), levels + x);
  }
  for (; x < count; ++x) {
    const std::uint8_t* p = pixels + channels * x;
    levels[x] = static_cast<std::uint8_t>(luma_of<kind>(p[0], p[1], p[2]));
  }
}

template <int channels>
void luma_of_kind(Luma kind, const std::uint8_t* pixels, std::size_t count, std::uint8_t* levels) {
  switch (kind) {
    case Luma::bt601: return luma_of_row<Luma::bt601, channels>(pixels, count, levels);
    case Luma::bt601_trunc: return luma_of_row<Luma::bt601_trunc, channels>(pixels, count, levels);
    case Luma::opencv: return luma_of_row<Luma::opencv, channels>(pixels, count, levels);
    case Luma::bt709: return luma_of_row<Luma::bt709, channels>(pixels, count, levels);
  }
}

void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  if (channels == 3) {
    luma_of_kind<3>(kind, pixels, count, levels);
  } else {
    luma_of_kind<4>(kind, pixels, count, levels);
  }
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(luma_row);

void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(luma_row)(kind, pixels, channels, count, levels);
}

}  // namespace gpuimg::cpu
#endif

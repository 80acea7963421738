// Under the simd_*.cpp files: vectors of 8-bit pixels and their values in float32. Included once for each instruction
// set, as Highway's foreach_target asks.
#if defined(GPUIMG_SIMD_PIXELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GPUIMG_SIMD_PIXELS_INL
#undef GPUIMG_SIMD_PIXELS_INL
#else
#define GPUIMG_SIMD_PIXELS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using Float = hn::Vec<Floats>;
using Int = hn::Vec<Ints>;
using Byte = hn::Vec<Bytes>;

inline Float floats_of(Byte bytes) { return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), bytes)); }

/// Refined from the processor's estimate: off by less than 2⁻²⁰ of itself.
inline Float approximate_reciprocal(Float x) {
  const Float rough = hn::ApproximateReciprocal(x);
  return hn::Mul(rough, hn::Sub(hn::Set(Floats(), 2.0F), hn::Mul(x, rough)));
}

/// As many pixels as a vector of floats has lanes; alpha only of four channels.
struct Pixels {
  Byte r;
  Byte g;
  Byte b;
  Byte alpha;
};

template <int channels>
Pixels load_pixels(const std::uint8_t* from) {
  Pixels p;
  if constexpr (channels == 3) {
    hn::LoadInterleaved3(Bytes(), from, p.r, p.g, p.b);
    p.alpha = hn::Zero(Bytes());
  } else {
    hn::LoadInterleaved4(Bytes(), from, p.r, p.g, p.b, p.alpha);
  }
  return p;
}

template <int channels>
void store_pixels(const Pixels& p, std::uint8_t* to) {
  if constexpr (channels == 3) {
    hn::StoreInterleaved3(p.r, p.g, p.b, Bytes(), to);
  } else {
    hn::StoreInterleaved4(p.r, p.g, p.b, p.alpha, Bytes(), to);
  }
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

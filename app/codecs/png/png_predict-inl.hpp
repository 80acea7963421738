// The predictions of PNG's filters, on the compiler's vectors of bytes. Included once per instruction set by Highway's
// foreach_target. PNG specification, section 9.
#if defined(GPUIMG_PNG_PREDICT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GPUIMG_PNG_PREDICT_INL
#undef GPUIMG_PNG_PREDICT_INL
#else
#define GPUIMG_PNG_PREDICT_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

using Bytes16 = std::uint8_t __attribute__((vector_size(16)));
using Bytes32 = std::uint8_t __attribute__((vector_size(32)));

template <class Bytes>
HWY_INLINE Bytes smaller(Bytes a, Bytes b) {
  return a < b ? a : b;
}

template <class Bytes>
HWY_INLINE Bytes larger(Bytes a, Bytes b) {
  return a > b ? a : b;
}

/// 255 where a ≤ b.
template <class Bytes>
HWY_INLINE Bytes at_most(Bytes a, Bytes b) {
  return reinterpret_cast<Bytes>(smaller(a, b) == a);
}

/// Saturating a − b. One instruction if Highway has vectors for the target.
template <class Bytes>
HWY_INLINE Bytes excess(Bytes a, Bytes b) {
#if HWY_TARGET == HWY_SCALAR
  return larger(a, b) - b;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<std::uint8_t, sizeof(Bytes)> tag;
  const auto load = [&](const Bytes& bytes)
                        HWY_ATTR { return hn::LoadU(tag, reinterpret_cast<const std::uint8_t*>(&bytes)); };
  Bytes result;
  hn::StoreU(hn::SaturatedSub(load(a), load(b)), tag, reinterpret_cast<std::uint8_t*>(&result));
  return result;
#endif
}

/// Rounded down.
template <class Bytes>
HWY_INLINE Bytes average_of(Bytes a, Bytes b) {
  return (a & b) + ((a ^ b) >> 1);
}

/// Paeth's predictor minus the corner. The specification takes whichever of left, up and corner is nearest to
/// left + up − corner. Let low and high be the smaller and the larger of left and up. The predictor is low if
/// corner ≥ high, or if corner − low ≥ 2 · (high − corner); symmetrically it is high; otherwise it is the corner.
/// In this form all arithmetic stays in eight bits.
template <class Bytes>
HWY_INLINE Bytes paeth_less_corner(Bytes left, Bytes up, Bytes corner) {
  const Bytes low = smaller(left, up);
  const Bytes high = larger(left, up);
  const Bytes to_high = excess(high, corner);
  const Bytes to_low = excess(corner, low);
  const Bytes is_low = at_most(to_high, excess(to_low, to_high));
  const Bytes is_high = at_most(to_low, excess(to_high, to_low));
  return (is_low & (low - corner)) | (is_high & (high - corner));
}

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

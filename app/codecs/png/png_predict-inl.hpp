// What PNG's filters predict bytes from, on the compiler's own vectors of bytes. Included once for each instruction
// set, as Highway's foreach_target asks. PNG specification, section 9.
#if defined(GPUIMG_PNG_PREDICT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GPUIMG_PNG_PREDICT_INL
#undef GPUIMG_PNG_PREDICT_INL
#else
#define GPUIMG_PNG_PREDICT_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gpuimg::HWY_NAMESPACE {

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

/// a − b, or 0 where that is negative: one instruction where Highway has vectors.
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

/// Paeth's choice, less the corner. The specification takes whichever of left, up and corner is nearest to
/// left + up − corner. That is the smaller of left and up where the corner is not below the larger, or is at least
/// twice as far from the smaller as from the larger; the other way round the larger; and else the corner. So everything
/// stays in eight bits.
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

}  // namespace gpuimg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Vectors of 8-bit pixels (one 32-bit lane per pixel) and their values as float32. Highway's foreach_target includes
// this file once per instruction set. For HWY_SCALAR, only the scalar loops after the vector loops run.
#if defined(GPUIMG_SIMD_PIXELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GPUIMG_SIMD_PIXELS_INL
#undef GPUIMG_SIMD_PIXELS_INL
#else
#define GPUIMG_SIMD_PIXELS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using Shorts = hn::Repartition<std::int16_t, Floats>;  ///< two per 32-bit lane
using Words = hn::RebindToUnsigned<Floats>;
using AllBytes = hn::Repartition<std::uint8_t, Floats>;  ///< a full vector of bytes
using Bytes = hn::Rebind<std::uint8_t, Floats>;          ///< one byte per 32-bit lane
using Float = hn::Vec<Floats>;
using Int = hn::Vec<Ints>;
using Short = hn::Vec<Shorts>;

HWY_INLINE Int ints_of(const std::uint8_t* bytes) { return hn::PromoteTo(Ints(), hn::LoadU(Bytes(), bytes)); }

/// Refines the processor's estimate to a relative error below 2⁻²⁰.
HWY_INLINE Float approximate_reciprocal(Float x) {
  const auto refined = [&](Float y) { return hn::Mul(y, hn::NegMulAdd(x, y, hn::Set(Floats(), 2.0F))); };
  const Float once = refined(hn::ApproximateReciprocal(x));
#if HWY_ARCH_ARM
  return refined(once);  // ARM estimates have 8 bits, x86 estimates 12 or 14
#else
  return once;
#endif
}

/// The integer n nearest to a float32 in ±2²¹ (ties to even), in the lowest 22 bits. Adding 3·2²² leaves n in the low
/// bits.
HWY_INLINE Int rounded_bits(Float x) { return hn::BitCast(Ints(), hn::Add(x, hn::Set(Floats(), 0x3p22F))); }

/// Vector loops require this many more pixels after the current vector. Loads and stores of three channels access a
/// full vector but use only three quarters of it. Later stores overwrite the extra bytes.
inline std::size_t pixels_after() { return hn::Lanes(Floats()) / 3 + 1; }

/// Arguments of permuted(): kSpread expands packed 12-byte blocks to 16-byte blocks, and kGather packs them again.
alignas(64) constexpr std::int32_t kSpread[16] = {0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12};
alignas(64) constexpr std::int32_t kGather[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15};
HWY_INLINE Int permuted(Int lanes, const std::int32_t* order) {
  const Ints d;
  const Int last = hn::Set(d, static_cast<std::int32_t>(hn::Lanes(d)) - 1);
  return hn::TableLookupLanes(lanes, hn::IndicesFromVec(d, hn::Min(hn::LoadU(d, order), last)));
}

/// Within each block of 16 bytes, output byte i is input byte order[i], or 0 if order[i] is 0x80.
HWY_INLINE Int shuffled(Int lanes, const std::uint8_t* order) {
  const AllBytes d8;
  return hn::BitCast(Ints(), hn::TableLookupBytesOr0(hn::BitCast(d8, lanes), hn::LoadDup128(d8, order)));
}
constexpr std::uint8_t kNone = 0x80;
alignas(16) constexpr std::uint8_t kThreeToFour[16] = {0, 1, 2, kNone, 3, 4,  5,  kNone,
                                                       6, 7, 8, kNone, 9, 10, 11, kNone};
alignas(16) constexpr std::uint8_t kFourToThree[16] = {0,  1,  2,  4,  5,     6,     8,     9,
                                                       10, 12, 13, 14, kNone, kNone, kNone, kNone};

/// Loads pixels as 32-bit words, with r in the lowest byte and alpha or 0 in the highest. Prefetches explicitly,
/// because loading 48 of every 64 bytes defeats the hardware prefetcher: luma of 16.8 MP took 4.0 ms without
/// prefetching and 2.9 ms with it (Xeon with AVX-512, 2026-11-21).
template <int channels>
HWY_INLINE Int load_words(const std::uint8_t* from) {
  constexpr std::size_t kBytesAhead = 2048;
  hwy::Prefetch(from + kBytesAhead);
  const Int words = hn::BitCast(Ints(), hn::LoadU(AllBytes(), from));
  return channels == 4 ? words : shuffled(permuted(words, kSpread), kThreeToFour);
}

template <int channels>
HWY_INLINE void store_words(Int words, std::uint8_t* to) {
  const Int stored = channels == 4 ? words : permuted(shuffled(words, kFourToThree), kGather);
  hn::StoreU(hn::BitCast(AllBytes(), stored), AllBytes(), to);
}

/// Puts a pair of 16-bit values into every 32-bit lane.
HWY_INLINE Short short_pairs(int low, int high) {
  const std::uint32_t both = (static_cast<std::uint32_t>(high) << 16) | (static_cast<std::uint32_t>(low) & 0xFFFFU);
  return hn::BitCast(Shorts(), hn::Set(Ints(), static_cast<std::int32_t>(both)));
}

template <int byte>
HWY_INLINE Int channel_of(Int words) {
  return hn::And(hn::ShiftRight<8 * byte>(words), hn::Set(Ints(), 0xFF));
}

/// Keeps only alpha, in its byte.
HWY_INLINE Int alpha_of(Int words) { return hn::AndNot(hn::Set(Ints(), 0xFFFFFF), words); }

#endif
}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

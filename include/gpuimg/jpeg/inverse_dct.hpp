// The inverse DCT of libjpeg's "islow" method, to the bit: Loeffler, Ligtenberg and Moschytz 1989, in 13-bit fixed
// point, columns first.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/layout.hpp"

namespace gpuimg::jpeg {

/// libjpeg-turbo's SIMD code multiplies and adds in 16 bits. While the magnitudes of a column's inputs, and then of a
/// row's, add up to no more than this, nothing wraps or saturates there, and its pixels are the ones computed here.
constexpr std::uint32_t kMaxMagnitudes = 32767;

/// True if the magnitudes of eight numbers add up to more than kMaxMagnitudes. Coefficients times kMaxJpegStep add up
/// to less than 2³²; the rows of a block with a wild column may wrap, but that block is found already.
GPUIMG_HD inline bool is_wild(const std::int32_t v[kBlockSide]) {
  std::uint32_t sum = 0;
  for (int i = 0; i < kBlockSide; ++i) {
#ifdef __CUDA_ARCH__
    sum = __sad(v[i], 0, sum);
#else
    sum += v[i] < 0 ? 0U - static_cast<std::uint32_t>(v[i]) : static_cast<std::uint32_t>(v[i]);
#endif
  }
  return sum > kMaxMagnitudes;
}

/// Transforms eight numbers in place, divides by 2^kShift with rounding, and adds kOffset. Modulo 2³² inside, so wild
/// numbers give arbitrary results and no overflow.
template <int kShift, int kOffset>
GPUIMG_HD inline void inverse_dct_1d(std::int32_t v[kBlockSide]) {
  using Word = std::uint32_t;  // wraps
  Word x[kBlockSide];
  for (int i = 0; i < kBlockSide; ++i) {
    x[i] = static_cast<Word>(v[i]);
  }
  // Constants times 2¹³, named in jidctint.c after their values: 4433 is 0.541196100, 15137 is 1.847759065 …
  const Word even = (x[2] + x[6]) * 4433U;
  const Word even2 = even - x[6] * 15137U;
  const Word even3 = even + x[2] * 6270U;
  constexpr Word kRounding = (1U << (kShift - 1)) + (static_cast<Word>(kOffset) << kShift);
  const Word sum = ((x[0] + x[4]) << 13) + kRounding;
  const Word difference = ((x[0] - x[4]) << 13) + kRounding;
  const Word a0 = sum + even3;
  const Word a3 = sum - even3;
  const Word a1 = difference + even2;
  const Word a2 = difference - even2;
  const Word z1 = (x[7] + x[1]) * (0U - 7373U);
  const Word z2 = (x[5] + x[3]) * (0U - 20995U);
  const Word z5 = (x[7] + x[3] + x[5] + x[1]) * 9633U;
  const Word z3 = z5 - (x[7] + x[3]) * 16069U;
  const Word z4 = z5 - (x[5] + x[1]) * 3196U;
  const Word b0 = x[7] * 2446U + z1 + z3;
  const Word b1 = x[5] * 16819U + z2 + z4;
  const Word b2 = x[3] * 25172U + z2 + z3;
  const Word b3 = x[1] * 12299U + z1 + z4;
  const Word out[kBlockSide] = {a0 + b3, a1 + b2, a2 + b1, a3 + b0, a3 - b0, a2 - b1, a1 - b2, a0 - b3};
  for (int i = 0; i < kBlockSide; ++i) {
    v[i] = static_cast<std::int32_t>(out[i]) >> kShift;
  }
}

/// One column of a block: dequantizes eight coefficients and transforms them. Returns false if they are wild.
GPUIMG_HD inline bool inverse_dct_column(const std::int16_t coefficients[kBlockSide],
                                         const std::uint16_t steps[kBlockSide], std::int32_t column[kBlockSide]) {
  constexpr int kShift = 13 - 2;  // two bits more than pixels have, for the rows
  for (int i = 0; i < kBlockSide; ++i) {
    column[i] = coefficients[i] * static_cast<std::int32_t>(steps[i]);
  }
  const bool is_tame = !is_wild(column);
  inverse_dct_1d<kShift, 0>(column);
  return is_tame;
}

/// One row of columns that are transformed: gives samples, still to be clamped to 0 … 255. Returns false if it is wild.
GPUIMG_HD inline bool inverse_dct_row(std::int32_t row[kBlockSide]) {
  constexpr int kShift = 13 + 2 + 3;
  constexpr int kLevelShift = 128;
  const bool is_tame = !is_wild(row);
  inverse_dct_1d<kShift, kLevelShift>(row);
  return is_tame;
}

GPUIMG_HD inline std::uint8_t clamp_sample(std::int32_t value) {
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Four clamped samples, the first in the low byte.
GPUIMG_HD inline std::uint32_t pack_clamped(std::int32_t v0, std::int32_t v1, std::int32_t v2, std::int32_t v3) {
#ifdef __CUDA_ARCH__
  std::uint32_t high = 0;
  std::uint32_t packed = 0;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(v3), "r"(v2), "r"(0));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(v1), "r"(v0), "r"(high));
  return packed;
#else
  return clamp_sample(v0) | std::uint32_t{clamp_sample(v1)} << 8 | std::uint32_t{clamp_sample(v2)} << 16 |
         std::uint32_t{clamp_sample(v3)} << 24;
#endif
}

}  // namespace gpuimg::jpeg

// Turns coefficients into pixels, as libjpeg-turbo does by default: inverse DCT ("islow"), triangle ("fancy") chroma
// upsampling, and YCbCr to RGB in 16-bit fixed point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host_device.hpp"
#include "jpeg/layout.hpp"

namespace gpuimg::jpeg {

// --- The inverse DCT, bit-exact: Loeffler, Ligtenberg and Moschytz 1989, in 13-bit fixed point, columns first --------

/// libjpeg-turbo's SIMD code multiplies and adds in 16 bits. It gives the same pixels as the code here if nothing wraps
/// or saturates. That is certain if the magnitudes of the inputs sum to at most this limit, in every column and then in
/// every row.
constexpr std::uint32_t kMaxMagnitudes = 32767;

/// True if the magnitudes of eight numbers sum to more than kMaxMagnitudes. Products of coefficients and steps up to
/// kMaxJpegStep sum to less than 2³². The sums of rows may wrap in a block with a wild column, but such a block has
/// already been reported.
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

/// Transforms eight numbers in place, divides by 2^kShift with rounding, and adds kOffset. Computes modulo 2³², so that
/// wild numbers give arbitrary results but never undefined behavior.
template <int kShift, int kOffset>
GPUIMG_HD inline void inverse_dct_1d(std::int32_t v[kBlockSide]) {
  using Word = std::uint32_t;  // wraps
  Word x[kBlockSide];
  for (int i = 0; i < kBlockSide; ++i) {
    x[i] = static_cast<Word>(v[i]);
  }
  // Constants times 2¹³. jidctint.c names each after its value: 4433 is 0.541196100, 15137 is 1.847759065 …
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

/// Dequantizes and transforms one column of a block. Returns false if the column is wild.
GPUIMG_HD inline bool inverse_dct_column(const std::int16_t coefficients[kBlockSide],
                                         const std::uint16_t steps[kBlockSide], std::int32_t column[kBlockSide]) {
  constexpr int kShift = 13 - 2;  // keeps two extra bits for the pass over rows
  for (int i = 0; i < kBlockSide; ++i) {
    column[i] = coefficients[i] * static_cast<std::int32_t>(steps[i]);
  }
  const bool is_tame = !is_wild(column);
  inverse_dct_1d<kShift, 0>(column);
  return is_tame;
}

/// Transforms one row, after the columns. The caller must clamp the samples to 0 … 255. Returns false if the row is
/// wild.
GPUIMG_HD inline bool inverse_dct_row(std::int32_t row[kBlockSide]) {
  constexpr int kShift = 13 + 2 + 3;
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

// --- From planes of samples to pixels --------------------------------------------------------------------------------

/// A decoded component. `width` and `height` do not include samples that only fill up blocks.
struct SamplePlane {
  const std::uint8_t* samples = nullptr;
  std::uint32_t pitch = 0;
  int width = 0;
  int height = 0;
};

constexpr int kPixelRun = 8;

GPUIMG_HD inline int clamp_index(int i, int count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

/// Four adjacent samples, the first in the low byte. The address must be a multiple of 4.
GPUIMG_HD inline std::uint32_t four_samples(const std::uint8_t* at) {
  std::uint32_t word = 0;
#ifdef __CUDA_ARCH__
  word = *reinterpret_cast<const std::uint32_t*>(at);
#else
  std::memcpy(&word, at, sizeof(word));
#endif
  return word;
}

/// Two of the four samples as 16-bit halves of a word: the first two, or the last two.
GPUIMG_HD inline std::uint32_t first_two(std::uint32_t four) { return (four & 0xFFU) | (four & 0xFF00U) << 8; }
GPUIMG_HD inline std::uint32_t last_two(std::uint32_t four) { return (four >> 16 & 0xFFU) | (four >> 8 & 0xFF0000U); }

/// A row of chroma samples: from one row of the plane, or from two rows weighted 3:1.
template <int kVertical>
struct ChromaRow {
  const std::uint8_t* near = nullptr;
  const std::uint8_t* far = nullptr;  ///< not read if kVertical is 1
  int width = 0;

  [[nodiscard]] GPUIMG_HD std::uint32_t at(int column) const {
    const int i = clamp_index(column, width);
    return kVertical == 1 ? near[i] : 3U * near[i] + far[i];
  }
  /// Four adjacent columns, two per word. In the last block of a plane, columns beyond its width are meaningless.
  GPUIMG_HD void four_at(int column, std::uint32_t pairs[2]) const {
    const std::uint32_t nears = four_samples(near + column);
    const std::uint32_t fars = kVertical == 1 ? 0 : four_samples(far + column);
    pairs[0] = kVertical == 1 ? first_two(nears) : 3 * first_two(nears) + first_two(fars);
    pairs[1] = kVertical == 1 ? last_two(nears) : 3 * last_two(nears) + last_two(fars);
  }
};

/// Stores the two values of a word, shifted, in out[0] and out[2].
GPUIMG_HD inline void unpack_two(std::uint32_t pair, int shift, std::uint32_t out[3]) {
  out[0] = (pair & 0xFFFFU) >> shift;
  out[2] = pair >> (16 + shift);
}

/// Chroma of the pixels x … x + 7 of a row; x must be a multiple of 8. In each subsampled direction, the nearer sample
/// counts 3/4 and the farther one 1/4; at the edges of the plane, the last sample replaces the missing one. The
/// direction of rounding alternates. In planes at most two samples wide, samples are repeated along rows instead of
/// interpolated. Values for pixels beyond the plane are arbitrary.
template <int kHorizontal, int kVertical>
GPUIMG_HD inline void upsample(const SamplePlane& plane, int x, int y, std::uint32_t out[kPixelRun]) {
  constexpr int kFancyWidth = 3;
  const bool repeats = kHorizontal == 2 && plane.width < kFancyWidth;
  const int row = kVertical == 1 ? y : y >> 1;
  const int other = kVertical == 1 || repeats ? row : clamp_index(y % 2 == 0 ? row - 1 : row + 1, plane.height);
  const ChromaRow<kVertical> samples = {plane.samples + static_cast<std::size_t>(row) * plane.pitch,
                                        plane.samples + static_cast<std::size_t>(other) * plane.pitch, plane.width};
  if constexpr (kHorizontal == 1) {
    for (int i = 0; i < kPixelRun; i += 4) {
      std::uint32_t pairs[2];
      samples.four_at(x + i, pairs);
      for (int k = 0; k < 2; ++k) {
        const std::uint32_t sums = kVertical == 1 ? pairs[k] : pairs[k] + (y % 2 == 0 ? 0x00010001U : 0x00020002U);
        out[i + 2 * k] = (sums & 0xFFFFU) >> (kVertical == 1 ? 0 : 2);
        out[i + 2 * k + 1] = sums >> (kVertical == 1 ? 16 : 18);
      }
    }
  } else if (repeats) {
    for (int i = 0; i < kPixelRun; ++i) {
      out[i] = samples.near[clamp_index((x + i) / 2, plane.width)];
    }
  } else {
    constexpr int kShift = kVertical == 1 ? 2 : 4;
    constexpr std::uint32_t kLeft = kVertical == 1 ? 1 : 8;  // rounding of the pixel with the neighbor on its left
    constexpr std::uint32_t kRight = kVertical == 1 ? 2 : 7;
    constexpr std::uint32_t kBoth = 0x00010001U;
    const int first = x >> 1;
    std::uint32_t pairs[2];
    if (first + 4 <= plane.width) {
      samples.four_at(first, pairs);
    } else {  // at the right edge: the last samples are repeated
      pairs[0] = samples.at(first) | samples.at(first + 1) << 16;
      pairs[1] = samples.at(first + 2) | samples.at(first + 3) << 16;
    }
    const std::uint32_t middle = pairs[0] >> 16 | pairs[1] << 16;
    const std::uint32_t before = samples.at(first - 1) | pairs[0] << 16;
    const std::uint32_t after = pairs[1] >> 16 | samples.at(first + 4) << 16;
    unpack_two(3 * pairs[0] + before + kLeft * kBoth, kShift, out);
    unpack_two(3 * pairs[0] + middle + kRight * kBoth, kShift, out + 1);
    unpack_two(3 * pairs[1] + middle + kLeft * kBoth, kShift, out + 4);
    unpack_two(3 * pairs[1] + after + kRight * kBoth, kShift, out + 5);
  }
}

/// Red, green and blue before clamping.
struct RgbSums {
  std::int32_t r = 0;
  std::int32_t g = 0;
  std::int32_t b = 0;
};

/// Full-range BT.601 in units of 1/65536: JFIF 1.02. Each of red, green and blue is rounded once.
GPUIMG_HD inline RgbSums rgb_of_ycc(std::uint32_t y, std::uint32_t cb, std::uint32_t cr) {
  constexpr std::int32_t kHalf = 1 << 15;
  constexpr std::int32_t kRed = 91881;
  constexpr std::int32_t kBlue = 116130;
  constexpr std::int32_t kGreenOfBlue = -22554;
  constexpr std::int32_t kGreenOfRed = -46802;
  const auto luma = static_cast<std::int32_t>(y << 16);
  const auto blue = static_cast<std::int32_t>(cb);
  const auto red = static_cast<std::int32_t>(cr);
  return {(luma + kRed * red + (kHalf - 128 * kRed)) >> 16,
          (luma + kGreenOfBlue * blue + kGreenOfRed * red + (kHalf - 128 * (kGreenOfBlue + kGreenOfRed))) >> 16,
          (luma + kBlue * blue + (kHalf - 128 * kBlue)) >> 16};
}

/// Eight pixels as the 24 bytes R, G, B, R … `luma` holds four samples per word.
GPUIMG_HD inline void rgb_run(const std::uint32_t luma[2], const std::uint32_t cb[kPixelRun],
                              const std::uint32_t cr[kPixelRun], std::uint32_t out[6]) {
  for (int half = 0; half < 2; ++half) {
    RgbSums p[4];
    for (int i = 0; i < 4; ++i) {
      p[i] = rgb_of_ycc(luma[half] >> (8 * i) & 0xFFU, cb[4 * half + i], cr[4 * half + i]);
    }
    out[3 * half] = pack_clamped(p[0].r, p[0].g, p[0].b, p[1].r);
    out[3 * half + 1] = pack_clamped(p[1].g, p[1].b, p[2].r, p[2].g);
    out[3 * half + 2] = pack_clamped(p[2].b, p[3].r, p[3].g, p[3].b);
  }
}

}  // namespace gpuimg::jpeg

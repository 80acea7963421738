// From planes of samples to pixels, as libjpeg-turbo does by default: triangle ("fancy") chroma upsampling, YCbCr to
// RGB in 16-bit fixed point, and EXIF orientation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/inverse_dct.hpp"

namespace gpuimg::jpeg {

/// A decoded component. `width` and `height` leave out the samples that only fill blocks.
struct SamplePlane {
  const std::uint8_t* samples = nullptr;
  std::uint32_t pitch = 0;
  int width = 0;
  int height = 0;
};

constexpr int kPixelRun = 8;

GPUIMG_HD inline int clamp_index(int i, int count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

/// Four samples in a row, the first in the low byte. The address is a multiple of 4.
GPUIMG_HD inline std::uint32_t four_samples(const std::uint8_t* at) {
  std::uint32_t word = 0;
#ifdef __CUDA_ARCH__
  word = *reinterpret_cast<const std::uint32_t*>(at);
#else
  std::memcpy(&word, at, sizeof(word));
#endif
  return word;
}

/// Two of them as 16-bit halves of a word: the first two, or the last two.
GPUIMG_HD inline std::uint32_t first_two(std::uint32_t four) { return (four & 0xFFU) | (four & 0xFF00U) << 8; }
GPUIMG_HD inline std::uint32_t last_two(std::uint32_t four) { return (four >> 16 & 0xFFU) | (four >> 8 & 0xFF0000U); }

/// A row of chroma: samples of one row of the plane, or of two rows weighted 3:1.
template <int kVertical>
struct ChromaRow {
  const std::uint8_t* near = nullptr;
  const std::uint8_t* far = nullptr;  ///< not read if kVertical is 1
  int width = 0;

  [[nodiscard]] GPUIMG_HD std::uint32_t at(int column) const {
    const int i = clamp_index(column, width);
    return kVertical == 1 ? near[i] : 3U * near[i] + far[i];
  }
  /// Four columns, two a word. Of a plane's last block, those beyond its width are not of use.
  GPUIMG_HD void four_at(int column, std::uint32_t pairs[2]) const {
    const std::uint32_t nears = four_samples(near + column);
    const std::uint32_t fars = kVertical == 1 ? 0 : four_samples(far + column);
    pairs[0] = kVertical == 1 ? first_two(nears) : 3 * first_two(nears) + first_two(fars);
    pairs[1] = kVertical == 1 ? last_two(nears) : 3 * last_two(nears) + last_two(fars);
  }
};

/// The first of two values that a word holds is even in out, the other one two places later.
GPUIMG_HD inline void unpack_two(std::uint32_t pair, int shift, std::uint32_t out[3]) {
  out[0] = (pair & 0xFFFFU) >> shift;
  out[2] = pair >> (16 + shift);
}

/// Chroma of the pixels x … x + 7 of a row, x being a multiple of 8. Samples are weighted 3:1 with their nearest
/// neighbor in each direction that is subsampled; at the edges of the plane the last sample stands for its neighbor.
/// The rounding alternates. Planes at most two samples wide are repeated instead of interpolated along rows. The values
/// of pixels beyond the plane are arbitrary.
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
    } else {  // the last samples are repeated
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

/// Not clamped.
struct RgbSums {
  std::int32_t r = 0;
  std::int32_t g = 0;
  std::int32_t b = 0;
};

/// BT.601 over the full range, in 1/65536: JFIF 1.02. Red and blue are rounded each, green once.
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

/// Eight pixels as the 24 bytes R, G, B, R …; `luma` holds four samples a word.
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

/// Which stored pixel becomes pixel (x, y) of the upright picture: origin + x·along_x + y·along_y, in pixels.
struct Orientation {
  std::int64_t origin = 0;
  std::int64_t along_x = 1;
  std::int64_t along_y = 0;
};

/// EXIF 2.3, tag 0x0112. The size is that of the stored pixels; any other value than 2 … 8 changes nothing.
inline Orientation orientation_of(int exif, std::int64_t width, std::int64_t height) {
  const std::int64_t right = width - 1;
  const std::int64_t bottom = (height - 1) * width;
  switch (exif) {
    case 2: return {right, -1, width};
    case 3: return {bottom + right, -1, -width};
    case 4: return {bottom, 1, -width};
    case 5: return {0, width, 1};
    case 6: return {bottom, -width, 1};
    case 7: return {bottom + right, -width, -1};
    case 8: return {right, width, -1};
    default: return {0, 1, width};
  }
}

inline bool swaps_sides(int exif) { return exif >= 5 && exif <= 8; }

}  // namespace gpuimg::jpeg

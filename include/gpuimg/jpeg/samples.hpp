// From pixels to samples, as libjpeg-turbo does: RGB to YCbCr in 16-bit fixed point, then means of chroma.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"

namespace gpuimg::jpeg {

struct Chroma {
  std::int32_t cb = 0;
  std::int32_t cr = 0;

  GPUIMG_HD Chroma& operator+=(const Chroma& other) {
    cb += other.cb;
    cr += other.cr;
    return *this;
  }
};

// BT.601 over the full range, in 1/65536: JFIF 1.02. The rounding is that of jccolor.c: chroma rounds halves down.

GPUIMG_HD inline std::int32_t luma_of_rgb(std::int32_t r, std::int32_t g, std::int32_t b) {
  return (19595 * r + 38470 * g + 7471 * b + (1 << 15)) >> 16;
}

GPUIMG_HD inline Chroma chroma_of_rgb(std::int32_t r, std::int32_t g, std::int32_t b) {
  constexpr std::int32_t kOffset = (128 << 16) + (1 << 15) - 1;
  return {(-11059 * r - 21709 * g + 32768 * b + kOffset) >> 16, (32768 * r - 27439 * g - 5329 * b + kOffset) >> 16};
}

/// The mean of kHorizontal × kVertical samples, given their sum. Where pairs of a row are added up, columns round down
/// and up by turns; with 1 × 2, halves are rounded up.
template <int kHorizontal, int kVertical>
GPUIMG_HD inline std::int32_t mean_sample(std::int32_t sum, int column) {
  if constexpr (kHorizontal == 1) {
    return kVertical == 1 ? sum : (sum + 1) >> 1;
  } else {
    constexpr int kShift = kVertical;
    return (sum + column % 2 + (kVertical - 1)) >> kShift;
  }
}

constexpr std::int32_t kLevelShift = 128;  ///< the forward DCT takes samples less this

/// The row of chroma means that stands for `row`: rows below the picture repeat the last one that has a pixel. Pixels
/// beyond the right and the bottom edge repeat the last one before means are taken, so the two differ.
GPUIMG_HD inline int chroma_row(int row, int plane_height) { return row < plane_height ? row : plane_height - 1; }

}  // namespace gpuimg::jpeg

// From planes of samples to pixels, as libjpeg-turbo does by default: triangle ("fancy") chroma upsampling, YCbCr to
// RGB in 16-bit fixed point, and EXIF orientation.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// Chroma of the pixels x … x + 7 of a row, x being a multiple of 8. Samples are weighted 3:1 with their nearest
/// neighbor in each direction that is subsampled; at the edges of the plane the last sample stands for its neighbor.
/// The rounding alternates. Planes at most two samples wide are repeated instead of interpolated along rows.
template <int kHorizontal, int kVertical>
GPUIMG_HD inline void upsample(const SamplePlane& plane, int x, int y, std::uint32_t out[kPixelRun]) {
  constexpr int kFancyWidth = 3;
  const bool repeats = kHorizontal == 2 && plane.width < kFancyWidth;
  const int row = y / kVertical;
  const int other = kVertical == 1 || repeats ? row : clamp_index(y % 2 == 0 ? row - 1 : row + 1, plane.height);
  const std::uint8_t* near = plane.samples + static_cast<std::size_t>(row) * plane.pitch;
  const std::uint8_t* far = plane.samples + static_cast<std::size_t>(other) * plane.pitch;
  const auto sample = [&](int column) -> std::uint32_t {
    const int i = clamp_index(column, plane.width);
    return kVertical == 1 ? near[i] : 3U * near[i] + far[i];
  };
  if constexpr (kHorizontal == 1) {
    for (int i = 0; i < kPixelRun; ++i) {
      out[i] = kVertical == 1 ? sample(x + i) : (sample(x + i) + (y % 2 == 0 ? 1U : 2U)) >> 2;
    }
  } else if (repeats) {
    for (int i = 0; i < kPixelRun; ++i) {
      out[i] = near[clamp_index((x + i) / 2, plane.width)];
    }
  } else {
    constexpr int kShift = kVertical == 1 ? 2 : 4;
    constexpr std::uint32_t kLeft = kVertical == 1 ? 1 : 8;  // rounding of the pixel with the neighbor on its left
    constexpr std::uint32_t kRight = kVertical == 1 ? 2 : 7;
    std::uint32_t before = sample(x / 2 - 1);
    std::uint32_t here = sample(x / 2);
    for (int i = 0; i < kPixelRun / 2; ++i) {
      const std::uint32_t after = sample(x / 2 + i + 1);
      out[2 * i] = (3 * here + before + kLeft) >> kShift;
      out[2 * i + 1] = (3 * here + after + kRight) >> kShift;
      before = here;
      here = after;
    }
  }
}

struct Rgb8 {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
};

/// BT.601 over the full range, in 1/65536: JFIF 1.02. Red and blue are rounded each, green once.
GPUIMG_HD inline Rgb8 rgb_of_ycc(std::uint32_t y, std::uint32_t cb, std::uint32_t cr) {
  constexpr int kHalf = 1 << 15;
  const auto luma = static_cast<std::int32_t>(y);
  const std::int32_t blue = static_cast<std::int32_t>(cb) - 128;
  const std::int32_t red = static_cast<std::int32_t>(cr) - 128;
  return {clamp_sample(luma + ((91881 * red + kHalf) >> 16)),
          clamp_sample(luma + ((-22554 * blue - 46802 * red + kHalf) >> 16)),
          clamp_sample(luma + ((116130 * blue + kHalf) >> 16))};
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

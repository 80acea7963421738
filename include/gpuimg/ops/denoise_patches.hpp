// Non-local means as warps of device threads compute it: planes with a border, and which pixels a warp makes.
// Specified in docs/operations.md, "Denoising". The kernels are in cuda/denoise.cu; tests run their twin on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/denoise.hpp"

namespace gpuimg {

inline constexpr int kDenoiseWarps = 4;  ///< of a block, side by side
inline constexpr int kDenoiseLanes = 32;

/// Rows that a warp makes: as many as fit the registers of its lanes.
template <class T, int colors>
inline constexpr int kDenoiseRows = sizeof(T) == 1 && colors == 1 ? 16 : 8;
inline constexpr int kMostDenoiseRows = 16;

/// Columns that a warp makes: its outermost lanes only add to the patches of the others.
GPUIMG_HD constexpr int denoise_columns(int patch) { return kDenoiseLanes - patch / 2 * 2; }

GPUIMG_HD constexpr int whole_units(int size, int unit) { return (size + unit - 1) / unit * unit; }

/// The color channels, one plane each, continued by reflection to the size that whole blocks read.
template <class T>
struct DenoisePlanes {
  T* samples = nullptr;
  int pitch = 0;  ///< samples from row to row
  int rows = 0;   ///< of each plane
  int border = 0;

  /// Without samples. Room for the blocks of every patch, and the border of both windows.
  static DenoisePlanes layout(int width, int height, const DenoiseOptions& options) {
    const int border = halo_rows(options);
    return {nullptr, width + kDenoiseLanes * kDenoiseWarps + 2 * border, height + kMostDenoiseRows + 2 * border,
            border};
  }

  [[nodiscard]] GPUIMG_HD std::size_t plane_samples() const {
    return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows);
  }
  /// The sample of plane 0 at a pixel, which may be in the border.
  [[nodiscard]] GPUIMG_HD const T* at(int x, int y) const {
    return samples + static_cast<std::size_t>(y + border) * static_cast<std::size_t>(pitch) + (x + border);
  }
};

/// What a pair of samples adds to the distance of two patches.
template <class T>
GPUIMG_HD constexpr std::int32_t denoise_difference(std::int32_t a, std::int32_t b) {
  const std::int32_t d = a - b;
  return sizeof(T) == 1 ? d * d : (d < 0 ? -d : d);
}

}  // namespace gpuimg

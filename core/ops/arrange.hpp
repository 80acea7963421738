// Crop, rotate and flip: which pixel of the input becomes each pixel of the result. Specified in docs/operations.md,
// "Crop, rotate, flip". The kernels are in cuda/arrange.cu and opencl/kernels/arrange.cl; tests run MovedPixels on the
// host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/arrange.hpp"
#include "host_device.hpp"
#include "orientation.hpp"

namespace gpuimg {

/// For an image of this size, the input pixel of each result pixel.
inline Orientation walk_of(int width, int height, const CropOptions& options) {
  const Rect box = crop_box(width, height, options);
  return {std::int64_t{box.y} * width + box.x, 1, width};
}

inline Orientation walk_of(int width, int height, const TurnOptions& options) {
  const auto exif = [&] {
    switch (options.turn) {
      case Turn::rotate90: return 6;
      case Turn::rotate180: return 3;
      case Turn::rotate270: return 8;
      case Turn::flip_horizontal: return 2;
      case Turn::flip_vertical: break;
    }
    return 4;
  };
  return orientation_of(exif(), width, height);
}

/// Copies the samples of pixel (x, y) of the result.
template <class T, int channels>
struct MovedPixels {
  const T* in = nullptr;
  T* out = nullptr;
  std::int64_t width = 0;  ///< width of the result
  Orientation walk;

  GPUIMG_HD void operator()(int x, int y) const {
    const T* from = in + channels * (walk.origin + x * walk.along_x + y * walk.along_y);
    T* to = out + channels * (y * width + x);
    for (int c = 0; c < channels; ++c) {
      to[c] = from[c];
    }
  }
};

}  // namespace gpuimg

// The test image of `doctor` and `bench`.
#pragma once

#include "gpuimg/image.hpp"

namespace gpuimg {

/// An image with smooth shading, edges, noise, saturated colors and, with alpha, transparent pixels. The same seed
/// gives the same pixels everywhere. width, height ≥ 1; format photographic.
Image selftest_image(int width, int height, PixelFormat format, unsigned seed);

}  // namespace gpuimg

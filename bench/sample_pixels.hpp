// Generates the pictures for timing, on the device. Deterministic: equal arguments give equal bytes.
#pragma once

#include <memory>

#include "bench/operation.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::bench {

/// `format` must be photographic. Noise: uniform in every sample. Constant: one color. Photo: smooth noise of many
/// octaves, shading and a little grain. Posterized: the same photo with 8 gray levels whose values are equal modulo 32
/// (modulo 8192 at 16 bits). Alpha is opaque.
Picture sample_picture(const std::shared_ptr<cuda::Device>& device, int width, int height, PixelFormat format,
                       Distribution distribution, std::uint32_t seed);

Picture copy_of(const std::shared_ptr<cuda::Device>& device, const Picture& picture);

/// Copies a picture to host memory.
Image download(const cuda::Device& device, const Picture& picture);

}  // namespace gpuimg::bench

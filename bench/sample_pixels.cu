// Generates sample pictures from value noise on the device.
#include <algorithm>
#include <cstdint>

#include "bench/sample_pixels.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"

namespace gpuimg::bench {
namespace {

struct Scene {
  Distribution distribution;
  std::uint32_t seed;
  int width;
  int height;
  int channels;
};

__device__ std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352DU;
  x = (x ^ (x >> 15)) * 0x846CA68BU;
  return x ^ (x >> 16);
}

/// Uniform in [0,1), with 24 bits.
__device__ float uniform(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
  return static_cast<float>(mixed(mixed(x + 0x9E3779B9U * seed) ^ (y * 0x85EBCA6BU + seed)) >> 8) * 0x1p-24F;
}

/// Interpolates smoothly between random values at integer x and y.
__device__ float smooth_noise(float x, float y, std::uint32_t seed) {
  const float left = floorf(x);
  const float top = floorf(y);
  const auto ix = static_cast<std::uint32_t>(left);
  const auto iy = static_cast<std::uint32_t>(top);
  const float u = x - left;
  const float v = y - top;
  const float wide = u * u * (3.0F - 2.0F * u);
  const float high = v * v * (3.0F - 2.0F * v);
  const float above = (1.0F - wide) * uniform(ix, iy, seed) + wide * uniform(ix + 1, iy, seed);
  const float below = (1.0F - wide) * uniform(ix, iy + 1, seed) + wide * uniform(ix + 1, iy + 1, seed);
  return (1.0F - high) * above + high * below;
}

/// About 0.05 to 0.95: octaves of noise down to a few pixels, lighter toward the top.
__device__ float photo_level(const Scene& scene, int x, int y) {
  constexpr int kOctaves = 8;
  const float scale = 3.0F / static_cast<float>(scene.height > scene.width ? scene.height : scene.width);
  float frequency = scale;
  float amplitude = 0.5F;
  float level = 0.0F;
  for (int octave = 0; octave < kOctaves; ++octave) {
    level += amplitude * smooth_noise(static_cast<float>(x) * frequency, static_cast<float>(y) * frequency,
                                      scene.seed + static_cast<std::uint32_t>(octave));
    frequency *= 2.0F;
    amplitude *= 0.5F;
  }
  const float fine = smooth_noise(static_cast<float>(x) / 3.0F, static_cast<float>(y) / 3.0F, scene.seed + 20);
  const float shade = 1.0F - static_cast<float>(y) / static_cast<float>(scene.height);
  return 0.05F + 0.65F * level + 0.05F * fine + 0.2F * shade;
}

/// The level of one channel, in [0,1).
__device__ float channel_of(const Scene& scene, int x, int y, int channel, float level) {
  const auto ux = static_cast<std::uint32_t>(x);
  const auto uy = static_cast<std::uint32_t>(y);
  const auto uc = static_cast<std::uint32_t>(channel);
  switch (scene.distribution) {
    case Distribution::noise: return uniform(ux, uy, scene.seed + 40 + uc);
    case Distribution::constant: return 0.25F + 0.2F * static_cast<float>(channel);
    case Distribution::photo: {
      const float scale = 5.0F / static_cast<float>(scene.width);
      const float tint =
          smooth_noise(static_cast<float>(x) * scale, static_cast<float>(y) * scale, scene.seed + 30 + uc);
      const float grain = uniform(ux, uy, scene.seed + 50 + uc);
      return level + (scene.channels >= 3 ? 0.2F * (tint - 0.5F) : 0.0F) + 0.012F * (grain - 0.5F);
    }
    case Distribution::posterized: break;
  }
  return level;
}

template <class T>
__device__ T sample_of_level(const Scene& scene, float level) {
  constexpr int kMax = sizeof(T) == 1 ? 255 : 65535;
  if (scene.distribution == Distribution::posterized) {
    constexpr int kStep = (kMax + 1) / 8;
    const int step = min(7, max(0, static_cast<int>(level * 8.0F)));
    return static_cast<T>(step * kStep + 7);
  }
  return static_cast<T>(min(kMax, max(0, static_cast<int>(level * static_cast<float>(kMax + 1)))));
}

/// Thread → one pixel; block → 256 pixels of a row. The grid's y strides over the rows.
template <class T>
__global__ void paint(Scene scene, T* out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= scene.width) {
    return;
  }
  for (int y = static_cast<int>(blockIdx.y); y < scene.height; y += static_cast<int>(gridDim.y)) {
    const bool is_photo = scene.distribution == Distribution::photo || scene.distribution == Distribution::posterized;
    const float level = is_photo ? photo_level(scene, x, y) : 0.0F;
    T* pixel =
        out + (static_cast<std::size_t>(y) * static_cast<std::size_t>(scene.width) + static_cast<std::size_t>(x)) *
                  static_cast<std::size_t>(scene.channels);
    const int color_channels = scene.channels >= 3 ? 3 : 1;
    for (int c = 0; c < color_channels; ++c) {
      pixel[c] = sample_of_level<T>(scene, channel_of(scene, x, y, c, level));
    }
    if (scene.channels != color_channels) {
      pixel[color_channels] = static_cast<T>(~T{0});
    }
  }
}

}  // namespace

Picture sample_picture(const std::shared_ptr<cuda::Device>& device, int width, int height, PixelFormat format,
                       Distribution distribution, std::uint32_t seed) {
  Picture picture = cuda::new_picture(device, width, height, format);
  const Scene scene{distribution, seed, width, height, format.channels};
  constexpr unsigned kThreads = 256;
  const dim3 blocks((static_cast<unsigned>(width) + kThreads - 1) / kThreads,
                    static_cast<unsigned>(std::min(height, 4096)));
  if (format.sample == Sample::u8) {
    paint<<<blocks, kThreads, 0, device->stream()>>>(scene, reinterpret_cast<std::uint8_t*>(cuda::pixels_of(picture)));
  } else {
    paint<<<blocks, kThreads, 0, device->stream()>>>(scene, reinterpret_cast<std::uint16_t*>(cuda::pixels_of(picture)));
  }
  cuda::check_launch("painting a sample picture");
  return picture;
}

Picture copy_of(const std::shared_ptr<cuda::Device>& device, const Picture& picture) {
  Picture copy = cuda::new_picture(device, picture.width(), picture.height(), picture.format());
  cuda::cuda_check(cudaMemcpyAsync(cuda::pixels_of(copy), cuda::pixels_of(picture), cuda::size_bytes(picture),
                                   cudaMemcpyDeviceToDevice, device->stream()),
                   "copying a picture");
  return copy;
}

Image download(const cuda::Device& device, const Picture& picture) {
  Image image(picture.width(), picture.height(), picture.format());
  cuda::cuda_check(cudaMemcpyAsync(image.view().data, cuda::pixels_of(picture), image.size_bytes(),
                                   cudaMemcpyDeviceToHost, device.stream()),
                   "downloading a picture");
  device.wait();
  return image;
}

}  // namespace gpuimg::bench

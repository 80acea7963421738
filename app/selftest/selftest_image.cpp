// Generates the test image for `doctor` and `bench`.
#include "selftest/selftest_image.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpuimg {
namespace {

/// 32-bit hash with good diffusion (multiply and xor-shift).
std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

/// 0 … 65535: a gradient in a different direction per channel, soft noise, and a disc of pure color in the middle.
std::uint32_t level_at(int x, int y, int channel, int width, int height, unsigned seed) {
  const auto along = static_cast<std::uint64_t>(channel == 1 ? y : x) * 40000U;
  const auto length = static_cast<std::uint64_t>(std::max(1, channel == 1 ? height : width));
  const auto slope = static_cast<std::uint32_t>(along / length);
  const std::uint32_t noise =
      scrambled(static_cast<std::uint32_t>(x) * 3U + scrambled(static_cast<std::uint32_t>(y) + seed) +
                static_cast<std::uint32_t>(channel)) %
      16000U;
  const std::int64_t dx = 2 * static_cast<std::int64_t>(x) - width;
  const std::int64_t dy = 2 * static_cast<std::int64_t>(y) - height;
  const std::int64_t reach = std::min(width, height) / 2;
  if (dx * dx + dy * dy < reach * reach) {
    return channel == static_cast<int>(seed % 3U) ? 65535U : noise / 2U;
  }
  return std::min(65535U, slope + noise + 4000U * static_cast<std::uint32_t>(channel));
}

template <class T>
void fill(View image, unsigned seed) {
  const int colors = image.format.color_channels();
  constexpr int kShift = sizeof(T) == 1 ? 8 : 0;
  for (int y = 0; y < image.height; ++y) {
    T* to = image.row<T>(y);
    for (int x = 0; x < image.width; ++x) {
      for (int channel = 0; channel < colors; ++channel) {
        *to++ = static_cast<T>(level_at(x, y, channel, image.width, image.height, seed) >> kShift);
      }
      if (image.format.has_alpha()) {
        const std::uint32_t alpha = (x / 8 + y / 8) % 5 == 0 ? 0U : level_at(y, x, 2, image.height, image.width, seed);
        *to++ = static_cast<T>(alpha >> kShift);
      }
    }
  }
}

}  // namespace

Image selftest_image(int width, int height, PixelFormat format, unsigned seed) {
  Image image(width, height, format);
  if (format.sample == Sample::u8) {
    fill<std::uint8_t>(image.view(), seed);
  } else {
    fill<std::uint16_t>(image.view(), seed);
  }
  return image;
}

}  // namespace gpuimg

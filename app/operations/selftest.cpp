// Tests backends with known answers, compares two backends, and generates the test image.
#include "operations/selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "operations/operations.hpp"

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

void expect(SelfTestResult& result, bool good, const std::string& what) {
  ++result.checks;
  if (!good) {
    result.failures.push_back(what);
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

SelfTestResult test_known_answers(Backend& backend) {
  SelfTestResult result;
  for (const Operation& operation : operations()) {
    if (operation.is_on(backend.kind())) {
      expect(result, operation.known_answer(backend), std::string(operation.name));
    }
  }
  return result;
}

SelfTestResult test_agreement(Backend& backend, Backend& reference) {
  constexpr std::array<std::pair<int, int>, 4> kSizes = {{{1, 1}, {33, 7}, {257, 31}, {640, 67}}};
  SelfTestResult result;
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const PixelFormat format{sample, channels};
      for (const auto& [width, height] : kSizes) {
        const Image image = selftest_image(width, height, format, static_cast<unsigned>(width + channels));
        const Picture here = backend.upload(image.view());
        const Picture there = reference.upload(image.view());
        for (const Trial& trial : trials_on(backend.kind(), format)) {
          const std::string differs = difference(trial, backend, here, reference, there);
          expect(result, differs.empty(),
                 fmt::format("{} of {}x{}, {} channels of {} bits: {}", trial.name, width, height, channels,
                             8 * sample_bytes(sample), differs));
        }
      }
    }
  }
  return result;
}

}  // namespace gpuimg

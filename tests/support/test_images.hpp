// Test images: random, smooth, constant, posterized, and every color once. Also compares two images.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg::test {

/// A new seed in each run. A failed test prints its seed; GPUIMG_TEST_SEED repeats the run.
class Random {
 public:
  Random();

  /// For SCOPED_TRACE.
  [[nodiscard]] std::string trace() const { return "reproduce with GPUIMG_TEST_SEED=" + std::to_string(seed_); }

  /// A number from 0 to bound − 1.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((engine_() >> 32) * bound >> 32); }

  /// A number from low to high, both included.
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low) + 1)); }

  std::uint64_t bits() { return engine_(); }

 private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

/// u8 and u16, each with 1 to 4 channels.
const std::vector<PixelFormat>& photographic_formats();

std::string name_of(PixelFormat format);

/// Every channel, including alpha, has `value`.
Image constant_image(int width, int height, PixelFormat format, std::uint32_t value);

/// `channels_of(i)` returns the channels of pixel i, row after row.
Image image_of_pixels(int width, int height, PixelFormat format,
                      const std::function<std::vector<std::uint32_t>(std::size_t)>& channels_of);

/// Independent values; a quarter of the alpha values is 0, and a quarter is V.
Image random_image(Random& random, int width, int height, PixelFormat format);

/// Smooth gradients over part of the range, with a little noise.
Image smooth_image(Random& random, int width, int height, PixelFormat format);

/// Few values, all congruent modulo 32.
Image posterized_image(Random& random, int width, int height, PixelFormat format);

/// Every sample is 0 or V. In a JPEG, such images give the largest coefficients.
Image black_and_white_image(Random& random, int width, int height, PixelFormat format);

/// One of the kinds above, except black_and_white_image.
Image any_image(Random& random, int width, int height, PixelFormat format);

/// Every 8-bit level with every alpha, in 256 rows of one alpha each, for a format with alpha. 16-bit samples are the
/// 8-bit samples times 257.
Image levels_by_alphas(PixelFormat format);

/// Makes a random rectangle opaque, if the image has alpha.
void make_area_opaque(Random& random, View pixels);

/// The number of repetitions of a test with random cases: `by_default` times GPUIMG_TEST_TIMES (default 1), and a third
/// of that, at least 1, under a sanitizer.
int rounds(int by_default);

/// u8 with 1 channel. About half of the values are 0, the others 1 … 255.
Image random_mask(Random& random, int width, int height);

/// 4096×4096 8-bit RGB: pixel i has r = i / 65536, g = i / 256 mod 256 and b = i mod 256.
Image all_colors();

/// n×n×n 16-bit colors, one row for each r: every combination of values near 0, V/2 and V, and of random values.
Image edge_colors_16(Random& random);

/// One sample of a u8 or u16 image.
inline std::uint32_t sample_at(ConstView pixels, int x, int y, int channel) {
  const auto i = static_cast<std::size_t>(x) * static_cast<std::size_t>(pixels.format.channels) +
                 static_cast<std::size_t>(channel);
  return pixels.format.sample == Sample::u8 ? pixels.row<std::uint8_t>(y)[i] : pixels.row<std::uint16_t>(y)[i];
}
inline void set_sample(View pixels, int x, int y, int channel, std::uint32_t value) {
  const auto i = static_cast<std::size_t>(x) * static_cast<std::size_t>(pixels.format.channels) +
                 static_cast<std::size_t>(channel);
  if (pixels.format.sample == Sample::u8) {
    pixels.row<std::uint8_t>(y)[i] = static_cast<std::uint8_t>(value);
  } else {
    pixels.row<std::uint16_t>(y)[i] = static_cast<std::uint16_t>(value);
  }
}

/// Success if size, format and bytes are equal; otherwise names the first difference and its coordinates.
::testing::AssertionResult same_pixels(ConstView actual, ConstView expected);

/// Σ byte[i]·weight[i] modulo 2⁶⁴ with weights from SplitMix64; allows comparisons with another program's output.
std::uint64_t checksum(ConstView pixels);

}  // namespace gpuimg::test

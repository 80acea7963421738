// Conversion of CMYK and YCCK JPEG to RGB.
#include <gtest/gtest.h>

#include <cmath>

#include "codecs/stored_samples.hpp"
#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_inks {
using namespace codecs;

namespace {

using namespace test;

constexpr PixelFormat kRgb{Sample::u8, 3};

/// The formula of docs/operations.md: the share of light that passes each ink, times the share that passes black.
Image rgb_of_cmyk(ConstView cmyk) {
  Image rgb(cmyk.width, cmyk.height, kRgb);
  const auto light = [&](int x, int y, int channel) {
    return static_cast<double>(sample_at(cmyk, x, y, channel)) / 255;
  };
  for (int y = 0; y < cmyk.height; ++y) {
    for (int x = 0; x < cmyk.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        set_sample(rgb.view(), x, y, c, static_cast<std::uint32_t>(std::lround(255 * light(x, y, c) * light(x, y, 3))));
      }
    }
  }
  return rgb;
}

TEST(JpegReader, ConvertsCmykAndYcck) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const bool as_ycck : {false, true}) {
    for (const bool adobe : {true, false}) {
      if (as_ycck && !adobe) {
        continue;  // only an Adobe segment declares YCCK
      }
      for (const bool progressive : {false, true}) {
        JpegChoices choices;
        choices.as_cmyk = !as_ycck;
        choices.as_ycck = as_ycck;
        choices.adobe = adobe;
        choices.progressive = progressive;
        choices.quality = random.between(30, 100);
        const Image cmyk = random_image(random, random.between(1, 70), random.between(1, 70), {Sample::u8, 4});
        const FileBytes file = make_jpeg(cmyk.view(), choices);
        const DecodedImage found = decode(file);
        EXPECT_TRUE(same_pixels(found.image.view(), rgb_of_cmyk(read_with_libjpeg(file).view()).view()));
        EXPECT_EQ(found.notes, std::vector<std::string>{"CMYK is converted to RGB without color management"});
      }
    }
  }
}

TEST(JpegReader, CmykIsExactForEveryPair) {
  std::vector<std::uint8_t> cmyk;
  for (int ink = 0; ink < 256; ++ink) {
    for (int black = 0; black < 256; ++black) {
      for (const int value : {ink, 255 - ink, 0, black}) {
        cmyk.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  std::vector<std::uint8_t> rgb(65536 * 3);
  const ConstView pixels{reinterpret_cast<const std::byte*>(cmyk.data()), 256, 256, 1024, {Sample::u8, 4}};
  const ConstView found{reinterpret_cast<const std::byte*>(rgb.data()), 256, 256, 768, kRgb};
  cmyk_to_rgb(cmyk.data(), rgb.data(), 65536);
  EXPECT_TRUE(same_pixels(found, rgb_of_cmyk(pixels).view()));
}

}  // namespace
}  // namespace gpuimg::test_jpeg_inks

// Reading BMP: palettes, direct color, masks and alpha, runs, and broken headers.
#include <gtest/gtest.h>

#include "support/small_format_checks.hpp"

namespace gpuimg::test_bmp_reader {
namespace {

using namespace test;

TEST(BmpReader, ReadsPalettes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int bits : {1, 2, 4, 8}) {
    for (const int header_bytes : {12, 16, 40, 108, 124}) {
      for (int round = 0; round < 8; ++round) {
        const int width = random.between(1, 20);
        const int height = random.between(1, 9);
        const std::uint32_t colors = round % 2 == 0 ? 1U << bits : random.below((1U << bits) - 1) + 1;
        BmpChoices choices;
        choices.header_bytes = header_bytes;
        choices.palette = random_values(random, colors, 1U << 24);
        choices.top_down = header_bytes != 12 && random.below(2) == 1;
        choices.colors_used = header_bytes == 16 ? 0 : random.below(2) * colors;
        const Values values = random_values(random, static_cast<std::size_t>(width * height), colors);
        expect_pixels(
            make_bmp(width, height, bits, values, choices),
            image_of_pixels(width, height, kRgb, [&](std::size_t i) { return rgb_of(choices.palette[values[i]]); }),
            "BMP", "palette.bmp");
        if (colors < 1U << bits) {
          Values beyond = values;
          beyond.back() = colors;
          EXPECT_TRUE(rejects(make_bmp(width, height, bits, beyond, choices), ErrorKind::decode, "palette has size"));
        }
      }
    }
  }
}

TEST(BmpReader, ReadsDirectColor) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int header_bytes : {12, 40, 56, 108, 124}) {
    for (const std::uint32_t gap : {0U, 7U}) {
      const int width = random.between(1, 9);
      const int height = random.between(1, 9);
      BmpChoices choices;
      choices.header_bytes = header_bytes;
      choices.gap = gap;
      const Values values = random_values(random, static_cast<std::size_t>(width * height), 1U << 24);
      expect_pixels(make_bmp(width, height, 24, values, choices),
                    image_of_pixels(width, height, kRgb, [&](std::size_t i) { return rgb_of(values[i]); }), "BMP",
                    "c.bmp");
    }
  }
  const Values five = random_values(random, 35, 1U << 15);
  const auto widened = [](std::uint32_t v) { return (v << 3) | (v >> 2); };
  expect_pixels(
      make_bmp(7, 5, 16, five),
      image_of_pixels(7, 5, kRgb,
                      [&](std::size_t i) {
                        return Values{widened(five[i] >> 10), widened((five[i] >> 5) & 31U), widened(five[i] & 31U)};
                      }),
      "BMP", "16.bmp");
}

TEST(BmpReader, KeepsAlphaOnlyIfItIsDeclared) {
  Random random;
  SCOPED_TRACE(random.trace());
  Values values = random_values(random, 12, 1U << 24);
  const auto rgb_of_values = [&] {
    return image_of_pixels(4, 3, kRgb, [&](std::size_t i) { return rgb_of(values[i]); });
  };
  expect_pixels(make_bmp(4, 3, 32, values), rgb_of_values(), "BMP", "zero.bmp");
  BmpChoices declared;
  declared.header_bytes = 108;
  declared.compression = 3;
  declared.masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000};
  const auto rgba = [&] { return image_of_pixels(4, 3, kRgba, [&](std::size_t i) { return argb_of(values[i]); }); };
  expect_pixels(make_bmp(4, 3, 32, values, declared), rgba(), "BMP", "declared.bmp");
  for (std::uint32_t& value : values) {
    value |= 0xFF000000U;
  }
  expect_pixels(make_bmp(4, 3, 32, values), rgb_of_values(), "BMP", "opaque.bmp");
  expect_pixels(make_bmp(4, 3, 32, values, declared), rgba(), "BMP", "declared.bmp");
  values[5] = 0x80123456;
  expect_pixels(make_bmp(4, 3, 32, values), rgb_of_values(), "BMP", "reserved.bmp");
}

TEST(BmpReader, ReadsMasksInEveryHeader) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Values values = random_values(random, 12, 0xFFFFFFFF);
  for (const int header_bytes : {40, 52, 56, 108, 124}) {
    BmpChoices choices;
    choices.header_bytes = header_bytes;
    choices.compression = 3;
    choices.masks = {0xFF, 0xFF00, 0xFF0000};  // red in the lowest bits: an unusual order
    expect_pixels(make_bmp(4, 3, 32, values, choices),
                  image_of_pixels(4, 3, kRgb,
                                  [&](std::size_t i) {
                                    return Values{values[i] & 255U, (values[i] >> 8) & 255U, (values[i] >> 16) & 255U};
                                  }),
                  "BMP", "masks.bmp");
    choices.masks = {0x3FF, 0xFFC00, 0x3FF00000};
    EXPECT_TRUE(rejects(make_bmp(4, 3, 32, values, choices), ErrorKind::unsupported, "8 bits per channel"));
    choices.masks = {0xFF, 0, 0xFF0000};
    EXPECT_TRUE(rejects(make_bmp(4, 3, 32, values, choices), ErrorKind::decode, "mask is empty"));
  }
}

TEST(BmpReader, NamesUnsupportedFeatures) {
  BmpChoices choices;
  choices.palette = Values(256, 5);
  for (const std::uint32_t compression : {4U, 5U, 9U}) {
    choices.compression = compression;
    EXPECT_TRUE(rejects(make_bmp(2, 2, 8, Values(4, 0), choices), ErrorKind::unsupported, "BMP"));
  }
  choices.compression = 0;
  EXPECT_TRUE(rejects(make_bmp(2, 2, 64, Values(4, 0), {}), ErrorKind::unsupported, "64 bits"));
  EXPECT_TRUE(rejects(make_bmp(0, 2, 24, {}, {}), ErrorKind::decode, "0x2"));
  EXPECT_TRUE(rejects(make_bmp(-5, 2, 24, {}, {}), ErrorKind::decode, "negative"));
  FileBytes huge = make_bmp(1, 1, 24, {0});
  huge[20] = huge[24] = std::byte{1};  // 65537 × 65537
  EXPECT_TRUE(rejects(huge, ErrorKind::unsupported, "65537x65537"));
}

}  // namespace
}  // namespace gpuimg::test_bmp_reader

// Conversion from HSL to RGB, and adjustment: round trips, values out of range, hue rotations, comparison with the
// oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpuimg/backend.hpp"
#include "support/oracle_hsl.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_hsl_back {
namespace {

Image there_and_back(const Image& image, HslEncoding encoding) {
  const auto backend = make_cpu_backend(0);
  const Picture hsl = backend->to_hsl(backend->upload(image.view()), encoding);
  return backend->download(backend->from_hsl(hsl, encoding, image.format().sample));
}

Image adjusted(const Image& image, const HslAdjustment& by) {
  const auto backend = make_cpu_backend(0);
  return backend->download(backend->adjust_hsl(backend->upload(image.view()), by));
}

void expect_oracle_adjustment(const Image& image, const HslAdjustment& by) {
  Image expected = image.clone();
  const std::uint32_t v_max = image.format().max_value();
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const oracle::Pixel p =
          oracle::adjusted(oracle::pixel_at(image.view(), x, y), v_max, by.hue_degrees, by.saturation, by.lightness);
      const std::uint32_t levels[] = {p.r, p.g, p.b};
      for (int c = 0; c < image.format().color_channels(); ++c) {
        test::set_sample(expected.view(), x, y, c, levels[c]);
      }
    }
  }
  EXPECT_TRUE(test::same_pixels(adjusted(image, by).view(), expected.view()))
      << test::name_of(image.format()) << ", hue " << by.hue_degrees << ", saturation " << by.saturation
      << ", lightness " << by.lightness;
}

TEST(HslRoundTrip, PreservesAllColors) {
  const Image colors = test::all_colors();
  EXPECT_TRUE(test::same_pixels(there_and_back(colors, HslEncoding::f32).view(), colors.view()));
  EXPECT_TRUE(test::same_pixels(there_and_back(colors, HslEncoding::u16).view(), colors.view()));
}

TEST(HslRoundTrip, PreservesSixteenBitColorsAsFloats) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image edges = test::edge_colors_16(random);
  EXPECT_TRUE(test::same_pixels(there_and_back(edges, HslEncoding::f32).view(), edges.view()));
  const Image any = test::random_image(random, 1500, 1000, PixelFormat{Sample::u16, 4});
  EXPECT_TRUE(test::same_pixels(there_and_back(any, HslEncoding::f32).view(), any.view()));
}

TEST(HslRoundTrip, PreservesEightBitAlpha) {
  Image image = test::constant_image(256, 1, PixelFormat{Sample::u8, 4}, 9);
  for (int x = 0; x < 256; ++x) {
    test::set_sample(image.view(), x, 0, 3, static_cast<std::uint32_t>(x));
  }
  for (const HslEncoding encoding :
       {HslEncoding::f32, HslEncoding::u16, HslEncoding::opencv, HslEncoding::opencv_full}) {
    EXPECT_TRUE(test::same_pixels(there_and_back(image, encoding).view(), image.view()));
  }
}

TEST(HslRoundTrip, OpencvEncodingLosesLittle) {
  // The encoding loses up to half a level of L and S, and up to a degree of H. Gray stays gray.
  const Image colors = test::all_colors();
  const Image back = there_and_back(colors, HslEncoding::opencv);
  const auto* a = colors.view().row<std::uint8_t>(0);
  const auto* b = back.view().row<std::uint8_t>(0);
  int largest = 0;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < (1U << 24); ++i, a += 3, b += 3) {
    int difference = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      difference = std::max(difference, std::abs(a[c] - b[c]));
    }
    largest = std::max(largest, difference);
    changed += difference != 0 ? 1 : 0;
    ASSERT_TRUE(a[0] != a[1] || a[1] != a[2] || difference == 0) << "gray " << int{a[0]};
  }
  EXPECT_LE(largest, 5);
  EXPECT_NEAR(static_cast<double>(changed) / (1U << 24), 0.84, 0.03);
}

TEST(FromHsl, MatchesHandComputedColors) {
  const auto backend = make_cpu_backend(1);
  Image hsl(6, 1, PixelFormat{Sample::f32, 3});
  const float values[] = {0, 1, 0.5F, 60, 1, 0.5F, 180, 1, 0.5F, 300, 0.5F, 0.5F, 77, 0, 0.5F, 30, 1, 0.75F};
  std::memcpy(hsl.view().data, values, sizeof values);
  const Image rgb = backend->download(backend->from_hsl(backend->upload(hsl.view()), HslEncoding::f32, Sample::u8));
  const std::uint8_t expected[] = {255, 0, 0, 255, 255, 0, 0, 255, 255, 191, 64, 191, 128, 128, 128, 255, 191, 128};
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(rgb.view().row<std::uint8_t>(0)[i], expected[i]) << "value " << i;
  }
}

TEST(FromHsl, MatchesTheOracleForFloats) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    const std::uint32_t v_max = PixelFormat{sample, 3}.max_value();
    Image hsl(333, 300, PixelFormat{Sample::f32, 3});
    Image expected(333, 300, PixelFormat{sample, 3});
    auto* p = hsl.view().row<float>(0);
    for (int i = 0; i < 333 * 300; ++i, p += 3) {
      const float sixth = 60.0F * static_cast<float>(random.below(6));
      p[0] = random.below(4) == 0
                 ? sixth
                 : std::nextafter(static_cast<float>(random.below(1U << 24)) * 360.0F / 16777216.0F, 0.0F);
      p[1] = random.below(4) == 0 ? static_cast<float>(random.below(2))
                                  : static_cast<float>(random.below(1U << 24)) / 16777216.0F;
      p[2] = random.below(4) == 0 ? 0.5F * static_cast<float>(random.below(3))
                                  : static_cast<float>(random.below(1U << 24)) / 16777216.0F;
      const oracle::Pixel rgb = oracle::rgb_of(p[0], p[1], p[2], v_max);
      test::set_sample(expected.view(), i % 333, i / 333, 0, rgb.r);
      test::set_sample(expected.view(), i % 333, i / 333, 1, rgb.g);
      test::set_sample(expected.view(), i % 333, i / 333, 2, rgb.b);
    }
    const Picture picture = backend->upload(hsl.view());
    EXPECT_TRUE(test::same_pixels(backend->download(backend->from_hsl(picture, HslEncoding::f32, sample)).view(),
                                  expected.view()));
  }
}

TEST(FromHsl, WrapsAndClampsFloatsOutOfRange) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto backend = make_cpu_backend(1);
  const float out_of_range[][4] = {{-120, 1, 0.5F, 2},      {480, 2, 0.5F, -1},       {360, 1, 0.5F, kNan},
                                   {720, 1, 0.5F, 0.5F},    {-1e-9F, 1, 0.5F, 1},     {kNan, 1, 0.5F, 1},
                                   {kInfinity, 1, 0.5F, 1}, {-kInfinity, 1, 0.5F, 1}, {3e38F, 1, 0.5F, 1},
                                   {10, kNan, 0.2F, 1},     {10, -1, 0.2F, 1},        {10, 1, kNan, 1},
                                   {10, 1, 7, kInfinity},   {10, 1, -7, 0},           {10, kInfinity, -kInfinity, 0}};
  const std::uint8_t expected[][4] = {{0, 0, 255, 255},     {0, 255, 0, 0},    {255, 0, 0, 0},    {255, 0, 0, 128},
                                      {255, 0, 0, 255},     {255, 0, 0, 255},  {255, 0, 0, 255},  {255, 0, 0, 255},
                                      {255, 0, 0, 255},     {51, 51, 51, 255}, {51, 51, 51, 255}, {0, 0, 0, 255},
                                      {255, 255, 255, 255}, {0, 0, 0, 0},      {0, 0, 0, 0}};
  constexpr std::size_t kCount = sizeof out_of_range / sizeof out_of_range[0];
  static_assert(kCount == sizeof expected / sizeof expected[0]);
  Image hsl(kCount, 1, PixelFormat{Sample::f32, 4});
  std::memcpy(hsl.view().data, out_of_range, sizeof out_of_range);
  const Image rgb = backend->download(backend->from_hsl(backend->upload(hsl.view()), HslEncoding::f32, Sample::u8));
  for (std::size_t x = 0; x < kCount; ++x) {
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(rgb.view().row<std::uint8_t>(0)[4 * x + c], expected[x][c]) << "pixel " << x << " channel " << c;
    }
  }
}

TEST(AdjustHsl, DefaultsAndFullTurnsChangeNothing) {
  const Image colors = test::all_colors();
  EXPECT_TRUE(test::same_pixels(adjusted(colors, {}).view(), colors.view()));
  EXPECT_TRUE(test::same_pixels(adjusted(colors, {360.0F, 1.0F, 1.0F}).view(), colors.view()));
  EXPECT_TRUE(test::same_pixels(adjusted(colors, {-360.0F, 1.0F, 1.0F}).view(), colors.view()));
}

TEST(AdjustHsl, AThirdOfATurnRotatesTheChannels) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::random_image(random, 400, 300, PixelFormat{Sample::u8, 4});
  Image rotated = image.clone();
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) {
      for (int c = 0; c < 3; ++c) {
        test::set_sample(rotated.view(), x, y, (c + 1) % 3, test::sample_at(image.view(), x, y, c));
      }
    }
  }
  EXPECT_TRUE(test::same_pixels(adjusted(image, {120.0F, 1.0F, 1.0F}).view(), rotated.view()));
  EXPECT_TRUE(test::same_pixels(adjusted(image, {-240.0F, 1.0F, 1.0F}).view(), rotated.view()));
  EXPECT_TRUE(test::same_pixels(adjusted(rotated, {-120.0F, 1.0F, 1.0F}).view(), image.view()));
  EXPECT_TRUE(test::same_pixels(adjusted(rotated, {240.0F, 1.0F, 1.0F}).view(), image.view()));
}

TEST(AdjustHsl, ExtremeAdjustmentsGiveBlackWhiteAndGray) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image colors = test::edge_colors_16(random);
  const PixelFormat format = colors.format();
  const Image black = test::constant_image(colors.width(), colors.height(), format, 0);
  EXPECT_TRUE(test::same_pixels(adjusted(colors, {0.0F, 1.0F, 0.0F}).view(), black.view()));
  // The smallest nonzero lightness is 1/131070.
  const Image white = adjusted(colors, {0.0F, 1.0F, 131071.0F});
  for (int y = 0; y < white.height(); ++y) {
    for (int x = 0; x < white.width(); ++x) {
      const bool is_black = std::max({test::sample_at(colors.view(), x, y, 0), test::sample_at(colors.view(), x, y, 1),
                                      test::sample_at(colors.view(), x, y, 2)}) == 0;
      ASSERT_EQ(test::sample_at(white.view(), x, y, 2), is_black ? 0U : 65535U);
    }
  }
  const Image gray = adjusted(colors, {0.0F, 0.0F, 1.0F});
  for (int y = 0; y < gray.height(); ++y) {
    for (int x = 0; x < gray.width(); ++x) {
      const std::uint32_t level = test::sample_at(gray.view(), x, y, 0);
      ASSERT_TRUE(test::sample_at(gray.view(), x, y, 1) == level && test::sample_at(gray.view(), x, y, 2) == level);
    }
  }
}

TEST(AdjustHsl, MatchesTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 200; ++round) {
    const PixelFormat format = test::photographic_formats()[random.below(8)];
    const Image image = test::any_image(random, random.between(1, 70), random.between(1, 40), format);
    HslAdjustment by;
    by.hue_degrees = static_cast<float>(random.between(-35999, 35999)) * 0.01F;
    by.saturation = static_cast<float>(random.between(0, 300)) * 0.01F;
    by.lightness = static_cast<float>(random.between(0, 300)) * 0.01F;
    expect_oracle_adjustment(image, by);
  }
}

TEST(AdjustHsl, MatchesTheOracleForAllColors) { expect_oracle_adjustment(test::all_colors(), {-77.5F, 1.3F, 0.9F}); }

TEST(AdjustHsl, KeepsGrayAndAlpha) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::random_image(random, 50, 20, PixelFormat{Sample::u8, 2});
  EXPECT_TRUE(test::same_pixels(adjusted(image, {90.0F, 3.0F, 1.0F}).view(), image.view()));
}

}  // namespace
}  // namespace gpuimg::test_hsl_back

// HSL: results computed by hand, all 2²⁴ colors compared with exact fractions, the OpenCV encodings, 16 bits, alpha.
#include "ops/hsl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "gpuimg/backend.hpp"
#include "support/oracle_hsl.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_hsl {
namespace {

Image converted(const Image& image, HslEncoding encoding) {
  const auto backend = make_cpu_backend(0);
  return backend->download(backend->to_hsl(backend->upload(image.view()), encoding));
}

void expect_oracle_floats(const Image& image) {
  const Image hsl = converted(image, HslEncoding::f32);
  const auto stride = static_cast<std::size_t>(hsl.format().channels);
  ASSERT_EQ(hsl.format(), (PixelFormat{Sample::f32, image.format().has_alpha() ? 4 : 3}));
  for (int y = 0; y < image.height(); ++y) {
    const auto* actual = hsl.view().row<float>(y);
    for (int x = 0; x < image.width(); ++x, actual += stride) {
      const oracle::Pixel p = oracle::pixel_at(image.view(), x, y);
      const auto expected = oracle::hsl_float(p, image.format().max_value());
      // Compares bits, to distinguish −0 from 0.
      const bool same = std::bit_cast<std::uint32_t>(actual[0]) == std::bit_cast<std::uint32_t>(expected[0]) &&
                        std::bit_cast<std::uint32_t>(actual[1]) == std::bit_cast<std::uint32_t>(expected[1]) &&
                        std::bit_cast<std::uint32_t>(actual[2]) == std::bit_cast<std::uint32_t>(expected[2]);
      ASSERT_TRUE(same) << p.r << "," << p.g << "," << p.b << ": " << actual[0] << " " << actual[1] << " " << actual[2]
                        << ", expected " << expected[0] << " " << expected[1] << " " << expected[2];
    }
  }
}

void expect_oracle_u16(const Image& image) {
  const Image hsl = converted(image, HslEncoding::u16);
  const auto stride = static_cast<std::size_t>(hsl.format().channels);
  ASSERT_EQ(hsl.format(), (PixelFormat{Sample::u16, image.format().has_alpha() ? 4 : 3}));
  for (int y = 0; y < image.height(); ++y) {
    const auto* actual = hsl.view().row<std::uint16_t>(y);
    for (int x = 0; x < image.width(); ++x, actual += stride) {
      const oracle::Pixel p = oracle::pixel_at(image.view(), x, y);
      const auto expected = oracle::hsl_u16(p, image.format().max_value());
      ASSERT_TRUE(actual[0] == expected[0] && actual[1] == expected[1] && actual[2] == expected[2])
          << p.r << "," << p.g << "," << p.b << ": " << actual[0] << " " << actual[1] << " " << actual[2]
          << ", expected " << expected[0] << " " << expected[1] << " " << expected[2];
    }
  }
}

/// Bound of the float32 error: each channel has an error of 2⁻²⁵; hue and saturation divide sums and differences of
/// channels by numbers that can be small.
double float_error(const oracle::Pixel& p, std::uint32_t max_value) {
  const double v = max_value;
  const auto [low, high] = std::minmax({p.r, p.g, p.b});
  const double chroma = (high - low) / v;
  const double room = std::min((low + high) / v, 2 - (low + high) / v);
  return chroma == 0 ? 0 : 256 * 0x1p-22 / std::min(chroma, room);
}

/// Each value is the exact one rounded to nearest, up to the float32 error at a tie.
void expect_near_opencv(const Image& image, HslEncoding encoding, std::uint64_t hue_range) {
  const Image hls = converted(image, encoding);
  const auto stride = static_cast<std::size_t>(hls.format().channels);
  ASSERT_EQ(hls.format(), (PixelFormat{Sample::u8, image.format().has_alpha() ? 4 : 3}));
  for (int y = 0; y < image.height(); ++y) {
    const auto* actual = hls.view().row<std::uint8_t>(y);
    for (int x = 0; x < image.width(); ++x, actual += stride) {
      const oracle::Pixel p = oracle::pixel_at(image.view(), x, y);
      const auto distance = oracle::hls_distance(p, image.format().max_value(), actual, hue_range);
      const double allowed = 0.5 + float_error(p, image.format().max_value());
      ASSERT_LE(*std::max_element(distance.begin(), distance.end()), allowed) << p.r << "," << p.g << "," << p.b;
    }
  }
}

TEST(Hsl, MatchesHandComputedValues) {
  Image image(8, 1, PixelFormat{Sample::u8, 3});
  const std::uint8_t pixels[] = {0, 0, 0,   255, 255, 255, 255, 0,   0, 0,  255, 0,
                                 0, 0, 255, 255, 0,   255, 255, 128, 0, 51, 51,  51};
  std::memcpy(image.view().data, pixels, sizeof pixels);
  const Image floats = converted(image, HslEncoding::f32);
  const float orange = 60.0F * 128.0F / 255.0F;
  const float expected[] = {0,   0, 0,    0,   0, 1,    0,      1, 0.5F, 120, 1, 0.5F,
                            240, 1, 0.5F, 300, 1, 0.5F, orange, 1, 0.5F, 0,   0, 0.2F};
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(floats.view().row<float>(0)[i], expected[i]) << "value " << i;
  }
  const Image levels = converted(image, HslEncoding::u16);
  const std::uint16_t expected_levels[] = {0,     0,     0,     0,     0,     65535, 0,     65535,
                                           32768, 21845, 65535, 32768, 43691, 65535, 32768, 54613,
                                           65535, 32768, 5483,  65535, 32768, 0,     0,     13107};
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(levels.view().row<std::uint16_t>(0)[i], expected_levels[i]) << "value " << i;
  }
  const Image opencv = converted(image, HslEncoding::opencv);
  const std::uint8_t expected_opencv[] = {0,   0,   0,   0,   255, 0,   0,  128, 255, 60, 128, 255,
                                          120, 128, 255, 150, 128, 255, 15, 128, 255, 0,  51,  0};
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(opencv.view().row<std::uint8_t>(0)[i], expected_opencv[i]) << "value " << i;
  }
}

TEST(Hsl, AllColorsAsFloatsMatchTheOracle) { expect_oracle_floats(test::all_colors()); }
TEST(Hsl, AllColorsAsU16MatchTheOracle) { expect_oracle_u16(test::all_colors()); }

TEST(Hsl, AllColorsAreTheSameWithAlpha) {
  const Image colors = test::all_colors();
  Image with_alpha(colors.width(), colors.height(), PixelFormat{Sample::u8, 4});
  for (int y = 0; y < colors.height(); ++y) {
    const auto* from = colors.view().row<std::uint8_t>(y);
    auto* to = with_alpha.view().row<std::uint8_t>(y);
    for (int x = 0; x < colors.width(); ++x, from += 3, to += 4) {
      std::copy_n(from, 3, to);
      to[3] = static_cast<std::uint8_t>(x + y);
    }
  }
  const auto expect_same = [&]<class T>(HslEncoding encoding, const auto& alpha_of) {
    const Image plain = converted(colors, encoding);
    const Image actual = converted(with_alpha, encoding);
    for (int y = 0; y < colors.height(); ++y) {
      const auto* p = plain.view().row<T>(y);
      const auto* a = actual.view().row<T>(y);
      for (int x = 0; x < colors.width(); ++x, p += 3, a += 4) {
        ASSERT_EQ(std::memcmp(p, a, 3 * sizeof(T)), 0) << x << "," << y;
        ASSERT_EQ(a[3], alpha_of((x + y) & 255)) << x << "," << y;
      }
    }
  };
  expect_same.operator()<std::uint16_t>(HslEncoding::u16, [](int alpha) { return alpha * 257; });
  expect_same.operator()<float>(HslEncoding::f32, [](int alpha) { return static_cast<float>(alpha) / 255.0F; });
}

TEST(Hsl, AllColorsMatchOpencvsEncodings) {
  // Checksums of cv2.cvtColor(COLOR_RGB2HLS) and (COLOR_RGB2HLS_FULL), OpenCV 4.6, over all_colors().
  const Image colors = test::all_colors();
  expect_near_opencv(colors, HslEncoding::opencv, 180);
  expect_near_opencv(colors, HslEncoding::opencv_full, 256);
  EXPECT_EQ(test::checksum(converted(colors, HslEncoding::opencv).view()), 0x5b61ce8b26d6d0f8U);
  EXPECT_EQ(test::checksum(converted(colors, HslEncoding::opencv_full).view()), 0xcda50188cad82fa5U);
}

TEST(Hsl, SixteenBitColorsMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const Image edges = test::edge_colors_16(random);
  const Image any = test::random_image(random, 701, 1001, PixelFormat{Sample::u16, 3});
  for (const Image* image : {&edges, &any}) {
    expect_oracle_floats(*image);
    expect_oracle_u16(*image);
    expect_near_opencv(*image, HslEncoding::opencv, 180);
    expect_near_opencv(*image, HslEncoding::opencv_full, 256);
  }
}

TEST(Hsl, WidthsAndFormatsMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const int width : {1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025}) {
    for (const PixelFormat format : test::photographic_formats()) {
      SCOPED_TRACE(test::name_of(format) + ", width " + std::to_string(width));
      const Image image = test::any_image(random, width, random.between(1, 4), format);
      expect_oracle_floats(image);
      expect_oracle_u16(image);
      expect_near_opencv(image, HslEncoding::opencv, 180);
    }
  }
}

TEST(Hsl, GrayHasNoHueAndNoSaturation) {
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    const std::uint32_t v_max = PixelFormat{sample, 1}.max_value();
    Image ramp(static_cast<int>(v_max) + 1, 1, PixelFormat{sample, 1});
    for (std::uint32_t v = 0; v <= v_max; ++v) {
      test::set_sample(ramp.view(), static_cast<int>(v), 0, 0, v);
    }
    const Image hsl = converted(ramp, HslEncoding::f32);
    const auto* p = hsl.view().row<float>(0);
    for (std::uint32_t v = 0; v <= v_max; ++v, p += 3) {
      ASSERT_EQ(p[0], 0.0F);
      ASSERT_EQ(p[1], 0.0F);
      ASSERT_EQ(p[2], static_cast<float>(static_cast<double>(v) / v_max));
    }
  }
}

TEST(Hsl, HueStaysBelowAFullTurn) {
  // Red with the smallest possible blue: H = 360° − 60°/C, at 16 bits 359.9991°. 65535.8/65536 turn wraps to 0.
  Image image(1, 1, PixelFormat{Sample::u16, 3});
  test::set_sample(image.view(), 0, 0, 0, 65535);
  test::set_sample(image.view(), 0, 0, 1, 0);
  test::set_sample(image.view(), 0, 0, 2, 1);
  const Image hsl = converted(image, HslEncoding::f32);
  EXPECT_EQ(hsl.view().row<float>(0)[0], 359.99908447265625F);
  EXPECT_EQ(converted(image, HslEncoding::u16).view().row<std::uint16_t>(0)[0], 0U);
}

TEST(Hsl, AlphaIsRescaled) {
  Image image = test::constant_image(3, 1, PixelFormat{Sample::u8, 2}, 0);
  test::set_sample(image.view(), 1, 0, 1, 128);
  test::set_sample(image.view(), 2, 0, 1, 255);
  const Image u16 = converted(image, HslEncoding::u16);
  const Image f32 = converted(image, HslEncoding::f32);
  const Image u8 = converted(image, HslEncoding::opencv);
  const std::uint32_t levels[] = {0, 128, 255};
  for (std::size_t x = 0; x < 3; ++x) {
    EXPECT_EQ(u16.view().row<std::uint16_t>(0)[4 * x + 3], levels[x] * 257);
    EXPECT_EQ(f32.view().row<float>(0)[4 * x + 3], static_cast<float>(levels[x]) / 255.0F);
    EXPECT_EQ(u8.view().row<std::uint8_t>(0)[4 * x + 3], levels[x]);
  }
  Image wide = test::constant_image(2, 1, PixelFormat{Sample::u16, 4}, 128);  // 128·255/65535 = 0.498
  test::set_sample(wide.view(), 1, 0, 3, 129);                                // 0.502
  const Image narrow = converted(wide, HslEncoding::opencv_full);
  EXPECT_EQ(narrow.view().row<std::uint8_t>(0)[3], 0U);
  EXPECT_EQ(narrow.view().row<std::uint8_t>(0)[7], 1U);
}

}  // namespace
}  // namespace gpuimg::test_hsl

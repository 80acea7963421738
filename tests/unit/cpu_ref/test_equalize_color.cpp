// Equalization of color, selections and strength compared with the oracle: random images and all 2²⁴ colors.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpuimg/backend.hpp"
#include "ops/equalize.hpp"
#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_equalize_color {
namespace {

constexpr EqualizeColor kModes[] = {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr,
                                    EqualizeColor::hsl};

struct Case {
  EqualizeFormula formula;
  EqualizeColor color;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const EqualizeFormula formula : {EqualizeFormula::opencv, EqualizeFormula::cdf, EqualizeFormula::pillow}) {
    for (const EqualizeColor color : kModes) {
      cases.push_back({formula, color});
    }
  }
  return cases;
}

std::string case_name(const Case& c) {
  constexpr const char* kFormulaNames[] = {"opencv", "cdf", "pillow"};
  constexpr const char* kModeNames[] = {"luma", "rgb", "joint", "ycbcr", "hsl"};
  return std::string(kFormulaNames[static_cast<std::size_t>(c.formula)]) + "_" +
         kModeNames[static_cast<std::size_t>(c.color)];
}

class EqualizeCase : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static EqualizeOptions options_of_case() {
    EqualizeOptions options;
    options.formula = GetParam().formula;
    options.color = GetParam().color;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(All, EqualizeCase, ::testing::ValuesIn(all_cases()),
                         [](const auto& c) { return case_name(c.param); });

std::string describe(const Image& image) {
  return test::name_of(image.format()) + ", " + std::to_string(image.width()) + "x" + std::to_string(image.height());
}

TEST_P(EqualizeCase, RandomImagesMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 300; ++round) {
    const PixelFormat format{round % 4 == 0 ? Sample::u16 : Sample::u8, random.between(1, 4)};
    const int most = round % 40 == 0 ? 400 : 60;  // pillow's step at 16 bits needs more than 65535 pixels
    const int least = round % 40 == 0 ? 300 : 1;
    const Image image = test::any_image(random, random.between(least, most), random.between(least, most), format);
    EqualizeOptions options = options_of_case();
    options.luma = static_cast<Luma>(random.below(4));
    options.selection.count_transparent = random.below(4) == 0;
    constexpr double kStrengths[] = {1.0, 1.0, 1.0, 1.0, 0.0, 0.5, 0.3, 0.999};
    options.strength = kStrengths[random.below(8)];
    const Image actual = backend->download(backend->equalize(backend->upload(image.view()), options));
    ASSERT_TRUE(test::same_pixels(actual.view(), oracle::equalized(image.view(), options).view()))
        << "round " << round << ", " << describe(image) << ", strength " << options.strength;
  }
}

TEST_P(EqualizeCase, RegionsMasksAndTransparencyMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 60; ++round) {
    const PixelFormat format{round % 6 == 0 ? Sample::u16 : Sample::u8, random.between(1, 4)};
    const int width = random.between(1, 40);
    const int height = random.between(1, 40);
    const Image image = test::any_image(random, width, height, format);
    const Image mask = test::random_mask(random, width, height);
    const Picture mask_picture = backend->upload(mask.view());
    const bool masked = random.below(3) != 0;
    EqualizeOptions options = options_of_case();
    options.strength = random.below(3) == 0 ? 0.5 : 1.0;
    options.selection.count_transparent = random.below(2) == 0;
    options.selection.mask = masked ? &mask_picture : nullptr;
    if (random.below(3) != 0) {
      const int x = random.between(0, width - 1);
      const int y = random.between(0, height - 1);
      options.selection.region = Rect{x, y, random.between(1, width - x), random.between(1, height - y)};
    }
    const Image actual = backend->download(backend->equalize(backend->upload(image.view()), options));
    const Image expected = oracle::equalized(image.view(), options, masked ? &mask : nullptr);
    ASSERT_TRUE(test::same_pixels(actual.view(), expected.view())) << "round " << round << ", " << describe(image);
  }
}

TEST_P(EqualizeCase, WidthsAndHeightsMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const int width : {1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025}) {
    for (const int height : {1, 3}) {
      for (const int channels : {1, 2, 3, 4}) {
        const Image image = test::any_image(random, width, height, PixelFormat{Sample::u8, channels});
        const EqualizeOptions options = options_of_case();
        const Image actual = backend->download(backend->equalize(backend->upload(image.view()), options));
        ASSERT_TRUE(test::same_pixels(actual.view(), oracle::equalized(image.view(), options).view()))
            << describe(image);
      }
    }
  }
}

TEST_P(EqualizeCase, ImageIsUnchangedIfNothingIsCounted) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    Image image = test::random_image(random, 12, 9, PixelFormat{sample, 4});
    const Picture zero_mask = backend->upload(test::constant_image(12, 9, PixelFormat{Sample::u8, 1}, 0));
    EqualizeOptions options = options_of_case();
    options.selection.mask = &zero_mask;
    const Picture picture = backend->upload(image.view());
    EXPECT_TRUE(test::same_pixels(backend->download(backend->equalize(picture, options)).view(), image.view()));
    for (int i = 0; i < 12 * 9; ++i) {
      test::set_sample(image.view(), i % 12, i / 12, 3, 0);
    }
    options.selection.mask = nullptr;
    const Picture clear = backend->upload(image.view());
    EXPECT_TRUE(test::same_pixels(backend->download(backend->equalize(clear, options)).view(), image.view()));
  }
}

LevelTables random_table(test::Random& random, std::size_t levels, bool monotone) {
  std::vector<std::uint16_t> map(levels);
  for (auto& level : map) {
    level = static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(levels)));
  }
  if (monotone) {
    std::sort(map.begin(), map.end());
  }
  return {{map}};
}

/// Compares with the oracle, using the same tables, on all 2²⁴ colors, for each mode in which one level determines the
/// pixel.
TEST(EqualizeTables, AllColorsMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(0);
  const Image colors = test::all_colors();
  const Picture picture = backend->upload(colors.view());
  for (const EqualizeColor color : {EqualizeColor::luma, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    for (const bool monotone : {true, false}) {
      if (!monotone && color != EqualizeColor::luma) {
        continue;  // the other modes do not depend on the order of the table
      }
      SCOPED_TRACE(case_name({EqualizeFormula::opencv, color}) + (monotone ? ", monotone" : ", any"));
      const LevelTables tables = random_table(random, 256, monotone);
      EqualizeOptions options;
      options.color = color;
      options.tables = &tables;
      const Image actual = backend->download(backend->equalize(picture, options));
      EXPECT_TRUE(test::same_pixels(actual.view(), oracle::equalized(colors.view(), options).view()));
    }
  }
}

TEST(EqualizeTables, ExtremeTablesMatchTheOracleForSixteenBitEdgeColors) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(0);
  const Image colors = test::edge_colors_16(random);
  const Picture picture = backend->upload(colors.view());
  const std::vector<LevelTables> choices = {random_table(random, 65536, false),
                                            random_table(random, 65536, true),
                                            {{std::vector<std::uint16_t>(65536, 0)}},
                                            {{std::vector<std::uint16_t>(65536, 65535)}}};
  for (const EqualizeColor color :
       {EqualizeColor::luma, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    for (const LevelTables& tables : choices) {
      EqualizeOptions options;
      options.color = color;
      options.tables = &tables;
      options.luma = static_cast<Luma>(random.below(4));
      const Image actual = backend->download(backend->equalize(picture, options));
      ASSERT_TRUE(test::same_pixels(actual.view(), oracle::equalized(colors.view(), options).view()))
          << case_name({EqualizeFormula::opencv, color});
    }
  }
}

TEST(YCrCb, AllColorsMatchOpencvForwardAndBack) {
  // Checksums of cv2.cvtColor(COLOR_RGB2YCrCb) and (COLOR_YCrCb2RGB), OpenCV 4.6, over all_colors().
  const Image colors = test::all_colors();
  Image forward(4096, 4096, PixelFormat{Sample::u8, 3});
  Image back(4096, 4096, PixelFormat{Sample::u8, 3});
  const auto* p = colors.view().row<std::uint8_t>(0);
  auto* f = forward.view().row<std::uint8_t>(0);
  auto* b = back.view().row<std::uint8_t>(0);
  for (std::size_t i = 0; i < (1U << 24); ++i, p += 3, f += 3, b += 3) {
    const oracle::Pixel there = oracle::ycrcb_of({p[0], p[1], p[2], 255}, 255);
    const oracle::Pixel again = oracle::rgb_of_ycrcb({p[0], p[1], p[2], 255}, 255);
    const YCrCb converted = ycrcb_from_rgb({p[0], p[1], p[2]}, 255);
    const Rgb restored = rgb_from_ycrcb({p[0], p[1], p[2]}, 255);
    const bool same = converted.y == there.r && converted.cr == there.g && converted.cb == there.b &&
                      restored.r == again.r && restored.g == again.g && restored.b == again.b;
    ASSERT_TRUE(same) << i;
    const std::uint32_t levels[] = {converted.y, converted.cr, converted.cb, restored.r, restored.g, restored.b};
    for (std::size_t c = 0; c < 3; ++c) {
      f[c] = static_cast<std::uint8_t>(levels[c]);
      b[c] = static_cast<std::uint8_t>(levels[c + 3]);
    }
  }
  EXPECT_EQ(test::checksum(forward.view()), 0xc032f7c51ea152b8U);
  EXPECT_EQ(test::checksum(back.view()), 0x8f7f782a2f6a898aU);
}

TEST(WithLuma, MatchesHandComputedColors) {
  const auto expect = [](const Rgb& p, std::uint32_t y, std::uint32_t to, const Rgb& out) {
    const Rgb actual = with_luma<std::uint8_t>(p, y, to);
    EXPECT_EQ(actual.r, out.r);
    EXPECT_EQ(actual.g, out.g);
    EXPECT_EQ(actual.b, out.b);
  };
  expect({0, 0, 0}, 0, 9, {9, 9, 9});
  expect({100, 50, 20}, 60, 120, {200, 100, 40});
  expect({100, 50, 25}, 60, 90, {150, 75, 38});     // 37.5 rounds away from zero
  expect({200, 50, 20}, 90, 180, {255, 153, 132});  // 180 + 110·75/110, 180 − 40·75/110 = 152.7, 180 − 70·75/110
  expect({255, 255, 255}, 255, 10, {10, 10, 10});
  expect({255, 0, 0}, 76, 255, {255, 255, 255});
}

}  // namespace
}  // namespace gpuimg::test_equalize_color

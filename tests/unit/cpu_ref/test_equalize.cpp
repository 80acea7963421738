// Equalization of whole images: results computed by hand, flat images, and the returned tables. test_equalize_color.cpp
// compares with the oracle.
#include "gpuimg/ops/equalize.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "gpuimg/backend.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_equalize {
namespace {

constexpr EqualizeColor kModes[] = {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr,
                                    EqualizeColor::hsl};

TEST(Equalize, MatchesHandComputedGrays) {
  const auto backend = make_cpu_backend(1);
  Image image(5, 2, PixelFormat{Sample::u8, 1});
  const std::uint8_t pixels[] = {10, 10, 10, 10, 20, 30, 30, 30, 30, 30};
  std::memcpy(image.view().data, pixels, sizeof pixels);
  const Picture picture = backend->upload(image.view());
  const std::uint8_t expected[] = {0, 0, 0, 0, 42, 255, 255, 255, 255, 255};
  EXPECT_EQ(std::memcmp(backend->download(backend->equalize(picture, {})).view().data, expected, sizeof expected), 0);
}

TEST(Equalize, LeavesFlatImagesUnchanged) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const PixelFormat format : test::photographic_formats()) {
    const std::uint32_t value = random.below(format.max_value() + 1);
    Image image = test::constant_image(9, 7, format, value);
    if (format.channels >= 3) {  // one color that is neither gray nor transparent
      for (int i = 0; i < 63; ++i) {
        test::set_sample(image.view(), i % 9, i / 9, 1, format.max_value() / 3);
        test::set_sample(image.view(), i % 9, i / 9, 2, 0);
      }
    }
    if (format.has_alpha()) {
      for (int i = 0; i < 63; ++i) {
        test::set_sample(image.view(), i % 9, i / 9, format.channels - 1, 1);
      }
    }
    const Picture picture = backend->upload(image.view());
    for (const EqualizeColor color : kModes) {
      SCOPED_TRACE(test::name_of(format) + ", mode " + std::to_string(static_cast<int>(color)));
      EqualizeOptions options;
      options.color = color;
      EXPECT_TRUE(test::same_pixels(backend->download(backend->equalize(picture, options)).view(), image.view()));
      options.formula = EqualizeFormula::pillow;
      EXPECT_TRUE(test::same_pixels(backend->download(backend->equalize(picture, options)).view(), image.view()));
    }
  }
}

TEST(Equalize, CdfMakesFlatImagesWhite) {
  const auto backend = make_cpu_backend(1);
  for (const PixelFormat format : test::photographic_formats()) {
    const Image white = test::constant_image(9, 7, format, format.max_value());
    const std::uint32_t value = format.max_value() / 5;
    Image gray = test::constant_image(9, 7, format, value);
    for (int i = 0; format.has_alpha() && i < 63; ++i) {
      test::set_sample(gray.view(), i % 9, i / 9, format.channels - 1, format.max_value());
    }
    Image colored = gray.clone();
    for (int i = 0; format.channels >= 3 && i < 63; ++i) {
      test::set_sample(colored.view(), i % 9, i / 9, 1, 2 * value);
      test::set_sample(colored.view(), i % 9, i / 9, 2, 0);
    }
    for (const EqualizeColor color : kModes) {
      SCOPED_TRACE(test::name_of(format) + ", mode " + std::to_string(static_cast<int>(color)));
      EqualizeOptions options;
      options.formula = EqualizeFormula::cdf;
      options.color = color;
      const auto equalized = [&](const Image& image) {
        return backend->download(backend->equalize(backend->upload(image.view()), options));
      };
      EXPECT_TRUE(test::same_pixels(equalized(gray).view(), white.view()));
      // joint maps levels that do not occur in the image, and ycbcr keeps the color differences.
      if (color != EqualizeColor::joint && color != EqualizeColor::ycbcr) {
        EXPECT_TRUE(test::same_pixels(equalized(colored).view(), white.view()));
      }
    }
  }
}

TEST(Equalize, ReturnedTablesReproduceTheImage) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const EqualizeColor color : {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::ycbcr}) {
      SCOPED_TRACE(test::name_of(format) + ", mode " + std::to_string(static_cast<int>(color)));
      const Picture picture = backend->upload(test::smooth_image(random, 40, 30, format));
      EqualizeOptions options;
      options.color = color;
      options.strength = 0.5;  // the returned tables do not include blending
      LevelTables used;
      const Image first = backend->download(backend->equalize(picture, options, &used));
      const bool by_channel = color == EqualizeColor::rgb && format.channels >= 3;
      ASSERT_EQ(used.maps.size(), by_channel ? 3U : 1U);
      EXPECT_EQ(used.maps[0].size(), format.max_value() + std::size_t{1});
      options.tables = &used;
      LevelTables again;
      EXPECT_TRUE(
          test::same_pixels(backend->download(backend->equalize(picture, options, &again)).view(), first.view()));
      EXPECT_EQ(again.maps, used.maps);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_equalize

// compare_images against plain loops over random pairs of all formats; the sums near the largest values.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "report/image_comparison.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_image_comparison {
namespace {

using Pixel = std::vector<std::int64_t>;

std::int64_t sample_at(const Image& image, int x, int y, int channel) {
  const int i = x * image.format().channels + channel;
  return image.format().sample == Sample::u8 ? image.view().row<std::uint8_t>(y)[i]
                                             : image.view().row<std::uint16_t>(y)[i];
}

/// What docs/operations.md, "Comparison", says a pixel counts as.
Pixel pixel_at(const Image& image, int x, int y, bool is_deep, bool is_rgb, bool has_alpha) {
  const std::int64_t scale = is_deep && image.format().sample == Sample::u8 ? 257 : 1;
  Pixel pixel;
  for (int c = 0; c < (is_rgb ? 3 : 1); ++c) {
    pixel.push_back(scale * sample_at(image, x, y, image.format().channels >= 3 ? c : 0));
  }
  if (has_alpha) {
    const std::int64_t opaque = is_deep ? 65535 : 255;
    pixel.push_back(image.format().has_alpha() ? scale * sample_at(image, x, y, image.format().channels - 1) : opaque);
  }
  return pixel;
}

void expect_as_plain_loops(const Image& a, const Image& b, std::uint32_t tolerance) {
  const bool is_deep = a.format().sample == Sample::u16 || b.format().sample == Sample::u16;
  const bool is_rgb = std::max(a.format().channels, b.format().channels) >= 3;
  const bool has_alpha = a.format().has_alpha() || b.format().has_alpha();
  const std::size_t channels = (is_rgb ? 3U : 1U) + (has_alpha ? 1U : 0U);
  std::vector<std::int64_t> sums(channels);
  std::vector<std::int64_t> greatest(channels);
  std::int64_t squares = 0;
  std::uint64_t differing = 0;
  int first_x = -1;
  int first_y = -1;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const Pixel p = pixel_at(a, x, y, is_deep, is_rgb, has_alpha);
      const Pixel q = pixel_at(b, x, y, is_deep, is_rgb, has_alpha);
      bool differs = false;
      for (std::size_t c = 0; c < channels; ++c) {
        const std::int64_t difference = std::abs(p[c] - q[c]);
        sums[c] += difference;
        squares += difference * difference;
        greatest[c] = std::max(greatest[c], difference);
        differs = differs || difference > tolerance;
      }
      if (differs && differing++ == 0) {
        first_x = x;
        first_y = y;
      }
    }
  }
  const ImageComparison result = compare_images(a.view(), b.view(), {.tolerance = tolerance});
  const auto pixels = static_cast<double>(a.view().pixel_count());
  EXPECT_TRUE(result.same_size);
  EXPECT_EQ(result.bits, is_deep ? 16 : 8);
  EXPECT_EQ(result.differing, differing);
  EXPECT_EQ(result.is_equal(), differing == 0);
  ASSERT_EQ(result.first.has_value(), differing > 0);
  if (result.first) {
    EXPECT_EQ(result.first->x, first_x);
    EXPECT_EQ(result.first->y, first_y);
    const Pixel p = pixel_at(a, first_x, first_y, is_deep, is_rgb, has_alpha);
    EXPECT_TRUE(std::equal(p.begin(), p.end(), result.first->a.begin(), result.first->a.end()));
  }
  ASSERT_EQ(result.channels.size(), channels);
  for (std::size_t c = 0; c < channels; ++c) {
    EXPECT_EQ(result.channels[c].greatest, greatest[c]);
    EXPECT_DOUBLE_EQ(result.channels[c].mean, static_cast<double>(sums[c]) / pixels);
  }
  const double mse = static_cast<double>(squares) / (pixels * static_cast<double>(channels));
  EXPECT_DOUBLE_EQ(result.mean_squared_error, mse);
  const double v = is_deep ? 65535.0 : 255.0;
  if (squares == 0) {
    EXPECT_TRUE(std::isinf(result.psnr_db));
  } else {
    EXPECT_NEAR(result.psnr_db, 10.0 * std::log10(v * v / mse), 1e-9);
  }
}

/// A copy with a few samples changed by a few levels.
Image nearly(const Image& image, test::Random& random) {
  Image copy = image.clone();
  const std::uint32_t changes = random.below(4);
  for (std::uint32_t i = 0; i < changes; ++i) {
    const int y = random.between(0, copy.height() - 1);
    const int at = random.between(0, copy.width() * copy.format().channels - 1);
    if (copy.format().sample == Sample::u8) {
      copy.view().row<std::uint8_t>(y)[at] ^= static_cast<std::uint8_t>(random.below(4));
    } else {
      copy.view().row<std::uint16_t>(y)[at] ^= static_cast<std::uint16_t>(random.below(4));
    }
  }
  return copy;
}

TEST(ImageComparison, EveryPairOfFormats) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat first : test::photographic_formats()) {
    for (const PixelFormat second : test::photographic_formats()) {
      const int width = random.between(1, 40);
      const int height = random.between(1, 12);
      SCOPED_TRACE(test::name_of(first) + " and " + test::name_of(second));
      const Image a = test::random_image(random, width, height, first);
      const Image b = first == second ? nearly(a, random) : test::random_image(random, width, height, second);
      for (const std::uint32_t tolerance : {0U, 1U, 2U, 200U, 65535U}) {
        expect_as_plain_loops(a, b, tolerance);
      }
    }
  }
}

TEST(ImageComparison, LargestDifferencesOfAWideRow) {
  const PixelFormat format{Sample::u16, 4};
  expect_as_plain_loops(test::constant_image(70000, 2, format, 0), test::constant_image(70000, 2, format, 65535),
                        65534);
}

TEST(ImageComparison, OtherSize) {
  const PixelFormat format{Sample::u8, 1};
  const Image wide = test::constant_image(3, 2, format, 1);
  const ImageComparison result =
      compare_images(wide.view(), test::constant_image(2, 3, format, 1).view(), {.tolerance = 255});
  EXPECT_FALSE(result.same_size);
  EXPECT_FALSE(result.is_equal());
}

/// SSIM of one channel by the words of docs/operations.md, "Structural similarity": each window summed on its own.
double plain_ssim(const Image& a, const Image& b, int channel) {
  const double v = a.format().sample == Sample::u8 ? 255.0 : 65535.0;
  const double c1 = 2401.0 * v * v / 1e4;
  const double c2 = 2352.0 * 9.0 * v * v / 1e4;
  std::int64_t units = 0;
  for (int top = 0; top + 7 <= a.height(); ++top) {
    for (int left = 0; left + 7 <= a.width(); ++left) {
      std::array<std::int64_t, 5> sums{};
      for (int i = 0; i < 49; ++i) {
        const std::int64_t p = sample_at(a, left + i % 7, top + i / 7, channel);
        const std::int64_t q = sample_at(b, left + i % 7, top + i / 7, channel);
        const std::array<std::int64_t, 5> added = {p, q, p * p, q * q, p * q};
        std::transform(sums.begin(), sums.end(), added.begin(), sums.begin(), std::plus<>());
      }
      const auto [p, q, pp, qq, pq] = sums;
      const auto above = (static_cast<double>(2 * p * q) + c1) * (static_cast<double>(2 * (49 * pq - p * q)) + c2);
      const auto below =
          (static_cast<double>(p * p + q * q) + c1) * (static_cast<double>(49 * (pp + qq) - p * p - q * q) + c2);
      units += std::llrint(std::ldexp(above / below, 40));
    }
  }
  return std::ldexp(static_cast<double>(units), -40) / static_cast<double>((a.width() - 6) * (a.height() - 6));
}

TEST(ImageComparison, SimilarityAsPlainLoops) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    for (int time = 0; time < 4; ++time) {
      const int width = random.between(7, 70);
      const int height = random.between(7, 40);
      SCOPED_TRACE(test::name_of(format));
      const Image a = test::random_image(random, width, height, format);
      const Image b = time < 3 ? nearly(a, random) : test::random_image(random, width, height, format);
      const ImageComparison result = compare_images(a.view(), b.view(), {});
      double sum = 0.0;
      for (int c = 0; c < format.channels; ++c) {
        const double expected = plain_ssim(a, b, c);
        EXPECT_EQ(result.channels[static_cast<std::size_t>(c)].ssim, expected);
        sum += expected;
      }
      EXPECT_EQ(result.ssim, sum / format.channels);
    }
  }
}

TEST(ImageComparison, SimilarityOfTheGreatestSums) {
  const PixelFormat format{Sample::u16, 1};
  const Image black = test::constant_image(40, 9, format, 0);
  const Image white = test::constant_image(40, 9, format, 65535);
  EXPECT_EQ(compare_images(black.view(), white.view(), {}).ssim, plain_ssim(black, white, 0));
  EXPECT_EQ(compare_images(white.view(), white.view(), {}).ssim, 1.0);
}

TEST(ImageComparison, SimilarityNeedsAWindow) {
  const PixelFormat format{Sample::u8, 3};
  const auto ssim = [&](int width, int height, SsimWindow window) {
    const Image image = test::constant_image(width, height, format, 7);
    return compare_images(image.view(), image.view(), {.window = window}).ssim;
  };
  EXPECT_FALSE(ssim(6, 7, SsimWindow::box));
  EXPECT_FALSE(ssim(7, 6, SsimWindow::box));
  EXPECT_EQ(ssim(7, 7, SsimWindow::box), 1.0);
  EXPECT_FALSE(ssim(10, 20, SsimWindow::gaussian));
  EXPECT_EQ(ssim(11, 11, SsimWindow::gaussian), 1.0);
}

TEST(ImageComparison, LimitsThatDoNotHoldAreNamed) {
  ImageComparison found;
  found.same_size = true;
  found.pixels = 1000;
  found.differing = 5;
  found.psnr_db = 29.999;
  found.ssim = 0.9499999;
  ComparisonLimits limits;
  EXPECT_EQ(limits.broken_by(found), "");
  limits.differing = 5;
  limits.differing_percent = 0.5;
  limits.min_psnr_db = 29.999;
  EXPECT_EQ(limits.broken_by(found), "");
  limits.differing = 4;
  EXPECT_EQ(limits.broken_by(found), "more than 4 pixels differ");
  limits.differing.reset();
  limits.differing_percent = 0.4;
  limits.min_psnr_db = 30;
  limits.min_ssim = 0.95;
  EXPECT_EQ(limits.broken_by(found),
            "more than 0.4% of the pixels differ, PSNR 29.99 dB is below 30, SSIM 0.949999 is below 0.95");
  found.ssim.reset();
  EXPECT_THROW((void)limits.broken_by(found), Error);
}

}  // namespace
}  // namespace gpuimg::test_image_comparison

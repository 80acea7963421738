// Compares compare_images with plain loops for random pairs of all formats, and with sums near the largest values.
// Compares SSIM, on each instruction set, with the text of docs/operations.md and with the formulas of the paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/image_comparison.hpp"
#include "support/instruction_sets.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_image_comparison {
namespace {

using Pixel = std::vector<std::int64_t>;

std::int64_t sample_at(const Image& image, int x, int y, int channel) {
  const int i = x * image.format().channels + channel;
  return image.format().sample == Sample::u8 ? image.view().row<std::uint8_t>(y)[i]
                                             : image.view().row<std::uint16_t>(y)[i];
}

/// The values that represent a pixel, according to docs/operations.md, "Comparison".
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

/// A copy in which a few samples are changed by a few levels.
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

TEST(ImageComparison, MatchesPlainLoopsForEveryPairOfFormats) {
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

TEST(ImageComparison, AddsTheLargestDifferencesOfAWideRow) {
  const PixelFormat format{Sample::u16, 4};
  expect_as_plain_loops(test::constant_image(70000, 2, format, 0), test::constant_image(70000, 2, format, 65535),
                        65534);
}

TEST(ImageComparison, ReportsDifferentSizes) {
  const PixelFormat format{Sample::u8, 1};
  const Image wide = test::constant_image(3, 2, format, 1);
  const ImageComparison result =
      compare_images(wide.view(), test::constant_image(2, 3, format, 1).view(), {.tolerance = 255});
  EXPECT_FALSE(result.same_size);
  EXPECT_FALSE(result.is_equal());
}

/// SSIM of one channel, written from docs/operations.md, "Structural similarity". Each window is summed separately.
double plain_box_ssim(ConstView a, ConstView b, int channel) {
  const double v = a.format.max_value();
  const double c1 = 2401.0 * v * v / 1e4;
  const double c2 = 2352.0 * 9.0 * v * v / 1e4;
  std::int64_t units = 0;
  for (int top = 0; top + 7 <= a.height; ++top) {
    for (int left = 0; left + 7 <= a.width; ++left) {
      std::array<std::int64_t, 5> sums{};
      for (int i = 0; i < 49; ++i) {
        const std::int64_t p = test::sample_at(a, left + i % 7, top + i / 7, channel);
        const std::int64_t q = test::sample_at(b, left + i % 7, top + i / 7, channel);
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
  return std::ldexp(static_cast<double>(units), -40) / static_cast<double>((a.width - 6) * (a.height - 6));
}

std::array<long double, 6> gaussian_weights() {
  std::array<long double, 6> weights{};
  long double sum = 0;
  for (int k = -5; k <= 5; ++k) {
    const long double weight = std::exp(static_cast<long double>(-k * k) / 4.5L);
    weights.at(static_cast<std::size_t>(std::abs(k))) = weight;
    sum += weight;
  }
  for (long double& weight : weights) {
    weight /= sum;
  }
  return weights;
}

/// The weighted sum of eleven values, as the text defines it.
double weighted(const std::array<double, 11>& v) {
  static const std::array<long double, 6> kWeights = gaussian_weights();
  double sum = static_cast<double>(kWeights[0]) * v[5];
  for (std::size_t k = 1; k <= 5; ++k) {
    const double both = v[5 - k] + v[5 + k];
    sum += static_cast<double>(kWeights.at(k)) * both;
  }
  return sum;
}

/// SSIM of one channel with --gaussian, written from the same text.
double plain_gaussian_ssim(ConstView a, ConstView b, int channel) {
  const double v = a.format.max_value();
  const double c1 = v * v / 1e4;
  const double c2 = 9.0 * v * v / 1e4;
  const std::array<std::function<double(double, double)>, 4> values = {
      [](double p, double) { return p; }, [](double, double q) { return q; },
      [](double p, double q) { return p * p + q * q; }, [](double p, double q) { return p * q; }};
  std::int64_t units = 0;
  for (int top = 0; top + 11 <= a.height; ++top) {
    for (int left = 0; left + 11 <= a.width; ++left) {
      std::array<double, 4> sums{};
      for (std::size_t kind = 0; kind < 4; ++kind) {
        std::array<double, 11> columns{};
        for (int x = 0; x < 11; ++x) {
          std::array<double, 11> column{};
          for (int y = 0; y < 11; ++y) {
            column.at(static_cast<std::size_t>(y)) = values.at(kind)(test::sample_at(a, left + x, top + y, channel),
                                                                     test::sample_at(b, left + x, top + y, channel));
          }
          columns.at(static_cast<std::size_t>(x)) = weighted(column);
        }
        sums.at(kind) = weighted(columns);
      }
      const auto [p, q, s, m] = sums;
      const double above = (2.0 * p * q + c1) * (2.0 * (m - p * q) + c2);
      const double below = (p * p + q * q + c1) * (s - (p * p + q * q) + c2);
      units += std::llrint(std::ldexp(above / below, 40));
    }
  }
  return std::ldexp(static_cast<double>(units), -40) / static_cast<double>((a.width - 10) * (a.height - 10));
}

/// SSIM of one channel by the formulas of the paper: means, and variances and covariance around the means.
long double ssim_of_the_paper(ConstView a, ConstView b, int channel, SsimWindow window) {
  const int side = ssim_side(window);
  const bool is_box = window == SsimWindow::box;
  const long double v = a.format.max_value();
  const long double c1 = 0.01L * v * (0.01L * v);
  const long double c2 = 0.03L * v * (0.03L * v);
  const std::array<long double, 6> gaussian = gaussian_weights();
  const auto weight = [&](int at) {
    return is_box ? 1.0L / 7.0L : gaussian.at(static_cast<std::size_t>(std::abs(at - side / 2)));
  };
  long double sum = 0;
  for (int top = 0; top + side <= a.height; ++top) {
    for (int left = 0; left + side <= a.width; ++left) {
      const auto mean_of = [&](const auto& value) {
        long double mean = 0;
        for (int i = 0; i < side * side; ++i) {
          const int x = i % side;
          const int y = i / side;
          mean += weight(x) * weight(y) *
                  value(static_cast<long double>(test::sample_at(a, left + x, top + y, channel)),
                        static_cast<long double>(test::sample_at(b, left + x, top + y, channel)));
        }
        return mean;
      };
      using Level = long double;
      const long double p = mean_of([](Level one, Level) { return one; });
      const long double q = mean_of([](Level, Level other) { return other; });
      const long double of_sample = is_box ? 49.0L / 48.0L : 1.0L;
      const long double pp = of_sample * mean_of([&](Level one, Level) { return (one - p) * (one - p); });
      const long double qq = of_sample * mean_of([&](Level, Level other) { return (other - q) * (other - q); });
      const long double pq = of_sample * mean_of([&](Level one, Level other) { return (one - p) * (other - q); });
      sum += (2 * p * q + c1) * (2 * pq + c2) / ((p * p + q * q + c1) * (pp + qq + c2));
    }
  }
  return sum / static_cast<long double>((a.width - side + 1) * (a.height - side + 1));
}

/// An image whose rows are followed by other pixels and can begin at any byte or sample.
class PaddedImage {
 public:
  PaddedImage(const Image& image, test::Random& random)
      : width_(image.width()),
        wide_(test::random_image(random, image.width() + random.between(1, 9), image.height(), image.format())),
        first_(random.between(0, wide_.width() - width_)) {
    for (int y = 0; y < image.height(); ++y) {
      std::memcpy(wide_.view().row_bytes(y) + offset(), image.view().row_bytes(y), image.view().tight_pitch_bytes());
    }
  }

  [[nodiscard]] ConstView view() const {
    const ConstView wide = wide_.view();
    return {wide.row_bytes(0) + offset(), width_, wide.height, wide.pitch_bytes, wide.format};
  }

 private:
  [[nodiscard]] std::size_t offset() const {
    return static_cast<std::size_t>(first_) * wide_.format().bytes_per_pixel();
  }

  int width_;
  Image wide_;
  int first_;
};

/// Each instruction set gives exactly the result of the plain loops, which must be close to the paper's formulas.
void expect_similarity(ConstView a, ConstView b, SsimWindow window, bool compares_with_paper = true) {
  std::vector<double> expected;
  double sum = 0.0;
  for (int c = 0; c < a.format.channels; ++c) {
    expected.push_back(window == SsimWindow::box ? plain_box_ssim(a, b, c) : plain_gaussian_ssim(a, b, c));
    sum += expected.back();
    if (compares_with_paper) {
      EXPECT_NEAR(expected.back(), static_cast<double>(ssim_of_the_paper(a, b, c, window)), 1e-9);
    }
  }
  for (const std::int64_t set : test::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(set));
    const test::OnlySet only(set);
    const ImageComparison result = compare_images(a, b, {.window = window});
    ASSERT_EQ(result.channels.size(), expected.size());
    for (std::size_t c = 0; c < expected.size(); ++c) {
      EXPECT_EQ(result.channels[c].ssim, expected[c]) << "channel " << c;
    }
    EXPECT_EQ(result.ssim, sum / a.format.channels);
  }
}

/// Any image and a second one: nearly equal, equal except for some rows, inverted, or any other image.
std::array<Image, 2> pair_of_images(int width, int height, PixelFormat format, test::Random& random) {
  Image a = test::any_image(random, width, height, format);
  const std::uint32_t kind = random.below(4);
  Image b = kind == 0 ? nearly(a, random) : kind == 3 ? test::any_image(random, width, height, format) : a.clone();
  const int first = kind == 1 ? random.between(0, height - 1) : 0;
  const int last = kind == 1 ? random.between(first, height - 1) : height - 1;
  for (int y = first; y <= last && (kind == 1 || kind == 2); ++y) {
    for (int i = 0; i < width * format.channels; ++i) {
      const std::uint32_t level = test::sample_at(a.view(), i / format.channels, y, i % format.channels);
      test::set_sample(b.view(), i / format.channels, y, i % format.channels, format.max_value() - level);
    }
  }
  return {std::move(a), std::move(b)};
}

TEST(ImageComparison, SimilarityIsTheSameForEachInstructionSet) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    for (const SsimWindow window : {SsimWindow::box, SsimWindow::gaussian}) {
      const int side = ssim_side(window);
      for (int time = 0; time < 12; ++time) {
        const bool is_smallest = time == 0;
        const int width = is_smallest ? side : random.between(side, time == 1 ? side : 61);
        const int height = is_smallest ? side : random.between(side, time == 2 ? side : 30);
        SCOPED_TRACE(test::name_of(format) + ", " + std::to_string(width) + "x" + std::to_string(height));
        const auto [a, b] = pair_of_images(width, height, format, random);
        const PaddedImage padded_a(a, random);
        const PaddedImage padded_b(b, random);
        expect_similarity(padded_a.view(), padded_b.view(), window);
      }
    }
  }
}

TEST(ImageComparison, SimilarityOfConstantImagesMatchesPlainLoops) {
  for (const PixelFormat format : test::photographic_formats()) {
    const std::uint32_t v = format.max_value();
    for (const SsimWindow window : {SsimWindow::box, SsimWindow::gaussian}) {
      const int side = ssim_side(window);
      SCOPED_TRACE(test::name_of(format));
      for (const std::array<std::uint32_t, 2> levels :
           {std::array{0U, v}, {v, v}, {0U, 0U}, {1U, 0U}, {v / 3, v / 2}}) {
        const Image a = test::constant_image(2 * side + 1, side + 2, format, levels[0]);
        const Image b = test::constant_image(2 * side + 1, side + 2, format, levels[1]);
        expect_similarity(a.view(), b.view(), window);
        if (levels[0] == levels[1]) {
          EXPECT_EQ(compare_images(a.view(), b.view(), {.window = window}).ssim, 1.0);
        }
      }
    }
  }
}

/// The sums of a row are accumulated in parts.
TEST(ImageComparison, SimilarityOfWideRowsMatchesPlainLoops) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const PixelFormat format{Sample::u8, 3};
  for (const SsimWindow window : {SsimWindow::box, SsimWindow::gaussian}) {
    const auto [a, b] = pair_of_images(random.between(33000, 34000), ssim_side(window), format, random);
    expect_similarity(a.view(), b.view(), window, false);
  }
}

TEST(ImageComparison, SimilarityNeedsRoomForAWindow) {
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

TEST(ImageComparison, NamesLimitsThatAreExceeded) {
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

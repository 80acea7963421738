// Means, variances and deviations of windows compared with oracles in plain loops: every format, border and statistic,
// small images with large windows, and sums that exceed 32 and 64 bits. tests/live/compare_windows.py compares with
// OpenCV and NumPy.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpuimg/backend.hpp"
#include "ops/window.hpp"
#include "support/oracle_window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_window {
namespace {

constexpr Border kBorders[] = {Border::reflect101, Border::replicate, Border::cut};

/// The moments of the window around each pixel of a channel.
struct Windows {
  Image plane;
  Image weights;
  const WindowOptions& options;

  Windows(ConstView pixels, Channel channel, const WindowOptions& of)
      : plane(oracle::plane_of(pixels, channel, of.luma)),
        weights(oracle::weights_of(pixels, {std::nullopt, nullptr, of.count_transparent})),
        options(of) {}

  [[nodiscard]] oracle::Moments at(int x, int y) const {
    const auto samples = [&](const Image& of) {
      return oracle::window_samples(of.view(), x, y, options.size, options.border);
    };
    return oracle::moments_of(samples(plane), samples(weights), plane.format().max_value());
  }
};

Image expected_means(ConstView pixels, const WindowOptions& options) {
  Image out = copy_of(pixels);
  for (int c = 0; c < pixels.format.color_channels(); ++c) {
    const Windows windows(pixels, static_cast<Channel>(static_cast<int>(Channel::red) + c), options);
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        const oracle::Moments moments = windows.at(x, y);
        if (moments.n > 0) {
          test::set_sample(out.view(), x, y, c, static_cast<std::uint32_t>(moments.rounded_mean()));
        }
      }
    }
  }
  return out;
}

/// Each color divided by the mean around it, scaled so that the mean becomes white.
Image expected_parts(ConstView pixels, const WindowOptions& options) {
  Image out = expected_means(pixels, options);
  const std::uint64_t v_max = pixels.format.max_value();
  for (int c = 0; c < pixels.format.color_channels(); ++c) {
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        const std::uint64_t mean = test::sample_at(out.view(), x, y, c);
        const std::uint64_t twice = 2 * v_max * test::sample_at(pixels, x, y, c);
        const std::uint64_t part =
            // Halving the floored quotient rounds like halving the exact one.
            mean == 0 ? v_max : (twice / mean + 1) / 2;
        test::set_sample(out.view(), x, y, c, static_cast<std::uint32_t>(std::min(part, v_max)));
      }
    }
  }
  return out;
}

Image expected_moments(ConstView pixels, const WindowOptions& options) {
  Image out(pixels.width, pixels.height, {Sample::f32, 1});
  const Windows windows(pixels, options.channel, options);
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const double variance = windows.at(x, y).variance();
      out.view().row<float>(y)[x] =
          static_cast<float>(options.statistic == WindowStatistic::variance ? variance : std::sqrt(variance));
    }
  }
  return out;
}

void expect_oracle(Backend& backend, const Image& image, const WindowOptions& options) {
  const Image expected = options.statistic == WindowStatistic::mean   ? expected_means(image.view(), options)
                         : options.statistic == WindowStatistic::flat ? expected_parts(image.view(), options)
                                                                      : expected_moments(image.view(), options);
  const Image actual = backend.download(backend.apply(backend.upload(image.view()), options));
  ASSERT_TRUE(test::same_pixels(actual.view(), expected.view()))
      << test::name_of(image.format()) << " " << image.width() << "x" << image.height() << ", window "
      << options.size.width << "x" << options.size.height << ", border " << static_cast<int>(options.border)
      << ", statistic " << static_cast<int>(options.statistic);
}

TEST(Window, MatchesTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const Border border : kBorders) {
      for (int round = 0; round < test::rounds(14); ++round) {
        const int longest = round % 2 == 0 ? 7 : 40;
        Image image = test::any_image(random, random.between(1, longest), random.between(1, longest), format);
        if (random.below(2) == 0) {
          test::make_area_opaque(random, image.view());
        }
        WindowOptions options;
        options.count_transparent = random.below(4) == 0;
        options.statistic = static_cast<WindowStatistic>(random.below(4));
        options.border = border;
        const auto side = [&] { return 2 * random.between(0, std::max(image.width(), image.height()) - 1) + 1; };
        options.size = side();
        options.size.height = random.below(2) == 0 ? options.size.width : side();
        options.channel = static_cast<Channel>(random.below(format.has_alpha() ? 5 : 4));
        options.luma = static_cast<Luma>(random.below(4));
        expect_oracle(*backend, image, options);
        if (HasFatalFailure()) {
          return;
        }
      }
    }
  }
}

TEST(Window, FlatLevelsDivideByTheMeanAndRound) {
  EXPECT_EQ(flat_level(0, 0, 255), 255U);
  EXPECT_EQ(flat_level(1, 0, 255), 255U);
  EXPECT_EQ(flat_level(0, 1, 255), 0U);
  EXPECT_EQ(flat_level(1, 2, 255), 128U);  // 127.5
  EXPECT_EQ(flat_level(199, 200, 255), 254U);
  EXPECT_EQ(flat_level(200, 200, 255), 255U);
  EXPECT_EQ(flat_level(255, 200, 255), 255U);
  EXPECT_EQ(flat_level(65534, 65535, 65535), 65534U);
  EXPECT_EQ(flat_level(1, 65535, 65535), 1U);
  const auto in_integers = [](std::uint64_t level, std::uint64_t mean, std::uint64_t v_max) {
    return level >= mean ? v_max : (2 * level * v_max + mean) / (2 * mean);
  };
  for (std::uint32_t mean = 0; mean < 256; ++mean) {
    for (std::uint32_t level = 0; level < 256; ++level) {
      ASSERT_EQ(flat_level(level, mean, 255), in_integers(level, mean, 255)) << level << " of " << mean;
    }
  }
  for (std::uint32_t mean = 0; mean < 65536; mean += mean < 300 || mean > 65000 ? 1 : 251) {
    for (std::uint32_t level = 0; level < mean; level += level < 300 || level + 300 > mean ? 1 : 97) {
      ASSERT_EQ(flat_level(level, mean, 65535), in_integers(level, mean, 65535)) << level << " of " << mean;
    }
  }
}

/// A hidden red pixel next to a white one: the mean contains no red. A pixel with low alpha has a low weight.
TEST(Window, HiddenColorsDoNotAffectTheMean) {
  const auto backend = make_cpu_backend(1);
  Image image(3, 1, {Sample::u8, 4});
  constexpr std::array<std::uint8_t, 12> kPixels = {255, 255, 255, 255, 255, 0, 0, 0, 100, 50, 0, 51};
  std::copy_n(kPixels.data(), kPixels.size(), image.view().row<std::uint8_t>(0));
  const auto means = [&](bool count_transparent) {
    WindowOptions options;
    options.size = 3;
    options.border = Border::cut;
    options.count_transparent = count_transparent;
    const Image out = backend->download(backend->apply(backend->upload(image.view()), options));
    const auto* row = out.view().row<std::uint8_t>(0);
    return std::vector<int>(row, row + 12);
  };
  // (255·255 + 51·100) / 306 = 229.2
  EXPECT_EQ(means(false), (std::vector<int>{255, 255, 255, 255, 229, 221, 213, 0, 100, 50, 0, 51}));
  EXPECT_EQ(means(true), (std::vector<int>{255, 128, 128, 255, 203, 102, 85, 0, 178, 25, 0, 51}));
}

/// The sums of squares exceed 64 bits.
TEST(Window, WeightsOfLargeWindowsDoNotOverflow) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  Image image(700, 3, {Sample::u16, 2});
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 700; ++x) {
      test::set_sample(image.view(), x, y, 0, x < 350 ? 0 : 65535);
      test::set_sample(image.view(), x, y, 1, 65535 - random.below(2));
    }
  }
  WindowOptions options;
  options.statistic = WindowStatistic::variance;
  options.size = 1399;
  options.border = Border::reflect101;
  const Image variance = backend->download(backend->apply(backend->upload(image.view()), options));
  const Windows windows(image.view(), Channel::luma, options);
  for (const int x : {0, 350, 699}) {
    EXPECT_EQ(variance.view().row<float>(1)[x], static_cast<float>(windows.at(x, 1).variance())) << x;
  }
}

TEST(Window, MatchesHandComputedMeans) {
  const auto backend = make_cpu_backend(1);
  Image image(3, 1, {Sample::u8, 1});
  std::copy_n(std::array<std::uint8_t, 3>{0, 10, 250}.data(), 3, image.view().row<std::uint8_t>(0));
  const auto means = [&](Border border) {
    WindowOptions options;
    options.size = 3;
    options.border = border;
    const Image out = backend->download(backend->apply(backend->upload(image.view()), options));
    const auto* row = out.view().row<std::uint8_t>(0);
    return std::vector<int>(row, row + 3);
  };
  EXPECT_EQ(means(Border::reflect101), (std::vector<int>{7, 87, 90}));
  EXPECT_EQ(means(Border::replicate), (std::vector<int>{3, 87, 170}));
  EXPECT_EQ(means(Border::cut), (std::vector<int>{5, 87, 130}));
}

TEST(Window, WhiteImagesStayWhiteWithZeroVariance) {
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u16, 1}}) {
    const Image white = test::constant_image(301, 203, format, format.max_value());
    for (const Border border : kBorders) {
      for (const int size : {1, 63, 181, 183, 257, 401, 601}) {
        WindowOptions options;
        options.size = size;
        options.border = border;
        EXPECT_TRUE(test::same_pixels(backend->download(backend->apply(backend->upload(white.view()), options)).view(),
                                      white.view()))
            << size;
        options.statistic = WindowStatistic::variance;
        const Image variance = backend->download(backend->apply(backend->upload(white.view()), options));
        const auto* first = variance.view().row<float>(0);
        EXPECT_TRUE(std::all_of(first, first + 301 * 203, [](float each) { return each == 0.0F; })) << size;
      }
    }
  }
}

/// Half of the image is black and half is white; with 16 bits, nΣx² and n² exceed 64 bits.
TEST(Window, NumeratorsMayExceed64Bits) {
  const auto backend = make_cpu_backend(2);
  Image image(1400, 3, {Sample::u16, 1});
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 1400; ++x) {
      image.view().row<std::uint16_t>(y)[x] = x < 700 ? 0 : 65535;
    }
  }
  WindowOptions options;
  options.statistic = WindowStatistic::variance;
  options.size = 1399;
  options.border = Border::replicate;
  const Image variance = backend->download(backend->apply(backend->upload(image.view()), options));
  for (const int x : {1, 699, 700, 1398}) {
    const double white = x;  // the window's last column is x + 699; columns from 700 on are white
    const double share = white / 1399.0;
    EXPECT_NEAR(variance.view().row<float>(1)[x] / (share * (1 - share) * 65535.0 * 65535.0 + 1), 1.0, 1e-5) << x;
  }
}

/// For images that are too large for the oracle, a summed-area table gives the expected means.
TEST(Window, MeansMatchASummedAreaTable) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 60; ++round) {
    const PixelFormat format{round % 2 == 0 ? Sample::u8 : Sample::u16, 1};
    const Image image = test::any_image(random, random.between(100, 300), random.between(20, 200), format);
    WindowOptions options;
    options.size = 2 * random.between(0, std::min(image.width() - 1, 200)) + 1;
    options.border = Border::cut;
    IntegralOptions sums;
    sums.type = Sample::u64;
    const Picture picture = backend->upload(image.view());
    const Image table = backend->download(backend->integral(picture, sums));
    const Image means = backend->download(backend->apply(picture, options));
    const int r = options.size.width / 2;
    for (int y = 0; y < image.height(); ++y) {
      const int top = std::max(0, y - r);
      const int bottom = std::min(image.height(), y + r + 1);
      const auto* above = table.view().row<std::uint64_t>(top);
      const auto* below = table.view().row<std::uint64_t>(bottom);
      for (int x = 0; x < image.width(); ++x) {
        const int left = std::max(0, x - r);
        const int right = std::min(image.width(), x + r + 1);
        const auto n = static_cast<std::uint64_t>((bottom - top) * (right - left));
        const std::uint64_t sum = below[right] - below[left] - above[right] + above[left];
        ASSERT_EQ(test::sample_at(means.view(), x, y, 0), (2 * sum + n) / (2 * n)) << options.size.width;
      }
    }
  }
}

TEST(Window, RoundsWideIntegersToTheNearestDouble) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 100'000; ++i) {
    Uint128 x = (Uint128{random.bits()} << 64 | random.bits()) >> random.below(128);
    if (i % 3 == 0) {  // near a tie
      x = (Uint128{random.bits() >> 11} * 2 + 1) << random.below(70);
      x += random.below(3);
      x -= 1;
    }
    ASSERT_EQ(rounded_to_double(x), static_cast<double>(x));
  }
}

TEST(Window, RejectsInvalidArguments) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(5, 3, {Sample::u8, 1}, 7));
  const auto rejected = [&](WindowSize size, Channel channel) {
    WindowOptions options;
    options.size = size;
    options.channel = channel;
    EXPECT_THROW((void)backend->apply(gray, options), Error) << size.width << "x" << size.height;
  };
  for (const int size : {-1, 0, 2, 11, 1 << 30}) {
    rejected(size, Channel::luma);
    rejected({3, size}, Channel::luma);
    rejected({size, 3}, Channel::luma);
  }
  rejected(3, Channel::alpha);
  rejected(3, Channel::hue);
  WindowOptions largest;
  largest.size = 9;
  EXPECT_NO_THROW((void)backend->apply(gray, largest));
  largest.size = kMaxWeightedWindow + 2;
  const Picture line = backend->upload(test::constant_image(40000, 1, {Sample::u8, 2}, 255));
  EXPECT_THROW((void)backend->apply(line, largest), Error);
  largest.count_transparent = true;
  EXPECT_NO_THROW((void)backend->apply(line, largest));
  // Sums of squares of 16-bit levels would exceed 64 bits; sums, and squares of 8-bit levels, would not.
  const Picture deep = backend->upload(test::constant_image(40000, 1, {Sample::u16, 1}, 65535));
  EXPECT_NO_THROW((void)backend->apply(deep, largest));
  for (const WindowStatistic statistic : {WindowStatistic::variance, WindowStatistic::deviation}) {
    largest.statistic = statistic;
    for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
      largest.border = border;
      for (const WindowSize& size : {WindowSize(kMaxSquaredWindow + 2, 1), WindowSize(1, kMaxSquaredWindow + 2)}) {
        largest.size = size;
        EXPECT_THROW((void)backend->apply(deep, largest), Error);
        EXPECT_NO_THROW((void)backend->apply(line, largest));
      }
    }
  }
  largest.border = Border::replicate;
  largest.size = kMaxSquaredWindow;
  const Image variance = backend->download(backend->apply(deep, largest));  // a single level, with the largest sums
  EXPECT_EQ(variance.view().row<float>(0)[20000], 0.0F);
}

}  // namespace
}  // namespace gpuimg::test_window

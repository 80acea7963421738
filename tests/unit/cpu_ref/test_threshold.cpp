// Thresholds against oracles in plain loops: every method, format, window and parameter. tests/live/compare_windows.py
// compares with OpenCV and scikit-image.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "gpuimg/backend.hpp"
#include "ops/threshold.hpp"
#include "support/oracle_window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_threshold {
namespace {

constexpr ThresholdMethod kMethods[] = {ThresholdMethod::otsu,    ThresholdMethod::mean,    ThresholdMethod::bradley,
                                        ThresholdMethod::niblack, ThresholdMethod::sauvola, ThresholdMethod::wolf,
                                        ThresholdMethod::nick};

/// For images so small that the criterion's cross products fit 128 bits.
std::uint32_t otsu_of(ConstView plane, ConstView weights) {
  __extension__ using Wide = __int128;
  std::vector<std::uint32_t> levels;
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      if (test::sample_at(weights, x, y, 0) > 0) {
        levels.push_back(test::sample_at(plane, x, y, 0));
      }
    }
  }
  const std::set<std::uint32_t> used(levels.begin(), levels.end());
  std::uint32_t best = 0;
  Wide best_above = 0;
  Wide best_below = 1;
  for (const std::uint32_t t : used) {
    Wide count = 0;
    Wide sum = 0;
    Wide all = 0;
    for (const std::uint32_t level : levels) {
      all += level;
      count += level <= t ? 1 : 0;
      sum += level <= t ? level : 0;
    }
    const Wide n = static_cast<Wide>(levels.size());
    const Wide below = count * (n - count);
    const Wide root = n * sum - count * all;
    if (below != 0 && root * root * best_below > best_above * below) {
      best = t;
      best_above = root * root;
      best_below = below;
    }
  }
  return best;
}

/// Of the pixels that count: their lowest level, and the largest deviation of their windows.
struct Contrast {
  double darkest = 1e9;
  double deviation = 0.0;
};

bool is_white(const oracle::Moments& moments, std::uint32_t level, const ThresholdOptions& options, double v_max,
              const Contrast& contrast) {
  if (moments.n == 0) {
    return true;
  }
  const auto n = static_cast<double>(moments.n);
  const double mean = static_cast<double>(moments.sum) / n;
  const double s = std::sqrt(moments.variance());
  const auto x = static_cast<double>(level);
  switch (options.method) {
    case ThresholdMethod::mean:
      return x - static_cast<double>(moments.rounded_mean()) >
             -std::ceil(options.offset.value_or(v_max == 255.0 ? 10.0 : 2570.0));
    case ThresholdMethod::bradley:
      return oracle::Wide{100} * level * moments.n >
             oracle::Wide{moments.sum} * static_cast<std::uint64_t>(100 - options.sensitivity);
    case ThresholdMethod::niblack: return x > mean - options.k.value_or(0.2) * s;
    case ThresholdMethod::wolf: {
      const double part = contrast.deviation == 0.0 ? 0.0 : s / contrast.deviation;
      return x > mean - options.k.value_or(0.5) * (1.0 - part) * (mean - contrast.darkest);
    }
    case ThresholdMethod::nick: {
      return x > mean + options.k.value_or(-0.2) * std::sqrt(static_cast<double>(moments.squares) / n);
    }
    default: {
      const double part = s / options.range.value_or(v_max / 2.0) - 1.0;
      return x > mean * (1.0 + options.k.value_or(0.2) * part);
    }
  }
}

/// A pixel that the mask or its alpha leaves out is white.
bool is_blank(ConstView pixels, int x, int y, const oracle::Choice& choice) {
  oracle::Choice anywhere = choice;
  anywhere.region.reset();
  return !oracle::is_counted(pixels, x, y, anywhere);
}

Image expected_result(ConstView pixels, const ThresholdOptions& options, const Image* mask = nullptr) {
  const oracle::Choice choice{options.selection.region, mask, options.selection.count_transparent};
  const Image plane = oracle::plane_of(pixels, options.channel, options.luma);
  const Image weights = oracle::weights_of(pixels, choice);
  Image out(pixels.width, pixels.height, {Sample::u8, 1});
  const bool is_global = options.method == ThresholdMethod::otsu;
  const std::uint32_t level = is_global ? otsu_of(plane.view(), weights.view()) : 0;
  const bool reflects = options.method == ThresholdMethod::niblack || options.method == ThresholdMethod::sauvola;
  const Border border = options.method == ThresholdMethod::mean ? Border::replicate
                        : reflects                              ? Border::reflect101
                                                                : Border::cut;
  const int usual = options.method == ThresholdMethod::bradley
                        ? 2 * (pixels.width / 16) + 1
                        : std::min(31, 2 * std::max(pixels.width, pixels.height) - 1);
  const auto moments_at = [&](int x, int y) {
    const auto samples = [&](const Image& of) {
      return oracle::window_samples(of.view(), x, y, options.window.value_or(WindowSize(usual)), border);
    };
    return oracle::moments_of(samples(plane), samples(weights), pixels.format.max_value());
  };
  Contrast contrast;
  for (int y = 0; options.method == ThresholdMethod::wolf && y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (test::sample_at(weights.view(), x, y, 0) > 0) {
        contrast.darkest = std::min<double>(contrast.darkest, test::sample_at(plane.view(), x, y, 0));
        contrast.deviation = std::max(contrast.deviation, std::sqrt(moments_at(x, y).variance()));
      }
    }
  }
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const std::uint32_t here = test::sample_at(plane.view(), x, y, 0);
      const bool white =
          is_blank(pixels, x, y, choice) ||
          (is_global ? here > level : is_white(moments_at(x, y), here, options, pixels.format.max_value(), contrast));
      test::set_sample(out.view(), x, y, 0, white != options.invert ? 255 : 0);
    }
  }
  return out;
}

Rect random_region(test::Random& random, const Image& image) {
  const int x = random.between(0, image.width() - 1);
  const int y = random.between(0, image.height() - 1);
  return {x, y, random.between(1, image.width() - x), random.between(1, image.height() - y)};
}

TEST(Threshold, EqualToTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const ThresholdMethod method : kMethods) {
      for (int round = 0; round < test::rounds(8); ++round) {
        const int longest = round % 2 == 0 ? 9 : 50;
        Image image = test::any_image(random, random.between(1, longest), random.between(1, longest), format);
        test::make_area_opaque(random, image.view());
        ThresholdOptions options;
        options.selection.count_transparent = random.below(3) == 0;
        if (random.below(3) == 0) {
          options.selection.region = random_region(random, image);
        }
        const std::optional<Image> mask =
            random.below(3) == 0 ? std::optional<Image>(test::random_mask(random, image.width(), image.height()))
                                 : std::nullopt;
        options.method = method;
        if (round % 3 != 0) {
          const auto side = [&] { return 2 * random.between(0, std::max(image.width(), image.height()) - 1) + 1; };
          options.window = WindowSize(side());
          options.window->height = random.below(2) == 0 ? options.window->width : side();
        }
        options.channel = static_cast<Channel>(random.below(format.has_alpha() ? 5 : 4));
        options.luma = static_cast<Luma>(random.below(4));
        const int reach = random.below(2) == 0 ? 400 : static_cast<int>(format.max_value());
        if (random.below(8) != 0) {
          options.offset = random.between(-reach, reach) / 8.0;
        }
        if (random.below(2) == 0) {
          options.range = (1 + random.below(8 * format.max_value())) / 8.0;
        }
        options.invert = random.below(3) == 0;
        options.sensitivity = random.between(0, 100);
        if (random.below(4) != 0) {
          options.k = random.between(-100, 100) / 100.0;
        }
        const Image expected = expected_result(image.view(), options, mask ? &*mask : nullptr);
        const Picture mask_picture = backend->upload(mask ? mask->view() : image.view());
        options.selection.mask = mask ? &mask_picture : nullptr;
        const Image actual = backend->download(backend->apply(backend->upload(image.view()), options));
        ASSERT_TRUE(test::same_pixels(actual.view(), expected.view()))
            << test::name_of(format) << " " << image.width() << "x" << image.height() << ", method "
            << static_cast<int>(method) << ", window " << options.window.value_or(0).width << "x"
            << options.window.value_or(0).height << ", offset " << options.offset.value_or(-1.0) << ", r "
            << options.range.value_or(0.0) << ", inverted " << options.invert << ", sensitivity " << options.sensitivity
            << ", k " << options.k.value_or(9.0) << ", transparent pixels count " << options.selection.count_transparent
            << ", with region " << options.selection.region.has_value() << ", with mask " << mask.has_value();
      }
    }
  }
}

/// Hidden levels do not move the threshold, and become white. The level that was used is told.
TEST(Threshold, HiddenPixelsAreBlank) {
  const auto backend = make_cpu_backend(1);
  Image image(4, 1, {Sample::u8, 2});
  constexpr std::array<std::uint8_t, 8> kPixels = {10, 255, 60, 255, 200, 0, 0, 0};
  std::copy_n(kPixels.data(), kPixels.size(), image.view().row<std::uint8_t>(0));
  std::uint32_t level = 999;
  ThresholdOptions options;
  options.used_level = &level;
  const auto colors = [&] {
    const Image out = backend->download(backend->apply(backend->upload(image.view()), options));
    const auto* row = out.view().row<std::uint8_t>(0);
    return std::vector<int>(row, row + 4);
  };
  EXPECT_EQ(colors(), (std::vector<int>{0, 255, 255, 255}));
  EXPECT_EQ(level, 10U);
  options.selection.count_transparent = true;
  EXPECT_EQ(colors(), (std::vector<int>{0, 0, 255, 0}));
  EXPECT_EQ(level, 60U);
  options.level = 5;
  EXPECT_EQ(colors(), (std::vector<int>{255, 255, 255, 0}));
  EXPECT_EQ(level, 5U);
}

TEST(Threshold, OtsuOfKnownHistograms) {
  const auto level_of = [](std::initializer_list<std::pair<std::size_t, std::uint64_t>> used, std::size_t levels) {
    std::vector<std::uint64_t> counts(levels);
    for (const auto& [level, count] : used) {
      counts[level] = count;
    }
    return otsu_level(counts);
  };
  EXPECT_EQ(level_of({}, 256), 0U);
  EXPECT_EQ(level_of({{0, 5}}, 256), 0U);
  EXPECT_EQ(level_of({{77, 5}}, 256), 0U);
  EXPECT_EQ(level_of({{10, 1}, {200, 1}}, 256), 10U);
  EXPECT_EQ(level_of({{10, 1}, {100, 1}, {190, 1}}, 256), 10U);  // a tie: the smaller
  EXPECT_EQ(level_of({{10, 1}, {100, 1}, {191, 1}}, 256), 100U);
  EXPECT_EQ(level_of({{10, 2}, {100, 1}, {190, 1}}, 256), 10U);
  // A tie and its two neighbors, of 2³⁴ pixels and the highest levels: exact integers tell them apart.
  const std::uint64_t many = std::uint64_t{1} << 33;
  EXPECT_EQ(level_of({{65533, many}, {65534, 7}, {65535, many}}, 65536), 65533U);
  EXPECT_EQ(level_of({{65533, many}, {65534, 7}, {65535, many + 1}}, 65536), 65534U);
  EXPECT_EQ(level_of({{65533, many + 1}, {65534, 7}, {65535, many}}, 65536), 65533U);
}

/// A sixteenth of such a line on both sides is more than a window whose pixels have weights may have.
TEST(Threshold, UsualWindowsFitLongLines) {
  const auto backend = make_cpu_backend(1);
  const Picture line = backend->upload(test::constant_image(600000, 1, {Sample::u8, 2}, 200));
  for (const ThresholdMethod method : kMethods) {
    ThresholdOptions options;
    options.method = method;
    EXPECT_NO_THROW((void)backend->apply(line, options));
  }
}

/// A faint line is black because the image has a strong one elsewhere, and paper is white beside both. Windows of one
/// pixel have no deviation: what is darker than nothing else is black.
TEST(Threshold, WolfLooksAtTheWholeImage) {
  const auto backend = make_cpu_backend(1);
  const auto colors = [&](std::initializer_list<std::uint8_t> levels, const ThresholdOptions& options) {
    Image image(static_cast<int>(levels.size()), 1, {Sample::u8, 1});
    std::copy(levels.begin(), levels.end(), image.view().row<std::uint8_t>(0));
    const Image out = backend->download(backend->apply(backend->upload(image.view()), options));
    const auto* row = out.view().row<std::uint8_t>(0);
    return std::vector<int>(row, row + levels.size());
  };
  ThresholdOptions options;
  options.method = ThresholdMethod::wolf;
  options.window = 3;
  // M = 0 and R = 127.5, which is the first pixel's. Of the gray ones m = 250/3, s² = 31250/9 and T = 60.9.
  EXPECT_EQ(colors({255, 0, 255, 0, 125, 125, 0}, options), (std::vector<int>{255, 0, 255, 0, 255, 255, 0}));
  options.scale = WolfScale{0, 1e12};  // T = m/2, and a trifle
  EXPECT_EQ(colors({100, 41, 100, 100, 51}, options), (std::vector<int>{255, 255, 255, 255, 255}));
  EXPECT_EQ(colors({100, 40, 100, 100, 51}, options), (std::vector<int>{255, 0, 255, 255, 255}));
  options.scale = WolfScale{30, 0.0};  // s/R is then 0
  EXPECT_EQ(colors({100, 40, 100, 100, 51}, options), (std::vector<int>{255, 0, 255, 255, 0}));
  options.scale.reset();
  options.window = 1;
  EXPECT_EQ(colors({7, 7, 7}, options), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(colors({7, 8, 200}, options), (std::vector<int>{0, 255, 255}));
}

/// The rows of a scale do not cut the windows.
TEST(Threshold, ScalesOfRowsAddUp) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, random.between(1, 90), random.between(2, 90), format);
    const Picture picture = backend->upload(image.view());
    ThresholdOptions options;
    options.method = ThresholdMethod::wolf;
    options.window = 2 * random.between(0, 20) + 1;
    options.window->width = std::min(options.window->width, 2 * image.width() - 1);
    options.window->height = std::min(options.window->height, 2 * image.height() - 1);
    const WolfScale all = backend->wolf_scale(picture, options, 0, image.height());
    const int middle = random.between(1, image.height() - 1);
    WolfScale sum = backend->wolf_scale(picture, options, 0, middle);
    sum.add(backend->wolf_scale(picture, options, middle, image.height()));
    EXPECT_EQ(sum, all) << test::name_of(format);
    const Image expected = backend->download(backend->apply(picture, options));
    options.scale = all;
    const Image given = backend->download(backend->apply(picture, options));
    EXPECT_TRUE(test::same_pixels(given.view(), expected.view())) << test::name_of(format);
  }
}

/// What a device keeps: the largest of integers is the scale.
TEST(Threshold, MaximaOfADeviceAreTheScale) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  EXPECT_EQ(WolfMaxima().scale(), WolfScale());
  WolfScale scale;
  WolfMaxima maxima;
  for (int i = 0; i < 2000; ++i) {
    const double variance = std::ldexp(random.between(0, 1 << 30), random.between(-60, 10));
    const auto level = static_cast<std::uint32_t>(random.between(i % 7 == 0 ? 0 : 9000, 65535));
    scale.add({level, variance});
    std::uint64_t bits = 0;
    std::memcpy(&bits, &variance, sizeof bits);
    maxima.variance = std::max(maxima.variance, bits);
    maxima.darkness = std::max(maxima.darkness, ~level);
    ASSERT_EQ(maxima.scale(), scale);
  }
}

TEST(Threshold, RefusesWhatDoesNotFit) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(5, 3, {Sample::u8, 1}, 7));
  const auto refused = [&](const auto& change) {
    ThresholdOptions options;
    options.method = ThresholdMethod::mean;
    change(options);
    EXPECT_THROW((void)backend->apply(gray, options), Error);
  };
  refused([](ThresholdOptions& options) { options.window = 2; });
  refused([](ThresholdOptions& options) { options.window = 11; });
  refused([](ThresholdOptions& options) { options.window = -1; });
  refused([](ThresholdOptions& options) { options.window = WindowSize(3, 4); });
  refused([](ThresholdOptions& options) { options.range = 0.0; });
  refused([](ThresholdOptions& options) { options.range = std::numeric_limits<double>::infinity(); });
  refused([](ThresholdOptions& options) { options.offset = std::numeric_limits<double>::quiet_NaN(); });
  refused([](ThresholdOptions& options) { options.k = std::numeric_limits<double>::infinity(); });
  refused([](ThresholdOptions& options) { options.sensitivity = 101; });
  refused([](ThresholdOptions& options) { options.sensitivity = -1; });
  refused([](ThresholdOptions& options) { options.channel = Channel::alpha; });
  refused([](ThresholdOptions& options) { options.channel = Channel::hue; });
  refused([](ThresholdOptions& options) { options.level = 256; });
  refused([](ThresholdOptions& options) { options.scale = WolfScale{0, -1.0}; });
}

}  // namespace
}  // namespace gpuimg::test_threshold

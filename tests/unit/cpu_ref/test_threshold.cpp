// Thresholds against oracles in plain loops: every method, format, window and parameter. tests/live/compare_windows.py
// compares with OpenCV and scikit-image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gpuimg/backend.hpp"
#include "ops/threshold.hpp"
#include "support/oracle_window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_threshold {
namespace {

constexpr ThresholdMethod kMethods[] = {ThresholdMethod::otsu, ThresholdMethod::mean, ThresholdMethod::bradley,
                                        ThresholdMethod::niblack, ThresholdMethod::sauvola};

/// For images so small that the criterion's cross products fit 128 bits.
std::uint32_t otsu_of(ConstView plane) {
  __extension__ using Wide = __int128;
  std::vector<std::uint32_t> levels;
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      levels.push_back(test::sample_at(plane, x, y, 0));
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

bool is_white(const std::vector<std::uint64_t>& samples, std::uint32_t level, const ThresholdOptions& options,
              double v_max) {
  const oracle::Moments moments = oracle::moments_of(samples);
  const auto n = static_cast<double>(moments.n);
  const double mean = static_cast<double>(moments.sum) / n;
  const double s = std::sqrt(moments.variance());
  const auto x = static_cast<double>(level);
  switch (options.method) {
    case ThresholdMethod::mean: return x - std::floor(mean + 0.5) > -std::ceil(options.offset);
    case ThresholdMethod::bradley:
      return 100 * level * moments.n > moments.sum * static_cast<std::uint64_t>(100 - options.sensitivity);
    case ThresholdMethod::niblack: return x > mean - options.k * s;
    default: {
      const double part = s / (v_max / 2.0) - 1.0;
      return x > mean * (1.0 + options.k * part);
    }
  }
}

Image expected_result(ConstView pixels, const ThresholdOptions& options) {
  const Image plane = oracle::plane_of(pixels, options.channel, options.luma);
  Image out(pixels.width, pixels.height, {Sample::u8, 1});
  const bool is_global = options.method == ThresholdMethod::otsu;
  const std::uint32_t level = is_global ? otsu_of(plane.view()) : 0;
  const Border border = options.method == ThresholdMethod::mean      ? Border::replicate
                        : options.method == ThresholdMethod::bradley ? Border::cut
                                                                     : Border::reflect101;
  const int usual = options.method == ThresholdMethod::bradley
                        ? 2 * (pixels.width / 16) + 1
                        : std::min(31, 2 * std::max(pixels.width, pixels.height) - 1);
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const std::uint32_t here = test::sample_at(plane.view(), x, y, 0);
      const bool white =
          is_global ? here > level
                    : is_white(oracle::window_samples(plane.view(), x, y, options.window.value_or(usual), border), here,
                               options, pixels.format.max_value());
      test::set_sample(out.view(), x, y, 0, white ? 255 : 0);
    }
  }
  return out;
}

TEST(Threshold, EqualToTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const ThresholdMethod method : kMethods) {
      for (int round = 0; round < 8; ++round) {
        const int longest = round % 2 == 0 ? 9 : 50;
        const Image image = test::any_image(random, random.between(1, longest), random.between(1, longest), format);
        ThresholdOptions options;
        options.method = method;
        if (round % 3 != 0) {
          options.window = 2 * random.between(0, std::max(image.width(), image.height()) - 1) + 1;
        }
        options.channel = static_cast<Channel>(random.below(format.has_alpha() ? 5 : 4));
        options.luma = static_cast<Luma>(random.below(4));
        const int reach = random.below(2) == 0 ? 400 : static_cast<int>(format.max_value());
        options.offset = random.between(-reach, reach) / 8.0;
        options.sensitivity = random.between(0, 100);
        options.k = random.between(-100, 100) / 100.0;
        const Image expected = expected_result(image.view(), options);
        const Image actual = backend->download(backend->apply(backend->upload(image.view()), options));
        ASSERT_TRUE(test::same_pixels(actual.view(), expected.view()))
            << test::name_of(format) << " " << image.width() << "x" << image.height() << ", method "
            << static_cast<int>(method) << ", window " << options.window.value_or(0) << ", offset " << options.offset
            << ", sensitivity " << options.sensitivity << ", k " << options.k;
      }
    }
  }
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
  refused([](ThresholdOptions& options) { options.offset = std::numeric_limits<double>::quiet_NaN(); });
  refused([](ThresholdOptions& options) { options.k = std::numeric_limits<double>::infinity(); });
  refused([](ThresholdOptions& options) { options.sensitivity = 101; });
  refused([](ThresholdOptions& options) { options.sensitivity = -1; });
  refused([](ThresholdOptions& options) { options.channel = Channel::alpha; });
  refused([](ThresholdOptions& options) { options.channel = Channel::hue; });
  refused([](ThresholdOptions& options) { options.level = 256; });
}

}  // namespace
}  // namespace gpuimg::test_threshold

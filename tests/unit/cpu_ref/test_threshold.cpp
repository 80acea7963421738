// Thresholds compared with oracles in plain loops: every method, format, window and parameter.
// tests/live/compare_windows.py compares with OpenCV and scikit-image.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "gpuimg/backend.hpp"
#include "ops/threshold.hpp"
#include "support/oracle_window.hpp"
#include "support/test_images.hpp"
#include "window/table.hpp"

namespace gpuimg::test_threshold {
namespace {

constexpr ThresholdMethod kMethods[] = {ThresholdMethod::otsu,    ThresholdMethod::mean,    ThresholdMethod::bradley,
                                        ThresholdMethod::niblack, ThresholdMethod::sauvola, ThresholdMethod::wolf,
                                        ThresholdMethod::nick};

/// S²/n of a range of levels, or a sum of such fractions. S is the sum of the levels of the n pixels in the range,
/// counted from the lowest level in use.
struct Part {
  __extension__ using Wide = unsigned __int128;
  Wide above = 0;
  Wide below = 1;
};

/// The best thresholds, found by trying all partitions of the levels in use in order: the first partition with the
/// largest sum. The image must be so small that cross products fit in 128 bits.
std::vector<std::uint32_t> best_partition(const std::vector<std::uint32_t>& levels, std::size_t classes) {
  const std::set<std::uint32_t> set(levels.begin(), levels.end());
  const std::vector<std::uint32_t> used(set.begin(), set.end());
  std::vector<std::uint32_t> best;
  std::vector<std::uint32_t> chosen;
  Part best_part;
  const std::function<void(std::size_t)> choose = [&](std::size_t from) {
    if (chosen.size() + 1 < classes) {
      for (std::size_t i = from; i + 1 < used.size(); ++i) {
        chosen.push_back(used[i]);
        choose(i + 1);
        chosen.pop_back();
      }
      return;
    }
    std::vector<std::uint64_t> sums(classes);
    std::vector<std::uint64_t> counts(classes);
    for (const std::uint32_t level : levels) {
      const auto c = static_cast<std::size_t>(
          std::count_if(chosen.begin(), chosen.end(), [&](std::uint32_t t) { return level > t; }));
      sums[c] += level - used.front();
      ++counts[c];
    }
    Part all;
    for (std::size_t c = 0; c < classes; ++c) {
      all.above = all.above * counts[c] + Part::Wide{sums[c]} * sums[c] * all.below;
      all.below *= counts[c];
    }
    if (best.empty() || all.above * best_part.below > best_part.above * all.below) {
      best = chosen;
      best_part = all;
    }
  };
  choose(0);
  return best;
}

/// With fewer levels than classes, the first thresholds are zero.
std::vector<std::uint32_t> otsu_of(ConstView plane, ConstView weights, std::size_t classes) {
  std::vector<std::uint32_t> levels;
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      if (test::sample_at(weights, x, y, 0) > 0) {
        levels.push_back(test::sample_at(plane, x, y, 0));
      }
    }
  }
  const std::size_t used = std::set<std::uint32_t>(levels.begin(), levels.end()).size();
  std::vector<std::uint32_t> found;
  if (used > 1) {
    found = best_partition(levels, std::min(classes, used));
  }
  found.insert(found.begin(), classes - 1 - found.size(), 0);
  return found;
}

/// The lowest level of the counted pixels, and the largest deviation of their windows.
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

/// True for a pixel that the mask or its alpha excludes; such a pixel is white in the result.
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
  const auto classes = static_cast<std::size_t>(options.classes);
  std::vector<std::uint32_t> levels;
  if (is_global) {
    levels = otsu_of(plane.view(), weights.view(), classes);
  }
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
      const auto color = [&] {
        if (is_blank(pixels, x, y, choice)) {
          return 255U;
        }
        if (is_global) {
          const auto above = std::count_if(levels.begin(), levels.end(), [&](std::uint32_t t) { return here > t; });
          return static_cast<std::uint32_t>(
              std::floor(255.0 * static_cast<double>(above) / (options.classes - 1) + 0.5));
        }
        return is_white(moments_at(x, y), here, options, pixels.format.max_value(), contrast) ? 255U : 0U;
      };
      test::set_sample(out.view(), x, y, 0, options.invert ? 255 - color() : color());
    }
  }
  return out;
}

Rect random_region(test::Random& random, const Image& image) {
  const int x = random.between(0, image.width() - 1);
  const int y = random.between(0, image.height() - 1);
  return {x, y, random.between(1, image.width() - x), random.between(1, image.height() - y)};
}

TEST(Threshold, MatchesTheOracle) {
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
        if (method == ThresholdMethod::otsu && longest == 9) {
          options.classes = 2 + static_cast<int>(random.below(3));
        }
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

/// Hidden levels do not affect the threshold and become white. The returned level is the one that was used.
TEST(Threshold, HiddenPixelsDoNotCountAndBecomeWhite) {
  const auto backend = make_cpu_backend(1);
  Image image(4, 1, {Sample::u8, 2});
  constexpr std::array<std::uint8_t, 8> kPixels = {10, 255, 60, 255, 200, 0, 0, 0};
  std::copy_n(kPixels.data(), kPixels.size(), image.view().row<std::uint8_t>(0));
  ClassLevels levels{999};
  const std::uint32_t& level = levels.front();
  ThresholdOptions options;
  options.used_levels = &levels;
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
  options.levels = ClassLevels{5};
  EXPECT_EQ(colors(), (std::vector<int>{255, 255, 255, 0}));
  EXPECT_EQ(level, 5U);
}

TEST(Threshold, OtsuFindsTheLevelOfKnownHistograms) {
  const auto level_of = [](std::initializer_list<std::pair<std::size_t, std::uint64_t>> used, std::size_t levels) {
    std::vector<std::uint64_t> counts(levels);
    for (const auto& [level, count] : used) {
      counts[level] = count;
    }
    return otsu_levels(counts, 2).front();
  };
  EXPECT_EQ(level_of({}, 256), 0U);
  EXPECT_EQ(level_of({{0, 5}}, 256), 0U);
  EXPECT_EQ(level_of({{77, 5}}, 256), 0U);
  EXPECT_EQ(level_of({{10, 1}, {200, 1}}, 256), 10U);
  EXPECT_EQ(level_of({{10, 1}, {100, 1}, {190, 1}}, 256), 10U);  // a tie; the smaller level counts
  EXPECT_EQ(level_of({{10, 1}, {100, 1}, {191, 1}}, 256), 100U);
  EXPECT_EQ(level_of({{10, 2}, {100, 1}, {190, 1}}, 256), 10U);
  // A tie and its two neighbors, with 2³⁴ pixels and the highest levels; only exact integers distinguish them.
  const std::uint64_t many = std::uint64_t{1} << 33;
  EXPECT_EQ(level_of({{65533, many}, {65534, 7}, {65535, many}}, 65536), 65533U);
  EXPECT_EQ(level_of({{65533, many}, {65534, 7}, {65535, many + 1}}, 65536), 65534U);
  EXPECT_EQ(level_of({{65533, many + 1}, {65534, 7}, {65535, many}}, 65536), 65533U);
}

TEST(Threshold, ClassesOfKnownHistogramsHaveTheExpectedLevels) {
  using Levels = std::vector<std::uint32_t>;
  const auto levels_of = [](std::initializer_list<std::pair<std::size_t, std::uint64_t>> used, int classes,
                            std::size_t levels = 256) {
    std::vector<std::uint64_t> counts(levels);
    for (const auto& [level, count] : used) {
      counts[level] = count;
    }
    const ClassLevels found = otsu_levels(counts, classes);
    return Levels(found.begin(), found.begin() + classes - 1);
  };
  EXPECT_EQ(levels_of({{10, 1}, {20, 1}, {100, 1}, {110, 1}, {200, 1}, {210, 1}}, 3), (Levels{20, 110}));
  EXPECT_EQ(levels_of({{10, 1}, {20, 1}, {100, 1}, {110, 1}, {200, 1}, {210, 1}}, 6), (Levels{10, 20, 100, 110, 200}));
  // With fewer levels than classes, the first thresholds are zero.
  EXPECT_EQ(levels_of({}, 3), (Levels{0, 0}));
  EXPECT_EQ(levels_of({{77, 5}}, 3), (Levels{0, 0}));
  EXPECT_EQ(levels_of({{10, 5}, {200, 1}}, 3), (Levels{0, 10}));
  EXPECT_EQ(levels_of({{0, 5}, {200, 1}}, 4), (Levels{0, 0, 0}));
  EXPECT_EQ(levels_of({{5, 1}, {60, 9}, {99, 1}}, 3), (Levels{5, 60}));
  // For ties, the smallest first threshold counts, and then the smallest second one.
  EXPECT_EQ(levels_of({{0, 1}, {10, 1}, {20, 1}, {30, 1}}, 3), (Levels{0, 10}));
  EXPECT_EQ(levels_of({{0, 1}, {10, 1}, {20, 1}, {31, 1}}, 3), (Levels{0, 20}));
  // Each level has about 2³³ pixels. Merging neighboring levels of n and m pixels costs nm/(n + m).
  const std::uint64_t many = std::uint64_t{1} << 33;
  EXPECT_EQ(levels_of({{65530, many}, {65531, many}, {65532, many}, {65533, many + 1}}, 3, 65536),
            (Levels{65530, 65532}));
  EXPECT_EQ(levels_of({{65530, many + 1}, {65531, many}, {65532, many}, {65533, many}}, 3, 65536),
            (Levels{65530, 65531}));
  EXPECT_EQ(levels_of({{65530, many}, {65531, many + 1}, {65532, many}, {65533, many - 1}}, 3, 65536),
            (Levels{65530, 65531}));
}

/// The maximum numbers of levels and classes. A plain search over all boundaries of classes must find no better
/// partition.
TEST(Threshold, ManyClassesGiveTheBestPartition) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < test::rounds(6); ++round) {
    std::vector<std::uint64_t> counts(round % 2 == 0 ? 256 : 65536);
    const std::size_t used = 150;
    for (std::size_t i = 0; i < used; ++i) {
      counts[random.below(static_cast<std::uint32_t>(counts.size()))] = 1 + random.below(round < 3 ? 3 : 100000);
    }
    const int classes = random.between(3, 16);
    const ClassLevels found = otsu_levels(counts, classes);
    std::vector<std::size_t> levels;
    std::vector<long double> sums = {0.0L};
    std::vector<long double> numbers = {0.0L};
    for (std::size_t level = 0; level < counts.size(); ++level) {
      if (counts[level] > 0) {
        levels.push_back(level);
        sums.push_back(sums.back() + static_cast<long double>(counts[level] * (level - levels.front())));
        numbers.push_back(numbers.back() + static_cast<long double>(counts[level]));
      }
    }
    const auto value = [&](std::size_t first, std::size_t end) {
      const long double sum = sums[end] - sums[first];
      return sum * sum / (numbers[end] - numbers[first]);
    };
    std::vector<long double> best;  // for the levels below `end`
    for (std::size_t end = 1; end <= levels.size(); ++end) {
      best.push_back(value(0, end));
    }
    for (int k = 2; k <= classes; ++k) {
      std::vector<long double> next(best.size());
      for (auto end = static_cast<std::size_t>(k); end <= levels.size(); ++end) {
        for (auto from = static_cast<std::size_t>(k) - 1; from < end; ++from) {
          next[end - 1] = std::max(next[end - 1], best[from - 1] + value(from, end));
        }
      }
      best = std::move(next);
    }
    long double sum = 0.0L;
    std::size_t first = 0;
    for (int c = 0; c < classes; ++c) {
      const auto end =
          c + 1 < classes
              ? static_cast<std::size_t>(
                    std::upper_bound(levels.begin(), levels.end(), found[static_cast<std::size_t>(c)]) - levels.begin())
              : levels.size();
      ASSERT_LT(first, end) << c;
      sum += value(first, end);
      first = end;
    }
    EXPECT_GE(sum, best.back() * (1.0L - 1e-17L)) << classes << " classes of " << levels.size() << " levels";
  }
}

TEST(Threshold, ClassesHaveEvenlySpacedColors) {
  ClassColors colors{{10, 20, 30}, 4};
  EXPECT_EQ(colors(10), 0U);
  EXPECT_EQ(colors(11), 85U);
  EXPECT_EQ(colors(30), 170U);
  EXPECT_EQ(colors(31), 255U);
  colors = {{0, 0, 9}, 3};
  EXPECT_EQ(colors(0), 0U);
  EXPECT_EQ(colors(1), 255U);
  colors = {{5, 8}, 3};
  EXPECT_EQ(colors(8), 128U);  // 127.5
  EXPECT_EQ((ClassColors{{7}, 2}(8)), 255U);
}

/// The default of `bradley` is a sixteenth of the width on both sides. Here this would exceed the largest window for
/// weighted pixels.
TEST(Threshold, DefaultWindowsFitLongLines) {
  const auto backend = make_cpu_backend(1);
  const Picture line = backend->upload(test::constant_image(600000, 1, {Sample::u8, 2}, 200));
  for (const ThresholdMethod method : kMethods) {
    ThresholdOptions options;
    options.method = method;
    EXPECT_NO_THROW((void)backend->apply(line, options));
  }
}

/// A faint line is black because the image has a strong line elsewhere; the paper next to both lines is white. Windows
/// of one pixel have no deviation, so only pixels of the darkest level are black.
TEST(Threshold, WolfUsesTheWholeImage) {
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
  // M = 0 and R = 127.5, the first pixel's deviation. For the gray pixels, m = 250/3, s² = 31250/9 and T = 60.9.
  EXPECT_EQ(colors({255, 0, 255, 0, 125, 125, 0}, options), (std::vector<int>{255, 0, 255, 0, 255, 255, 0}));
  options.scale = WolfScale{0, 1e12};  // T slightly exceeds m/2
  EXPECT_EQ(colors({100, 41, 100, 100, 51}, options), (std::vector<int>{255, 255, 255, 255, 255}));
  EXPECT_EQ(colors({100, 40, 100, 100, 51}, options), (std::vector<int>{255, 0, 255, 255, 255}));
  options.scale = WolfScale{30, 0.0};  // s/R is then 0
  EXPECT_EQ(colors({100, 40, 100, 100, 51}, options), (std::vector<int>{255, 0, 255, 255, 0}));
  options.scale.reset();
  options.window = 1;
  EXPECT_EQ(colors({7, 7, 7}, options), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(colors({7, 8, 200}, options), (std::vector<int>{0, 255, 255}));
}

/// A scale computed from some rows uses complete windows, including rows outside this range.
TEST(Threshold, WolfScalesOfRowsCombineToThatOfTheImage) {
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

/// Searches like a device: computes each window from summed-area tables.
TEST(Threshold, TablesGiveTheWolfScaleOfTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (int round = 0; round < test::rounds(20); ++round) {
    const PixelFormat format{round % 2 == 0 ? Sample::u8 : Sample::u16, 1};
    const Image image = test::any_image(random, random.between(1, 70), random.between(1, 70), format);
    const Picture picture = backend->upload(image.view());
    ThresholdOptions options;
    options.method = ThresholdMethod::wolf;
    options.window = 2 * random.between(0, std::max(image.width(), image.height()) - 1) + 1;
    IntegralOptions summing;
    summing.type = Sample::u64;
    const Image sums = backend->download(backend->apply(picture, summing));
    summing.square = true;
    const Image squares = backend->download(backend->apply(picture, summing));
    const auto table_of = [&](const Image& of) {
      return PaddedTable<std::uint64_t>{of.view().row<std::uint64_t>(0), of.view().pitch_bytes / sizeof(std::uint64_t),
                                        image.width(), image.height()};
    };
    const WindowShape shape(*options.window, border_of(options.method));
    WolfScale scale;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        scale.add({test::sample_at(image.view(), x, y, 0),
                   window_variance(window_sum(table_of(sums), x, y, shape), window_sum(table_of(squares), x, y, shape),
                                   shape.positions_at(x, y, image.width(), image.height()))});
      }
    }
    EXPECT_EQ(scale, backend->wolf_scale(picture, options, 0, image.height()))
        << image.width() << "x" << image.height() << ", window " << options.window->width;
  }
}

/// A device keeps only integers; the largest of them determine the scale.
TEST(Threshold, IntegerMaximaGiveTheWolfScale) {
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

TEST(Threshold, RejectsInvalidArguments) {
  const auto backend = make_cpu_backend(1);
  const Picture gray = backend->upload(test::constant_image(5, 3, {Sample::u8, 1}, 7));
  const auto rejected = [&](const auto& change) {
    ThresholdOptions options;
    options.method = ThresholdMethod::mean;
    change(options);
    EXPECT_THROW((void)backend->apply(gray, options), Error);
  };
  rejected([](ThresholdOptions& options) { options.window = 2; });
  rejected([](ThresholdOptions& options) { options.window = 11; });
  rejected([](ThresholdOptions& options) { options.window = -1; });
  rejected([](ThresholdOptions& options) { options.window = WindowSize(3, 4); });
  rejected([](ThresholdOptions& options) { options.range = 0.0; });
  rejected([](ThresholdOptions& options) { options.range = std::numeric_limits<double>::infinity(); });
  rejected([](ThresholdOptions& options) { options.offset = std::numeric_limits<double>::quiet_NaN(); });
  rejected([](ThresholdOptions& options) { options.k = std::numeric_limits<double>::infinity(); });
  rejected([](ThresholdOptions& options) { options.sensitivity = 101; });
  rejected([](ThresholdOptions& options) { options.sensitivity = -1; });
  rejected([](ThresholdOptions& options) { options.channel = Channel::alpha; });
  rejected([](ThresholdOptions& options) { options.channel = Channel::hue; });
  rejected([](ThresholdOptions& options) {
    options.method = ThresholdMethod::otsu;
    options.levels = ClassLevels{256};
  });
  rejected([](ThresholdOptions& options) { options.classes = 3; });
  rejected([](ThresholdOptions& options) {
    options.method = ThresholdMethod::otsu;
    options.classes = 1;
  });
  rejected([](ThresholdOptions& options) {
    options.method = ThresholdMethod::otsu;
    options.classes = 17;
  });
  rejected([](ThresholdOptions& options) { options.scale = WolfScale{0, -1.0}; });
  ThresholdOptions wolf;
  wolf.method = ThresholdMethod::wolf;
  const auto backend_of_scales = make_cpu_backend(1);
  const Picture rows = backend_of_scales->upload(test::constant_image(5, 4, {Sample::u8, 1}, 9));
  EXPECT_NO_THROW((void)backend_of_scales->wolf_scale(rows, wolf, 0, 4));
  EXPECT_NO_THROW((void)backend_of_scales->wolf_scale(rows, wolf, 2, 2));
  for (const auto& [first, end] : {std::pair{-1, 2}, {0, 5}, {3, 2}}) {
    EXPECT_THROW((void)backend_of_scales->wolf_scale(rows, wolf, first, end), Error) << first << " to " << end;
  }
  wolf.method = ThresholdMethod::nick;
  EXPECT_THROW((void)backend_of_scales->wolf_scale(rows, wolf, 0, 4), Error);
  for (const ThresholdMethod method : {ThresholdMethod::niblack, ThresholdMethod::sauvola, ThresholdMethod::wolf,
                                       ThresholdMethod::nick, ThresholdMethod::mean, ThresholdMethod::bradley}) {
    ThresholdOptions wide;
    wide.method = method;
    wide.window = WindowSize(kMaxSquaredWindow + 2, 1);
    for (const Sample sample : {Sample::u8, Sample::u16}) {
      const Picture line = backend_of_scales->upload(test::constant_image(40000, 1, {sample, 1}, 255));
      const bool is_rejected = needs_squares(method) && sample == Sample::u16;
      if (is_rejected) {
        EXPECT_THROW((void)backend_of_scales->apply(line, wide), Error);
      } else {
        EXPECT_NO_THROW((void)backend_of_scales->apply(line, wide));
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_threshold

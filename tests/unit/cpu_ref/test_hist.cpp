// Histograms: results computed by hand, and comparisons with plain counting, with regions, masks and transparent
// pixels.
#include "ops/hist.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "gpuimg/backend.hpp"
#include "support/oracle_hsl.hpp"
#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_hist {
namespace {

constexpr Channel kAllChannels[] = {Channel::luma,  Channel::red, Channel::green,      Channel::blue,
                                    Channel::alpha, Channel::hue, Channel::saturation, Channel::lightness};

std::vector<Channel> channels_of(PixelFormat format) {
  std::vector<Channel> channels;
  for (const Channel channel : kAllChannels) {
    if (channel != Channel::alpha || format.has_alpha()) {
      channels.push_back(channel);
    }
  }
  return channels;
}

/// Requests all channels together, and compares each count with the oracle's.
void expect_oracle_counts(Backend& backend, const Image& image, HistogramOptions options, const Image* mask = nullptr) {
  const PixelFormat format = image.format();
  options.channels = channels_of(format);
  const Picture picture = backend.upload(image.view());
  const Picture mask_picture = backend.upload(mask != nullptr ? mask->view() : image.view());
  options.selection.mask = mask != nullptr ? &mask_picture : nullptr;
  const Histogram histogram = backend.histogram(picture, options);
  ASSERT_EQ(histogram.channels.size(), options.channels.size());
  const oracle::Choice choice{options.selection.region, mask, options.selection.count_transparent};
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    const Channel channel = options.channels[i];
    SCOPED_TRACE("channel " + std::to_string(static_cast<int>(channel)));
    const auto& counts = histogram.channels[i].counts;
    EXPECT_EQ(histogram.channels[i].channel, channel);
    const auto bins =
        is_hsl(channel) ? static_cast<std::size_t>(options.hsl_bins) : format.max_value() + std::size_t{1};
    EXPECT_EQ(counts, oracle::count(image.view(), choice, bins, oracle::level_of_channel(channel, options, format)));
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), histogram.counted);
  }
}

/// The backend uses another algorithm for blocks of bytes with a narrow range of levels.
TEST(Hist, CountsNarrowAndWideRangesOfLevels) {
  const auto backend = make_cpu_backend(2);
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const int width : {1, 63, 64, 255, 256, 257, 511, 1023, 1024, 1280, 1281, 4099}) {
    for (const int levels : {1, 2, 11, 12, 13, 23, 24, 25, 47, 48, 49, 64, 200, 256}) {
      Image image(width, 3, PixelFormat{Sample::u8, 1});
      std::vector<std::uint64_t> expected(256);
      for (int y = 0; y < 3; ++y) {
        // In this row, some blocks differ from their neighbors.
        const bool mixed = y == 1;
        const int lowest = y == 2 ? 256 - levels : random.between(0, 256 - levels);
        for (int x = 0; x < width; ++x) {
          const bool wide = mixed && x / 300 % 2 == 1;
          const auto level =
              static_cast<std::uint8_t>(wide ? random.between(0, 255) : random.between(lowest, lowest + levels - 1));
          image.view().row<std::uint8_t>(y)[x] = level;
          ++expected[level];
        }
      }
      EXPECT_EQ(backend->histogram(backend->upload(image.view()), {}).channels[0].counts, expected)
          << width << " wide, " << levels << " levels";
    }
  }
}

TEST(Hist, MatchesHandComputedCounts) {
  const auto backend = make_cpu_backend(1);
  Image image(3, 1, PixelFormat{Sample::u8, 4});
  const std::uint8_t pixels[] = {255, 0, 0, 255, 10, 20, 30, 0, 7, 7, 7, 1};
  std::memcpy(image.view().data, pixels, sizeof pixels);
  const Picture picture = backend->upload(image.view());
  HistogramOptions options;
  options.channels = {Channel::luma, Channel::alpha, Channel::blue, Channel::luma};
  Histogram h = backend->histogram(picture, options);
  EXPECT_EQ(h.counted, 2U);
  EXPECT_EQ(h.channels[0].counts[76], 1U);
  EXPECT_EQ(h.channels[0].counts[7], 1U);
  EXPECT_EQ(h.channels[1].counts[255], 1U);
  EXPECT_EQ(h.channels[1].counts[1], 1U);
  EXPECT_EQ(h.channels[1].counts[0], 0U);
  EXPECT_EQ(h.channels[2].counts[0], 1U);
  EXPECT_EQ(h.channels[2].counts[7], 1U);
  EXPECT_EQ(h.channels[3].counts, h.channels[0].counts);
  options.selection.count_transparent = true;
  h = backend->histogram(picture, options);
  EXPECT_EQ(h.counted, 3U);
  EXPECT_EQ(h.channels[1].counts[0], 1U);
  EXPECT_EQ(h.channels[2].counts[30], 1U);
}

TEST(Hist, MatchesTheOracleForWidthsHeightsAndFormats) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const int width : {1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025}) {
    for (const int height : {1, 2, 7}) {
      for (const PixelFormat format : test::photographic_formats()) {
        if (format.sample == Sample::u16 && height == 7 && width < 1000) {
          continue;  // eight tables of 65536 counts would take too long
        }
        SCOPED_TRACE(test::name_of(format) + ", " + std::to_string(width) + "x" + std::to_string(height));
        HistogramOptions options;
        options.luma = static_cast<Luma>(random.below(4));
        options.hsl_bins = random.between(2, 400);
        options.selection.count_transparent = random.below(2) == 0;
        expect_oracle_counts(*backend, test::any_image(random, width, height, format), options);
      }
    }
  }
}

TEST(Hist, MatchesTheOracleForOneRowAndOneColumn) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u16, 2}}) {
    expect_oracle_counts(*backend, test::random_image(random, 300'001, 1, format), {});
    expect_oracle_counts(*backend, test::random_image(random, 1, 300'001, format), {});
  }
}

TEST(Hist, MatchesTheOracleForRegionsMasksAndTransparency) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (int round = 0; round < 120; ++round) {
    const PixelFormat format = test::photographic_formats()[random.below(round % 4 == 0 ? 8 : 4)];
    const int width = random.between(1, 60);
    const int height = random.between(1, 60);
    SCOPED_TRACE(test::name_of(format) + ", " + std::to_string(width) + "x" + std::to_string(height));
    HistogramOptions options;
    options.selection.count_transparent = random.below(2) == 0;
    if (random.below(3) != 0) {
      const int x = random.between(0, width - 1);
      const int y = random.between(0, height - 1);
      options.selection.region = Rect{x, y, random.between(1, width - x), random.between(1, height - y)};
    }
    const Image mask = test::random_mask(random, width, height);
    expect_oracle_counts(*backend, test::any_image(random, width, height, format), options,
                         random.below(3) != 0 ? &mask : nullptr);
  }
}

TEST(Hist, CountsNoHiddenOrMaskedPixels) {
  const auto backend = make_cpu_backend(1);
  const Picture image = backend->upload(test::constant_image(5, 5, PixelFormat{Sample::u8, 4}, 0));
  EXPECT_EQ(backend->histogram(image, {}).counted, 0U);
  const Picture opaque = backend->upload(test::constant_image(5, 5, PixelFormat{Sample::u8, 4}, 255));
  const Picture mask = backend->upload(test::constant_image(5, 5, PixelFormat{Sample::u8, 1}, 0));
  HistogramOptions options;
  options.selection.mask = &mask;
  const Histogram h = backend->histogram(opaque, options);
  EXPECT_EQ(h.counted, 0U);
  EXPECT_EQ(h.channels[0].counts, std::vector<std::uint64_t>(256, 0));
}

TEST(Hist, CountsRegionsInTheCorners) {
  const auto backend = make_cpu_backend(1);
  Image image(4, 3, PixelFormat{Sample::u8, 1});
  for (int i = 0; i < 12; ++i) {
    test::set_sample(image.view(), i % 4, i / 4, 0, static_cast<std::uint32_t>(i));
  }
  const Picture picture = backend->upload(image.view());
  HistogramOptions options;
  for (const Rect corner : {Rect{0, 0, 1, 1}, Rect{3, 0, 1, 1}, Rect{0, 2, 1, 1}, Rect{3, 2, 1, 1}}) {
    options.selection.region = corner;
    const Histogram h = backend->histogram(picture, options);
    EXPECT_EQ(h.counted, 1U);
    EXPECT_EQ(h.channels[0].counts[static_cast<std::size_t>(corner.y * 4 + corner.x)], 1U);
  }
}

TEST(Hist, HslBinsOfAllColorsMatchTheOracle) {
  const auto backend = make_cpu_backend(0);
  const Image colors = test::all_colors();
  const Picture picture = backend->upload(colors.view());
  for (const int bins : {256, 360}) {
    HistogramOptions options;
    options.channels = {Channel::hue, Channel::saturation, Channel::lightness};
    options.hsl_bins = bins;
    const Histogram h = backend->histogram(picture, options);
    std::vector<std::vector<std::uint64_t>> expected(3, std::vector<std::uint64_t>(static_cast<std::size_t>(bins)));
    const auto* p = colors.view().row<std::uint8_t>(0);
    for (std::size_t i = 0; i < (1U << 24); ++i, p += 3) {
      const auto at = oracle::hsl_bins({p[0], p[1], p[2], 255}, 255, static_cast<std::uint64_t>(bins));
      for (std::size_t c = 0; c < 3; ++c) {
        ++expected[c][at[c]];
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(h.channels[c].counts, expected[c]) << "channel " << c << ", " << bins << " bins";
    }
  }
}

TEST(Hist, BinsAreContiguousAndLoseNoValue) {
  // Each bin starts where the previous one ends, and no value is lost.
  for (const std::uint32_t levels : {256U, 65536U}) {
    for (const std::uint32_t bins : {2U, 3U, 7U, 10U, 64U, 100U, 255U, 256U}) {
      for (std::uint32_t v = 0; v < levels; ++v) {
        const std::uint32_t bin = bin_of_value(v, bins, levels);
        ASSERT_EQ(bin, static_cast<std::uint32_t>(std::uint64_t{v} * bins / levels));
        const std::uint32_t first = first_value_of_bin(bin, bins, levels);
        ASSERT_LE(first, v);
        ASSERT_TRUE(first == v || bin_of_value(v - 1, bins, levels) == bin);
        ASSERT_TRUE(first == 0 || bin_of_value(first - 1, bins, levels) == bin - 1);
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_hist

// The contents of a plot: the range of levels, the limit of the count axis, several images in one plot.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "gpuimg/error.hpp"
#include "report/histogram_report.hpp"
#include "report/level_check.hpp"
#include "report/plot_elements.hpp"
#include "support/histogram_reports.hpp"

namespace gpuimg::test_plot_range {
namespace {

using test::Counts;
using test::histogram_of;

Counts counts_of(std::size_t levels, const std::vector<std::pair<std::size_t, std::uint64_t>>& given) {
  Counts counts(levels);
  for (const auto& [level, count] : given) {
    counts[level] = count;
  }
  return counts;
}

ReportOptions in_range(std::uint32_t first, std::uint32_t last) {
  ReportOptions options;
  options.range = PlotRange{false, {first, last}};
  return options;
}

ReportOptions automatic() {
  ReportOptions options;
  options.range = PlotRange{true, {}};
  return options;
}

TEST(PlotRange, EndSharesIncludeLevelsOutsideTheRange) {
  const Histogram histogram =
      histogram_of({{Channel::luma, counts_of(65536, {{0, 1}, {64, 2}, {65, 3}, {4094, 4}, {4095, 5}, {60000, 6}})}});
  const HistogramReport report = make_report(histogram, in_range(64, 4095), {"a.png", 21, 1, 16, 1});
  const ChannelReport& channel = report.channels.front();
  EXPECT_EQ(report.axis.first, 64U);
  EXPECT_EQ(report.axis.last(), 4095U);
  ASSERT_EQ(channel.values.size(), 4032U);
  EXPECT_EQ(channel.values.front(), 2U);
  EXPECT_EQ(channel.values.back(), 5U);
  EXPECT_EQ(channel.share_at_first, 3.0 / 21.0);
  EXPECT_EQ(channel.share_at_last, 11.0 / 21.0);
  EXPECT_EQ(channel.share_at_ends, 14.0 / 21.0);
  EXPECT_EQ(report.axis.tick(0, 4), 64.0);
  EXPECT_EQ(report.axis.tick(4, 4), 4095.0);
  EXPECT_EQ(report.axis.start_of_bin(1), 65.0);
  EXPECT_TRUE(LevelCheck("white>50%").met_by(report));
  EXPECT_FALSE(LevelCheck("white>50%").met_by(make_report(histogram, {}, {"a.png", 21, 1, 16, 1})));
}

TEST(PlotRange, RunningSumsIncludeLevelsBelowTheRange) {
  ReportOptions options = in_range(2, 3);
  options.cumulative = true;
  const HistogramReport report = make_report(histogram_of({{Channel::luma, {1, 2, 4, 8}}}), options, {"a.png", 15, 1});
  EXPECT_EQ(report.channels.front().values, (Counts{7, 15}));
}

TEST(PlotRange, AutomaticRangeIsTheSmallestPowerOfTwo) {
  const auto last_for = [](std::size_t level) {
    const Histogram histogram = histogram_of({{Channel::luma, counts_of(65536, {{level, 1}})}});
    return make_report(histogram, automatic(), {"a.png", 1, 1, 16, 1}).axis.last();
  };
  EXPECT_EQ(last_for(0), 255U);
  EXPECT_EQ(last_for(255), 255U);
  EXPECT_EQ(last_for(256), 511U);
  EXPECT_EQ(last_for(4095), 4095U);
  EXPECT_EQ(last_for(4096), 8191U);
  EXPECT_EQ(last_for(65535), 65535U);
  const Histogram rgb = histogram_of({{Channel::red, counts_of(65536, {{1, 1}})},
                                      {Channel::green, counts_of(65536, {{1000, 1}})},
                                      {Channel::blue, counts_of(65536, {{2, 1}})}});
  EXPECT_EQ(make_report(rgb, automatic(), {"a.png", 1, 1, 16, 3}).axis.last(), 1023U);
}

TEST(PlotRange, RejectsLevelsThatTheImageCannotHave) {
  const Histogram histogram = histogram_of({{Channel::luma, Counts(256, 1)}});
  EXPECT_THROW((void)make_report(histogram, in_range(0, 256), {"a.png", 16, 16}), Error);
  const Histogram hue = histogram_of({{Channel::hue, Counts(256, 1)}});
  EXPECT_THROW((void)make_report(hue, in_range(0, 255), {"a.png", 16, 16}), Error);
}

TEST(CountCeiling, TruncatesOnlyAFewTallColumns) {
  EXPECT_EQ(count_ceiling({}), 0U);
  EXPECT_EQ(count_ceiling({0, 0}), 0U);
  EXPECT_EQ(count_ceiling({7, 0, 1000}), 1000U) << "too few columns";
  Counts flat(100, 10);
  EXPECT_EQ(count_ceiling(flat), 10U);
  flat[0] = 40;
  EXPECT_EQ(count_ceiling(flat), 40U) << "four times the other heights is not enough";
  flat[0] = 44;
  EXPECT_EQ(count_ceiling(flat), 13U);
  flat[99] = 1000000;
  EXPECT_EQ(count_ceiling(flat), 13U) << "both ends";
  flat[50] = 100000;
  EXPECT_EQ(count_ceiling(flat), 55U) << "only the two tallest columns are truncated; 44 is not";
  flat[51] = 90000;
  EXPECT_EQ(count_ceiling(flat), 112500U);
}

TEST(Overlay, ShowsTheSharesOfEachImage) {
  std::vector<OverlaidImage> images;
  images.push_back({histogram_of({{Channel::luma, {1, 3, 0, 0}}}), {"a.png", 4, 1, 8, 1}});
  images.push_back({histogram_of({{Channel::luma, {0, 0, 4, 4}}}), {"b.png", 8, 1, 8, 3}});
  const HistogramReport report = overlay(images, {});
  ASSERT_EQ(report.channels.size(), 2U);
  EXPECT_EQ(report.counted, 8U);
  EXPECT_EQ(report.channels[0].values, (Counts{2, 6, 0, 0}));
  EXPECT_EQ(report.channels[1].values, (Counts{0, 0, 4, 4}));
  EXPECT_EQ(report.channels[0].caption, "a.png");
  EXPECT_EQ(report.channels[1].series, 2);
  EXPECT_EQ(report.channels[0].statistics->mean, 0.75);
  images.push_back({histogram_of({{Channel::luma, Counts(65536, 1)}}), {"deep.png", 256, 256, 16, 1}});
  EXPECT_THROW((void)overlay(images, {}), Error);
}

}  // namespace
}  // namespace gpuimg::test_plot_range

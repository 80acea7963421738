// The chart of a histogram on a terminal, compared as exact text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "report/histogram_plots.hpp"
#include "support/histogram_reports.hpp"

namespace gpuimg::test_terminal_chart {
namespace {

using test::Counts;
using test::random_counts;
using test::report_of;

TEST(TerminalChart, DrawsOneChannelInUnicode) {
  const HistogramReport report = report_of({{Channel::luma, {1, 12, 0, 3}}});
  EXPECT_EQ(to_terminal(report, {16, false, true}),
            " a.png · 4x4\n"
            "   8 bit · RGB\n"
            "    12 │  ██\n"
            "       │  ██\n"
            "       │  ██\n"
            "       │  ██\n"
            "       │  ██  ▄▄\n"
            "  luma │▄▄██  ██\n"
            "       └0 ──── 3\n"
            " mean 1.312\n"
            "   stddev 0.8455\n"
            "   median 1\n"
            "   mode 1\n"
            "   entropy 1.01\n"
            "     bits\n"
            " min 0 · 1% 0\n"
            "   5% 0 · 25% 1\n"
            "   75% 1 · 95% 3\n"
            "   99% 3 · max 3\n"
            " 16 pixels\n"
            "     counted\n"
            "   0 skipped\n"
            "   6.25% at 0\n"
            "   18.8% at 3\n");
}

TEST(TerminalChart, DrawsThreeChannelsInAscii) {
  const HistogramReport report =
      report_of({{Channel::red, {8, 4, 4, 0}}, {Channel::green, {0, 0, 0, 16}}, {Channel::blue, {15, 0, 0, 1}}});
  EXPECT_EQ(to_terminal(report, {80, false, false, 12}),
            " a.png, 4 x 4, 8 bit, RGB\n"
            "     8 |##################\n"
            "     r |######################################################\n"
            "    16 |                                                      ##################\n"
            "     g |                                                      ##################\n"
            "    15 |##################\n"
            "     b |##################                                    ..................\n"
            "       +0 --------------- 1 --------------- 2 --------------- 3 -------------- 3\n"
            " r: mean 0.75, stddev 0.8292, median 0, 50% at 0, 0% at 3\n"
            " g: mean 3, stddev 0, median 3, 0% at 0, 100% at 3\n"
            " b: mean 0.1875, stddev 0.7262, median 0, 93.8% at 0, 6.25% at 3\n"
            " 16 pixels counted, 0 skipped\n");
}

TEST(TerminalChart, HueHasACircularMeanAndNoPercentiles) {
  const std::string chart = to_terminal(report_of({{Channel::hue, {5, 0, 0, 5}}}), {80, false, false});
  EXPECT_NE(chart.find(" circular mean 0, circular stddev 47.7, mode 0, entropy 1.00 bits\n"
                       " 10 pixels counted, 6 skipped, 50% in bin 0, 50% in bin 3\n"),
            std::string::npos)
      << chart;
  const std::string opposite = to_terminal(report_of({{Channel::hue, {5, 0, 5, 0}}}), {80, false, false});
  EXPECT_NE(opposite.find(" circular mean none, circular stddev none, mode 0,"), std::string::npos) << opposite;
}

TEST(TerminalChart, FitsTheTerminalAndUsesColorOnlyIfEnabled) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const int columns : {20, 25, 40, 80, 81, 100, 137, 200}) {
    for (const std::size_t levels : {256U, 65536U}) {
      const Channel channel = levels == 256 ? Channel::luma : Channel::hue;
      const HistogramReport report = report_of({{channel, random_counts(levels, 1000, random)}});
      const int rows = 24 + static_cast<int>(random() % 40);
      const std::string chart = to_terminal(report, {columns, false, false, rows});
      EXPECT_EQ(chart.find('\x1b'), std::string::npos);
      std::size_t lines = 0;
      for (std::size_t at = 0; at < chart.size(); ++lines) {
        const std::size_t end = chart.find('\n', at);
        EXPECT_LE(end - at, static_cast<std::size_t>(columns));
        at = end + 1;
      }
      EXPECT_LE(lines, columns >= 40 ? static_cast<std::size_t>(rows) - 1 : 60U) << chart;
      EXPECT_GE(lines, std::min(static_cast<std::size_t>(rows) - 1, std::size_t{32 + 4})) << chart;
      EXPECT_NE(to_terminal(report, {columns, true, true}).find("\x1b[3"), std::string::npos);
    }
  }
}

TEST(TerminalChart, OnePixelAmongMillionsIsVisible) {
  const std::string chart = to_terminal(report_of({{Channel::luma, {1, 9000000, 0, 0}}}), {16, false, true});
  EXPECT_NE(chart.find("  luma │▁▁██\n"), std::string::npos) << chart;
}

TEST(TerminalChart, TruncatesAndLabelsAHighPeak) {
  Counts counts(256, 100);
  counts[255] = 5000;
  const std::string chart = to_terminal(report_of({{Channel::red, counts}}), {80, false, false});
  EXPECT_NE(chart.find("\n   500 |"), std::string::npos) << chart;
  EXPECT_NE(chart.find("^\n"), std::string::npos) << chart;
  EXPECT_NE(chart.find("peak 5.3k at 252-255 is cut"), std::string::npos) << chart;
  const std::string log = to_terminal(report_of({{Channel::red, counts}}), {80, false, false, 24, true});
  EXPECT_NE(log.find("\n  5.3k |"), std::string::npos) << log;
  EXPECT_EQ(log.find("is cut"), std::string::npos) << log;
  EXPECT_NE(log.find("heights are logarithmic (--log)"), std::string::npos) << log;
}

TEST(TerminalChart, DrawsLogarithmicHeights) {
  // log(1 + 3) is half of log(1 + 15), so the bar has 3 of 6 rows.
  const std::string chart = to_terminal(report_of({{Channel::luma, {15, 3, 0, 0}}}), {16, false, true, 12, true});
  EXPECT_NE(chart.find("│██\n       │██\n       │██\n       │████\n"), std::string::npos) << chart;
}

TEST(TerminalChart, LabelsGrayImages) {
  Histogram histogram;
  histogram.channels = {{Channel::luma, {1, 2}}};
  histogram.counted = 3;
  const std::string chart = to_terminal(make_report(histogram, {}, {"g.png", 3, 1, 8, 1}), {80, false, false});
  EXPECT_NE(chart.find(" g.png, 3 x 1, 8 bit, gray\n"), std::string::npos) << chart;
  EXPECT_NE(chart.find("  gray |"), std::string::npos) << chart;
}

TEST(TerminalChart, StatesThatNothingIsCounted) {
  const std::string chart = to_terminal(report_of({{Channel::luma, Counts(256, 0)}}), {80, false, false});
  EXPECT_NE(chart.find(" 0 pixels counted, 16 skipped\n"), std::string::npos) << chart;
}

}  // namespace
}  // namespace gpuimg::test_terminal_chart

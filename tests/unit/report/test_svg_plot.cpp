// The SVG plot of a histogram: well-formed XML with the right staircase, ticks and columns.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "report/histogram_plots.hpp"
#include "report/plot_elements.hpp"
#include "support/histogram_reports.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::test_svg_plot {
namespace {

using test::Counts;
using test::random_counts;
using test::report_of;

/// Empty if the elements, attributes, entities and characters of `xml` are well-formed; otherwise a description of the
/// defect.
std::string fault_of(std::string_view xml) {
  if (valid_utf8(xml) != xml) {
    return "not UTF-8";
  }
  std::vector<std::string> open;
  bool had_root = false;
  for (std::size_t at = 0; at < xml.size();) {
    const auto c = static_cast<unsigned char>(xml[at]);
    if (c < 0x20 && c != '\n') {
      return "control character";
    }
    if (c == '&') {
      const std::string_view name = xml.substr(at, xml.find(';', at) + 1 - at);
      if (name != "&amp;" && name != "&lt;" && name != "&gt;" && name != "&quot;" && name != "&apos;") {
        return "bad entity";
      }
    }
    if (c != '<') {
      if (open.empty() && c != '\n') {
        return "text outside the root";
      }
      ++at;
      continue;
    }
    const std::size_t close = xml.find('>', at);
    if (close == std::string_view::npos) {
      return "tag without end";
    }
    const std::string_view tag = xml.substr(at + 1, close - at - 1);
    at = close + 1;
    if (tag.find('<') != std::string_view::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) {
      return "bad tag " + std::string(tag);
    }
    if (tag.front() == '?') {
      continue;
    }
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) {
        return "unexpected end of " + std::string(tag);
      }
      open.pop_back();
      continue;
    }
    if (open.empty() && had_root) {
      return "second root";
    }
    had_root = true;
    if (tag.back() != '/') {
      open.emplace_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty() ? "" : "open: " + open.back();
}

TEST(SvgPlot, IsWellFormedForEveryKindOfReport) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::string name;
  for (int byte = 0; byte < 256; ++byte) {
    name += static_cast<char>(byte);
  }
  for (int round = 0; round < 64; ++round) {
    ReportOptions options;
    options.cumulative = (round & 1) != 0;
    options.normalize = (round & 2) != 0;
    const std::size_t levels = (round & 4) != 0 ? 65536 : 256;
    const std::uint64_t limit = (round & 8) != 0 ? 1 : 1 + random() % 100000;
    std::vector<ChannelHistogram> channels = {{Channel::red, random_counts(levels, limit, random)}};
    if ((round & 16) != 0) {
      channels.push_back({Channel::green, random_counts(levels, limit, random)});
      channels.push_back({Channel::blue, random_counts(levels, limit, random)});
    }
    const std::string svg = to_svg(report_of(channels, options, name), {(round & 32) != 0, ""});
    ASSERT_EQ(fault_of(svg), "") << round;
    ASSERT_EQ(svg.find("nan"), std::string::npos);
    ASSERT_EQ(svg.find("inf"), std::string::npos);
    ASSERT_LT(svg.size(), 3 * 1024 * 20 + 8000U);
  }
}

TEST(SvgPlot, DrawsTheStaircaseOfAKnownHistogram) {
  // Axis 0 … 21 over 300 units, bottom at 406: 10 is at 406 − 300·10/21, 20 at 406 − 300·20/21.
  const std::string svg = to_svg(report_of({{Channel::luma, {10, 20, 20, 0}}}), {});
  EXPECT_NE(svg.find("d=\"M80 406H80V263.14H272V120.29H656V406H848V406\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("Histogram of a.png"), std::string::npos);
}

TEST(SvgPlot, RunningSumsNeverFallToTheAxis) {
  ReportOptions options;
  options.cumulative = true;
  // Axis 0 … 42 over 300 units, bottom at 406: 10 is at 406 − 300·10/42, 40 at 406 − 300·40/42.
  const std::string svg = to_svg(report_of({{Channel::luma, {10, 0, 30, 0}}}, options), {});
  EXPECT_NE(svg.find("class=\"line c-luma\" d=\"M80 334.57H464V120.29H848\"/>"), std::string::npos) << svg;
}

TEST(SvgPlot, LegendOfHueNamesTheCircularMean) {
  const std::string one = to_svg(report_of({{Channel::hue, {3, 0, 0}}}), {});
  EXPECT_NE(one.find(">hue: circular mean 60 · circular stddev 0 · mode 0 · entropy 0.00 bits</text>"),
            std::string::npos)
      << one;
  const std::string opposite = to_svg(report_of({{Channel::hue, {3, 0, 3, 0}}}), {});
  EXPECT_NE(opposite.find(">hue: circular mean none · circular stddev none · mode 0 · entropy 1.00 bits</text>"),
            std::string::npos)
      << opposite;
}

TEST(SvgPlot, OmitsTheSizeForASumOfImages) {
  Histogram histogram;
  histogram.channels = {{Channel::luma, {1, 2}}};
  histogram.counted = 3;
  ImageFacts facts;
  facts.name = "3 images";
  facts.is_sum = true;
  facts.pixels = 3;
  const std::string svg = to_svg(make_report(histogram, {}, facts), {});
  EXPECT_NE(svg.find("y=\"50\">3 pixels counted, 0 skipped</text>"), std::string::npos) << svg;
}

TEST(SvgPlot, TitleIsEscapedAndTruncated) {
  const HistogramReport report = report_of({{Channel::luma, {1, 2}}});
  EXPECT_NE(to_svg(report, {false, "<b>&\x01"}).find(">&lt;b&gt;&amp;\xEF\xBF\xBD</text>"), std::string::npos);
  std::string truncated(79, 'x');
  truncated += "…</text>";
  EXPECT_NE(to_svg(report, {false, std::string(500, 'x')}).find(truncated), std::string::npos);
}

TEST(SvgPlot, IsParsedByPython) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const auto path = std::filesystem::temp_directory_path() / ("gpuimg-plot-" + std::to_string(::getpid()) + ".svg");
  std::ofstream(path) << to_svg(report_of({{Channel::hue, Counts(256, 3)}}, {}, "\xFF<&>\x1B"), {true, ""});
  const std::string script =
      "import sys,xml.etree.ElementTree as e; r=e.parse(sys.argv[1]).getroot(); "
      "assert r.tag.endswith(\"}svg\") and len(r.findall(\".//{http://www.w3.org/2000/svg}path\"))>5";
  EXPECT_EQ(std::system(("python3 -c '" + script + "' '" + path.string() + "'").c_str()), 0);
  std::filesystem::remove(path);
}

TEST(PlotScale, HasRoundTicks) {
  EXPECT_DOUBLE_EQ(nice_step(100), 10);
  EXPECT_DOUBLE_EQ(nice_step(101), 20);
  EXPECT_DOUBLE_EQ(nice_step(0.45), 0.05);
  const auto labels = [](const CountScale& scale) {
    std::string all;
    for (const Tick& tick : scale.ticks()) {
      EXPECT_GE(tick.position, 0.0);
      EXPECT_LE(tick.position, 1.0);
      all += tick.label + " ";
    }
    return all;
  };
  EXPECT_EQ(labels(CountScale(2, false, 1)), "0 1 2 ");
  EXPECT_EQ(labels(CountScale(0, false, 1)), "0 1 ");
  EXPECT_EQ(labels(CountScale(4000, false, 1)), "0 500 1k 1.5k 2k 2.5k 3k 3.5k 4k ");
  EXPECT_EQ(labels(CountScale(4000, true, 1)), "0 1 10 100 1k ");
  EXPECT_EQ(labels(CountScale(1000, true, 1000)), "0 0.001 0.01 0.1 1 ");
  const CountScale log_scale(999, true, 1);  // three decades of 1 + count, and a twentieth of headroom
  EXPECT_EQ(log_scale.position(0), 0.0);
  EXPECT_NEAR(log_scale.position(9), 1 / 3.15, 1e-12);
  EXPECT_NEAR(log_scale.position(999), 1 / 1.05, 1e-12);
}

TEST(Columns, DivideEvenlyIfPossible) {
  EXPECT_EQ(bins_per_column(65536, 1024), 64U);
  EXPECT_EQ(bins_per_column(256, 72), 4U);
  EXPECT_EQ(bins_per_column(256, 1024), 1U);
  EXPECT_EQ(bins_per_column(257, 128), 3U);  // a prime number of bins, so the last column is narrower
  for (std::size_t bins = 2; bins < 3000; ++bins) {
    const std::size_t group = bins_per_column(bins, 64);
    ASSERT_LE((bins + group - 1) / group, 64U) << bins;
  }
}

TEST(Columns, AddCountsButKeepTheLastCumulativeValue) {
  ChannelReport channel;
  channel.values = {1, 2, 4, 8, 16};
  EXPECT_EQ(columns_of(channel, 2, false), (Counts{3, 12, 16}));
  EXPECT_EQ(columns_of(channel, 2, true), (Counts{2, 8, 16}));
}

}  // namespace
}  // namespace gpuimg::test_svg_plot

// Histograms as numbers: rebinning, and CSV and JSON as exact text and parsed by Python.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gpuimg/error.hpp"
#include "report/histogram_file.hpp"
#include "report/histogram_report.hpp"
#include "support/histogram_reports.hpp"

namespace gpuimg::test_histogram_reports {
namespace {

using test::Counts;
using test::histogram_of;

const ImageFacts kImage = {"a.png", 4, 2, 8, 3};

ReportOptions with_bins(int bins) {
  ReportOptions options;
  options.bins = bins;
  return options;
}

TEST(HistogramReport, RebinsByTheDefinitionAndKeepsTheSum) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::uint32_t levels : {256U, 65536U}) {
    Counts counts(levels);
    for (std::uint64_t& count : counts) {
      count = random() % 1000;
    }
    const Histogram histogram = histogram_of({{Channel::luma, counts}});
    const auto drawn = static_cast<std::uint32_t>(2 + random() % (levels - 1));
    for (const std::uint32_t bins : {2U, 3U, 10U, 255U, 256U, drawn}) {
      const HistogramReport report = make_report(histogram, with_bins(static_cast<int>(bins)), kImage);
      Counts expected(bins, 0);
      for (std::uint64_t v = 0; v < levels; ++v) {
        expected[v * bins / levels] += counts[v];
      }
      ASSERT_EQ(report.channels[0].values, expected) << bins;
      ASSERT_EQ(report.channels[0].counts, counts);
      for (std::uint32_t bin = 0; bin < bins; ++bin) {
        const auto start = static_cast<std::uint64_t>(report.axis.start_of_bin(bin));
        ASSERT_EQ(start * bins / levels, bin);
        ASSERT_TRUE(start == 0 || (start - 1) * bins / levels == bin - 1);
      }
    }
  }
}

TEST(HistogramReport, StatisticsIgnoreBins) {
  Counts counts(256, 0);
  counts[3] = 5;
  counts[200] = 4;
  const Histogram histogram = histogram_of({{Channel::luma, counts}});
  const auto fine = make_report(histogram, {}, kImage).channels[0].statistics.value();
  const auto coarse = make_report(histogram, with_bins(2), kImage).channels[0].statistics.value();
  EXPECT_EQ(fine.mean, coarse.mean);
  EXPECT_EQ(coarse.median(), 3U);
}

ErrorKind kind_thrown_by(const Histogram& histogram, const ReportOptions& options) {
  try {
    make_report(histogram, options, kImage);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing thrown";
  return ErrorKind::device_fault;
}

TEST(HistogramReport, RejectsInvalidOptions) {
  const Histogram luma = histogram_of({{Channel::luma, Counts(256, 1)}});
  EXPECT_EQ(kind_thrown_by(luma, with_bins(1)), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by(luma, with_bins(-5)), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by(luma, with_bins(257)), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by({}, {}), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by(histogram_of({{Channel::luma, Counts(256, 1)}, {Channel::hue, Counts(256, 1)}}), {}),
            ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by(histogram_of({{Channel::saturation, Counts(8, 1)}, {Channel::lightness, Counts(9, 1)}}), {}),
            ErrorKind::usage);
}

TEST(HistogramReport, ReportsUncountedPixelsAsSkipped) {
  const HistogramReport report = make_report(histogram_of({{Channel::luma, {1, 2, 0, 3}}}), {}, kImage);
  EXPECT_EQ(report.counted, 6U);
  EXPECT_EQ(report.skipped, 2U);
}

TEST(HistogramCsv, MatchesTheExpectedText) {
  const Histogram one = histogram_of({{Channel::luma, {1, 2, 0, 5}}});
  EXPECT_EQ(to_csv(make_report(one, {}, kImage)), "bin,luma\n0,1\n1,2\n2,0\n3,5\n");
  EXPECT_EQ(to_csv(make_report(one, with_bins(3), kImage)), "bin,from,luma\n0,0,3\n1,2,0\n2,3,5\n");
  ReportOptions options;
  options.cumulative = true;
  EXPECT_EQ(to_csv(make_report(one, options, kImage)), "bin,luma\n0,1\n1,3\n2,3\n3,8\n");
  options.normalize = true;
  EXPECT_EQ(to_csv(make_report(one, options, kImage)), "bin,luma\n0,0.125\n1,0.375\n2,0.375\n3,1\n");
  options.cumulative = false;
  EXPECT_EQ(to_csv(make_report(one, options, kImage)), "bin,luma\n0,0.125\n1,0.25\n2,0\n3,0.625\n");
  const Histogram three =
      histogram_of({{Channel::red, {1, 2}}, {Channel::green, {3, 0}}, {Channel::blue, {~std::uint64_t{0}, 0}}});
  EXPECT_EQ(to_csv(make_report(three, {}, kImage)), "bin,r,g,b\n0,1,3,18446744073709551615\n1,2,0,0\n");
}

TEST(HistogramCsv, HslBinsAreGivenInDegreesAndFractions) {
  EXPECT_EQ(to_csv(make_report(histogram_of({{Channel::hue, {1, 2, 5}}}), with_bins(3), kImage)),
            "bin,from,h\n0,0,1\n1,120,2\n2,240,5\n");
  EXPECT_EQ(to_csv(make_report(histogram_of({{Channel::saturation, {1, 2, 5}}}), with_bins(3), kImage)),
            "bin,from,s\n0,0,1\n1,0.3333333333333333,2\n2,0.6666666666666666,5\n");
}

TEST(HistogramCsv, BinsDivideTheRange) {
  ReportOptions options = with_bins(2);
  options.range = PlotRange{false, {1, 4}};
  const Histogram counted = histogram_of({{Channel::luma, {9, 1, 2, 3, 4, 7, 7, 7}}});
  EXPECT_EQ(to_csv(make_report(counted, options, kImage)), "bin,from,luma\n0,1,3\n1,3,7\n");
  options.cumulative = true;
  EXPECT_EQ(to_csv(make_report(counted, options, kImage)), "bin,from,luma\n0,1,12\n1,3,19\n");
  options.bins = 5;
  EXPECT_THROW((void)make_report(counted, options, kImage), Error);
}

TEST(HistogramCsv, SharesAreZeroIfNothingIsCounted) {
  ReportOptions options;
  options.normalize = true;
  EXPECT_EQ(to_csv(make_report(histogram_of({{Channel::luma, {0, 0}}}), options, kImage)), "bin,luma\n0,0\n1,0\n");
}

TEST(HistogramJson, MatchesTheExpectedText) {
  ReportOptions options = with_bins(2);
  options.region = Rect{1, 0, 2, 2};
  const std::string json = to_json(make_report(histogram_of({{Channel::luma, {2, 1, 0, 1}}}), options, kImage));
  EXPECT_EQ(json, R"({
  "schema": 1,
  "tool": "gpuimg",
  "operation": "hist",
  "images": 1,
  "image": {"name": "a.png", "width": 4, "height": 2, "bits": 8, "channels": 3},
  "options": {"channels": ["luma"], "luma": "bt601", "transparent": "skip", "roi": [1, 0, 2, 2], "mask": false, "bins": 2, "cumulative": false, "normalize": false},
  "counted": 4,
  "skipped": 4,
  "histograms": [
    {
      "channel": "luma",
      "unit": "level",
      "statistics": {
        "min": 0,
        "max": 3,
        "mean": 1,
        "stddev": 1.224744871391589,
        "median": 0,
        "mode": 0,
        "percentiles": {"1": 0, "5": 0, "25": 0, "50": 0, "75": 1, "95": 3, "99": 3},
        "entropy_bits": 1.5,
        "share_at_zero": 0.5,
        "share_at_max": 0.25
      },
      "counts": [2, 1, 0, 1],
      "from": [0, 2],
      "values": [3, 1]
    }
  ]
}
)");
}

TEST(HistogramJson, StatisticsAreNullIfNothingIsCounted) {
  const std::string json = to_json(make_report(histogram_of({{Channel::luma, {0, 0}}}), {}, kImage));
  EXPECT_NE(json.find("\"statistics\": null"), std::string::npos);
  EXPECT_EQ(json.find("\"values\""), std::string::npos);
}

TEST(HistogramJson, HueHasOnlyCircularStatistics) {
  const std::string json = to_json(make_report(histogram_of({{Channel::hue, {2, 1, 0, 0}}}), {}, kImage));
  EXPECT_NE(json.find(R"(
      "statistics": {
        "circular": true,
        "min": null,
        "max": null,
        "mean": 71.565051,
        "stddev": 43.927096,
        "median": null,
        "mode": 0,
        "percentiles": null,
        "entropy_bits": 0.918295834,
        "share_at_zero": 0.6666666666666666,
        "share_at_max": 0
      },)"),
            std::string::npos)
      << json;
}

TEST(HistogramJson, OppositeHuesHaveNoMean) {
  const std::string json = to_json(make_report(histogram_of({{Channel::hue, {2, 0, 2, 0}}}), {}, kImage));
  EXPECT_NE(json.find("\"mean\": null,\n        \"stddev\": null,"), std::string::npos) << json;
}

TEST(HistogramJson, PythonReadsAnyNameAndEveryCount) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  ImageFacts image = kImage;
  for (int byte = 1; byte < 256; ++byte) {
    image.name += static_cast<char>(byte);
  }
  Counts counts(65536);
  for (std::uint64_t& count : counts) {
    count = random() >> 17;
  }
  ReportOptions options = with_bins(100);
  options.cumulative = options.normalize = true;
  const auto path = std::filesystem::temp_directory_path() / ("gpuimg-report-" + std::to_string(::getpid()) + ".json");
  std::ofstream(path) << to_json(make_report(histogram_of({{Channel::luma, counts}}), options, image));
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::string script =
      "import json,sys; d=json.load(open(sys.argv[1],encoding=\"utf-8\")); h=d[\"histograms\"][0]; "
      "c=h[\"counts\"]; assert len(c)==65536 and sum(c)==d[\"counted\"]=={}; "
      "assert [float(sum(c[:-(-(i+1)*65536//100)]))/float(sum(c)) for i in range(100)]==h[\"values\"]; "
      "assert d[\"schema\"]==1";
  std::string filled = script;
  filled.replace(filled.find("{}"), 2, std::to_string(sum));
  EXPECT_EQ(std::system(("python3 -c '" + filled + "' '" + path.string() + "'").c_str()), 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace gpuimg::test_histogram_reports

// The table, JSON and chart of `gpuimg bench`, with one backend and with two, with codecs, and on a narrow terminal.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "report/bench_report.hpp"

namespace gpuimg::test_bench_report {
namespace {

constexpr int kAnyWidth = std::numeric_limits<int>::max();

BenchReport report_of(std::size_t backends) {
  BenchReport report;
  BenchRow row;
  row.image = "a.png";
  row.operation = "integral f64 square";
  row.compared = backends > 1;
  report.backends.push_back({"cpu", "CPU, 2 threads", 1.0e10});
  row.timings.push_back({"cpu", 0.5, 8.0, 0.25, 5.0, 0.5});
  if (backends > 1) {
    report.backends.push_back({"cuda", "a GPU", 4.0e12});
    row.timings.push_back({"cuda", 1.0, 0.5, 0.5, 80.0, 0.02});
  }
  report.rows.push_back(row);
  return report;
}

/// Both backends decode JPEG; only the first one decodes PNG.
void add_codecs(BenchReport& report) {
  BenchRow jpeg;
  jpeg.image = "a.png";
  jpeg.operation = "decode JPEG";
  jpeg.is_codec = true;
  jpeg.compared = true;
  jpeg.timings = {{"cpu", 0.0, 40.0, 0.0, 1.25, 0.125}, {"cuda", 0.0, 0.5, 0.0, 100.0, 0.025}};
  BenchRow png = jpeg;
  png.operation = "decode PNG";
  png.compared = false;
  png.timings.pop_back();
  report.rows.push_back(jpeg);
  report.rows.push_back(png);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, line.size());
  }
  return widest;
}

TEST(BenchTable, OneBackendIsNotCompared) {
  EXPECT_EQ(bench_table(report_of(1), kAnyWidth),
            "cpu  CPU, 2 threads; a plain copy moves 10.0 GB/s\n"
            "\n"
            "a.png\n"
            "operation                 upload ms kernel ms downl. ms    GB/s of copy\n"
            "integral f64 square cpu       0.500     8.000     0.250     5.0     50%\n"
            "\n"
            "no results compared: cpu is the only backend\n");
}

TEST(BenchTable, TwoBackendsAreCompared) {
  BenchReport report = report_of(2);
  const std::string rows =
      "a.png\n"
      "operation                 upload ms kernel ms downl. ms    GB/s of copy   faster with copies\n"
      "integral f64 square cpu       0.500     8.000     0.250     5.0     50%\n"
      "                    cuda      1.000     0.500     0.500    80.0      2%    16.0x        4.0x\n";
  EXPECT_NE(bench_table(report, kAnyWidth).find(rows + "\nall results are equal\n"), std::string::npos)
      << bench_table(report, kAnyWidth);
  report.rows[0].difference = "at 3,4";
  EXPECT_NE(bench_table(report, kAnyWidth).find(rows + "  DIFFERENT: at 3,4\n\nresults that are DIFFERENT: 1\n"),
            std::string::npos)
      << bench_table(report, kAnyWidth);
}

TEST(BenchTable, OmitsCopyTimesForCodecs) {
  BenchReport report = report_of(2);
  add_codecs(report);
  EXPECT_EQ(bench_table(report, kAnyWidth),
            "cpu  CPU, 2 threads; a plain copy moves 10.0 GB/s\n"
            "cuda a GPU; a plain copy moves 4000.0 GB/s\n"
            "\n"
            "a.png\n"
            "operation                 upload ms kernel ms downl. ms    GB/s of copy   faster with copies\n"
            "integral f64 square cpu       0.500     8.000     0.250     5.0     50%\n"
            "                    cuda      1.000     0.500     0.500    80.0      2%    16.0x        4.0x\n"
            "decode JPEG         cpu                40.000               1.2     12%\n"
            "                    cuda                0.500             100.0      2%    80.0x       80.0x\n"
            "decode PNG          cpu                40.000               1.2     12%\n"
            "\n"
            "all results are equal\n");
}

TEST(BenchTable, NarrowTerminalsGetFewerColumns) {
  for (const std::size_t backends : {1U, 2U}) {
    BenchReport report = report_of(backends);
    report.backends.clear();  // descriptions of backends are not wrapped
    report.backends.resize(backends);
    for (const int width : {40, 60, 80, 100}) {
      std::string table = bench_table(report, width);
      table.erase(0, table.find("a.png"));
      table.erase(table.rfind("\n\n"));
      EXPECT_LE(widest_line(table), static_cast<std::size_t>(width)) << table;
      EXPECT_NE(table.find("kernel ms"), std::string::npos) << table;
      EXPECT_EQ(table.find("upload ms") != std::string::npos, width >= (backends == 1 ? 80 : 100)) << table;
    }
  }
}

TEST(BenchJson, EqualIsNullForOneBackend) {
  EXPECT_NE(bench_json(report_of(1)).find("\"equal\": null"), std::string::npos);
  EXPECT_NE(bench_json(report_of(2)).find("\"equal\": true"), std::string::npos);
}

TEST(BenchJson, MarksCodecs) {
  BenchReport report = report_of(2);
  add_codecs(report);
  report.rows.erase(report.rows.begin());
  const std::string json = bench_json(report);
  EXPECT_EQ(json.substr(json.find("  \"results\"")),
            R"(  "results": [
    {
      "image": "a.png",
      "operation": "decode JPEG",
      "codec": true,
      "equal": true,
      "timings": [
        {"backend": "cpu", "upload_ms": 0, "kernel_ms": 40, "download_ms": 0, "gb_s": 1.25, "share_of_copy": 0.125},
        {"backend": "cuda", "upload_ms": 0, "kernel_ms": 0.5, "download_ms": 0, "gb_s": 100, "share_of_copy": 0.025}
      ]
    },
    {
      "image": "a.png",
      "operation": "decode PNG",
      "codec": true,
      "equal": null,
      "timings": [
        {"backend": "cpu", "upload_ms": 0, "kernel_ms": 40, "download_ms": 0, "gb_s": 1.25, "share_of_copy": 0.125}
      ]
    }
  ]
}
)");
  EXPECT_NE(bench_json(report_of(1)).find("\"codec\": false"), std::string::npos);
}

TEST(BenchSvg, HasABarForEachTime) {
  BenchReport report = report_of(2);
  add_codecs(report);
  const std::string svg = bench_svg(report);
  EXPECT_NE(svg.find(">gpuimg bench: time of each operation and codec</text>"), std::string::npos);
  EXPECT_NE(svg.find(">decode JPEG</text>\n<rect class=\"b0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find(">cuda 0.500 ms</text>"), std::string::npos);
  std::size_t bars = 0;
  for (std::size_t at = svg.find("<rect class=\"b"); at != std::string::npos;
       at = svg.find("<rect class=\"b", at + 1)) {
    ++bars;
  }
  EXPECT_EQ(bars, 5U);
}

}  // namespace
}  // namespace gpuimg::test_bench_report

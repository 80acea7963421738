// Table and JSON of `gpuimg bench`, for one backend and for two, and on a narrow terminal.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "report/bench_report.hpp"

namespace gpuimg {
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

TEST(BenchTable, NarrowTerminalsGetFewerColumns) {
  for (const std::size_t backends : {1U, 2U}) {
    BenchReport report = report_of(backends);
    report.backends.clear();  // their descriptions have a fixed length
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

TEST(BenchJson, OneBackendIsNeitherEqualNorDifferent) {
  EXPECT_NE(bench_json(report_of(1)).find("\"equal\": null"), std::string::npos);
  EXPECT_NE(bench_json(report_of(2)).find("\"equal\": true"), std::string::npos);
}

}  // namespace
}  // namespace gpuimg

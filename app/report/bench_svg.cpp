// Draws the results of `gpuimg bench` as a bar chart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/bench_report.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr int kLabelWidth = 190;
constexpr int kChartWidth = 560;
constexpr int kRightMargin = 110;
constexpr int kTop = 76;
constexpr int kBarHeight = 11;
constexpr int kGroupGap = 10;

constexpr const char* kStyle =
    "text{font:12px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}.page{fill:#fff}"
    ".grid{stroke:#ddd}.b0{fill:#4477aa}.b1{fill:#66a61e}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.page{fill:#181818}.grid{stroke:#444}"
    ".b0{fill:#77aadd}.b1{fill:#99cc55}}";

/// Times on a logarithmic axis of whole decades.
struct TimeAxis {
  int first_decade = 0;
  int last_decade = 1;

  explicit TimeAxis(const BenchReport& report) {
    double shortest = 1.0e300;
    double longest = 1.0e-300;
    for (const BenchRow& row : report.rows) {
      for (const BackendTiming& timing : row.timings) {
        shortest = std::min(shortest, timing.kernel_ms);
        longest = std::max(longest, timing.kernel_ms);
      }
    }
    if (shortest <= longest) {
      first_decade = static_cast<int>(std::floor(std::log10(shortest)));
      last_decade = std::max(first_decade + 1, static_cast<int>(std::ceil(std::log10(longest))));
    }
  }

  [[nodiscard]] double position(double ms) const {
    return kChartWidth * (std::log10(ms) - first_decade) / (last_decade - first_decade);
  }
};

void add_axis(std::string& svg, const TimeAxis& axis, int bottom) {
  for (int decade = axis.first_decade; decade <= axis.last_decade; ++decade) {
    const double x = kLabelWidth + axis.position(std::pow(10.0, decade));
    append_format(svg,
                  "<path class=\"grid\" d=\"M{:.1f} {}V{}\"/><text text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{:g} "
                  "ms</text>\n",
                  x, kTop, bottom, x, kTop - 6, std::pow(10.0, decade));
  }
}

void add_row(std::string& svg, const BenchRow& row, const TimeAxis& axis, int y) {
  append_format(svg, "<text text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>\n", kLabelWidth - 8, y + kBarHeight,
                xml_escaped(row.operation));
  for (std::size_t i = 0; i < row.timings.size(); ++i) {
    const BackendTiming& timing = row.timings[i];
    const int top = y + static_cast<int>(i) * kBarHeight;
    const double length = std::max(1.0, axis.position(timing.kernel_ms));
    append_format(svg,
                  "<rect class=\"b{}\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/><text x=\"{:.1f}\" "
                  "y=\"{}\">{} {:.3f} ms</text>\n",
                  i, kLabelWidth, top, length, kBarHeight - 1, kLabelWidth + length + 5, top + kBarHeight - 2,
                  timing.backend, timing.kernel_ms);
  }
}

}  // namespace

std::string bench_svg(const BenchReport& report) {
  const TimeAxis axis(report);
  const int group = static_cast<int>(report.backends.size()) * kBarHeight + kGroupGap;
  const int bottom = kTop + group * static_cast<int>(report.rows.size());
  const int width = kLabelWidth + kChartWidth + kRightMargin;
  std::string rows;
  std::string subtitle;
  int y = kTop + kGroupGap / 2;
  for (const BenchRow& row : report.rows) {
    add_row(rows, row, axis, y);
    y += group;
  }
  for (const BenchBackend& backend : report.backends) {
    subtitle += (subtitle.empty() ? "" : " · ") + backend.description;
  }
  std::string grid;
  add_axis(grid, axis, bottom);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n"
      "<title>gpuimg bench</title><style>{}</style><rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
      "<text class=\"title\" x=\"16\" y=\"26\">gpuimg bench: time of each operation and codec</text>\n"
      "<text x=\"16\" y=\"46\">{}</text>\n{}{}</svg>\n",
      width, bottom + 16, width, bottom + 16, kStyle, xml_escaped(subtitle), grid, rows);
}

}  // namespace gpuimg

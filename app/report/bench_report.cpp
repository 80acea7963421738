// The results of `gpuimg bench` as a table, as JSON and as a bar chart.
#include "report/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr double kBytesPerGigabyte = 1.0e9;

double whole_ms(const BackendTiming& t) { return t.upload_ms + t.kernel_ms + t.download_ms; }

/// Speedup of the last backend over the first, shown in the last backend's row.
std::string speed_up(const BenchRow& row, std::size_t timing, double last_ms) {
  const bool is_last = timing > 0 && timing + 1 == row.timings.size();
  return is_last ? fmt::format("{:.1f}x", row.timings.front().kernel_ms / last_ms) : "";
}

/// Empty for codecs, whose times already include copying pixels.
std::string copy_ms(const BenchRow& row, double ms) { return row.is_codec ? "" : fmt::format("{:.3f}", ms); }

struct Column {
  std::string_view title;
  int width;  ///< right-aligned; negative: left-aligned
  int rank;   ///< 0 is always printed; on a narrow terminal the column with the highest rank is dropped first
  bool compares;
  std::string (*text)(const BenchRow& row, std::size_t timing);
};

const std::vector<Column> kColumns = {
    {"operation", -20, 0, false, [](const auto& row, std::size_t i) { return i == 0 ? row.operation : ""; }},
    {"", -5, 0, false, [](const auto& row, std::size_t i) { return row.timings[i].backend; }},
    {"upload ms", 10, 5, false, [](const auto& row, std::size_t i) { return copy_ms(row, row.timings[i].upload_ms); }},
    {"kernel ms", 10, 0, false,
     [](const auto& row, std::size_t i) { return fmt::format("{:.3f}", row.timings[i].kernel_ms); }},
    {"downl. ms", 10, 5, false,
     [](const auto& row, std::size_t i) { return copy_ms(row, row.timings[i].download_ms); }},
    {"GB/s", 8, 2, false,
     [](const auto& row, std::size_t i) { return fmt::format("{:.1f}", row.timings[i].gigabytes_per_second); }},
    {"of copy", 8, 3, false,
     [](const auto& row, std::size_t i) { return fmt::format("{:.0f}%", 100.0 * row.timings[i].share_of_copy); }},
    {"faster", 9, 1, true,
     [](const auto& row, std::size_t i) { return speed_up(row, i, row.timings.back().kernel_ms); }},
    {"with copies", 12, 4, true,
     [](const auto& row, std::size_t i) { return speed_up(row, i, whole_ms(row.timings.back())); }},
};

/// The columns that fit into `width`.
std::vector<Column> columns_for(bool compares, int width) {
  std::vector<Column> columns = kColumns;
  std::erase_if(columns, [&](const Column& column) { return column.compares && !compares; });
  const auto total = [&] {
    int sum = 0;
    for (const Column& column : columns) {
      sum += std::abs(column.width);
    }
    return sum;
  };
  for (int rank = 5; rank > 0 && total() > width; --rank) {
    std::erase_if(columns, [&](const Column& column) { return column.rank == rank; });
  }
  return columns;
}

template <class Text>
std::string table_line(const std::vector<Column>& columns, const Text& text) {
  std::string line;
  for (const Column& column : columns) {
    line += column.width < 0 ? fmt::format("{:<{}}", text(column), -column.width)
                             : fmt::format("{:>{}}", text(column), column.width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string conclusion(const BenchReport& report) {
  if (report.backends.size() < 2) {
    return fmt::format("no results compared: {} is the only backend", report.backends.front().name);
  }
  const auto different = std::count_if(report.rows.begin(), report.rows.end(),
                                       [](const BenchRow& row) { return !row.difference.empty(); });
  return different == 0 ? "all results are equal" : fmt::format("results that are DIFFERENT: {}", different);
}

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

std::string bench_table(const BenchReport& report, int width) {
  std::string text;
  for (const BenchBackend& backend : report.backends) {
    text += fmt::format("{:<5}{}; a plain copy moves {:.1f} GB/s\n", backend.name, backend.description,
                        backend.copy_rate / kBytesPerGigabyte);
  }
  const std::vector<Column> columns = columns_for(report.backends.size() > 1, width);
  std::string image;
  for (const BenchRow& row : report.rows) {
    if (row.image != image) {
      image = row.image;
      text += fmt::format("\n{}\n", printable_name(image));
      text += table_line(columns, [](const Column& column) { return std::string(column.title); });
    }
    for (std::size_t i = 0; i < row.timings.size(); ++i) {
      text += table_line(columns, [&](const Column& column) { return column.text(row, i); });
    }
    if (!row.difference.empty()) {
      text += fmt::format("  DIFFERENT: {}\n", row.difference);
    }
  }
  return text + '\n' + conclusion(report) + '\n';
}

std::string bench_json(const BenchReport& report) {
  JsonWriter json;
  json.begin_object().key("schema").integer(1).key("tool").text("gpuimg").key("operation").text("bench");
  json.key("backends").begin_array();
  for (const BenchBackend& backend : report.backends) {
    json.begin_object(JsonWriter::Layout::line).key("name").text(backend.name);
    json.key("description").text(backend.description);
    json.key("copy_gb_s").real(backend.copy_rate / kBytesPerGigabyte).end();
  }
  json.end().key("results").begin_array();
  for (const BenchRow& row : report.rows) {
    json.begin_object().key("image").text(row.image).key("operation").text(row.operation);
    json.key("codec").boolean(row.is_codec).key("equal");
    if (row.compared) {
      json.boolean(row.difference.empty());
    } else {
      json.null();
    }
    json.key("timings").begin_array();
    for (const BackendTiming& t : row.timings) {
      json.begin_object(JsonWriter::Layout::line).key("backend").text(t.backend).key("upload_ms").real(t.upload_ms);
      json.key("kernel_ms").real(t.kernel_ms).key("download_ms").real(t.download_ms);
      json.key("gb_s").real(t.gigabytes_per_second).key("share_of_copy").real(t.share_of_copy).end();
    }
    json.end().end();
  }
  json.end().end();
  return json.take();
}

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

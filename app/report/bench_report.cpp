// The results of `gpuimg bench` as a table and as JSON.
#include "report/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "text/json_writer.hpp"
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

/// Codecs have no copies of pixels apart from their own.
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

/// The columns that fit the width.
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

}  // namespace gpuimg

// The results of `gpuimg bench` as a table and as JSON.
#include "bench_report.hpp"

#include <fmt/format.h>

#include <iterator>

#include "files/printable_name.hpp"
#include "histogram/json_writer.hpp"

namespace gpuimg {
namespace {

constexpr double kBytesPerGigabyte = 1.0e9;

std::string verdict(const BenchRow& row) {
  if (!row.compared) {
    return "not compared";
  }
  return row.difference.empty() ? "equal" : "DIFFERENT: " + row.difference;
}

/// How many times faster the last backend is than the first, for the operation alone and with the transfers.
std::string speed_up(const BenchRow& row) {
  if (row.timings.size() < 2) {
    return {};
  }
  const BackendTiming& first = row.timings.front();
  const BackendTiming& last = row.timings.back();
  const double last_whole = last.upload_ms + last.kernel_ms + last.download_ms;
  return fmt::format("{:>8.1f}x {:>8.1f}x", first.kernel_ms / last.kernel_ms, first.kernel_ms / last_whole);
}

}  // namespace

std::string bench_table(const BenchReport& report) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const BenchBackend& backend : report.backends) {
    fmt::format_to(out, "{:<5}{}; a plain copy moves {:.1f} GB/s\n", backend.name, backend.description,
                   backend.copy_rate / kBytesPerGigabyte);
  }
  std::string image;
  for (const BenchRow& row : report.rows) {
    if (row.image != image) {
      image = row.image;
      fmt::format_to(out, "\n{}\n{:<20}{:<6}{:>10}{:>10}{:>10}{:>9}{:>8}  {}\n", printable_name(image), "operation", "",
                     "upload ms", "kernel ms", "downl. ms", "GB/s", "of copy",
                     report.backends.size() > 1 ? "faster: kernel, with transfers; results" : "results");
    }
    for (std::size_t i = 0; i < row.timings.size(); ++i) {
      const BackendTiming& t = row.timings[i];
      fmt::format_to(out, "{:<20}{:<6}{:>10.3f}{:>10.3f}{:>10.3f}{:>9.1f}{:>7.0f}%", i == 0 ? row.operation : "",
                     t.backend, t.upload_ms, t.kernel_ms, t.download_ms, t.gigabytes_per_second,
                     100.0 * t.share_of_copy);
      if (i + 1 == row.timings.size()) {
        fmt::format_to(out, " {} {}", speed_up(row), verdict(row));
      }
      text += '\n';
    }
  }
  return text;
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
    json.begin_object().key("image").text(row.image).key("operation").text(row.operation).key("equal");
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

// One list of columns is the header of the CSV and the members of the JSON.
#include "report/statistics_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "gpuimg/error.hpp"
#include "text/channel_names.hpp"
#include "text/json_writer.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr std::array<std::string_view, 6> kImageColumns = {"width", "height", "bits", "channels", "counted", "skipped"};
constexpr std::array kChannels = {Channel::luma, Channel::red, Channel::green, Channel::blue, Channel::alpha};
constexpr std::array<std::string_view, 14> kChannelColumns = {
    "mean", "stddev", "min", "p1",  "p5",           "p25",           "median",
    "p75",  "p95",    "p99", "max", "entropy_bits", "share_at_zero", "share_at_max"};
constexpr std::size_t kColumns = kImageColumns.size() + kChannels.size() * kChannelColumns.size();

void add_statistics(std::string& cells, const HistogramStatistics& s) {
  append_format(cells, ",{},{},{}", s.mean, s.standard_deviation, s.min);
  for (const std::uint32_t percentile : s.percentiles) {
    append_format(cells, ",{}", percentile);
  }
  append_format(cells, ",{},{},{},{}", s.max, s.entropy_bits, s.share_at_zero, s.share_at_max);
}

std::vector<std::string_view> split(const std::string& name, std::string_view cells) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = cells.find(',');
    parts.push_back(cells.substr(0, comma));
    if (comma == std::string_view::npos) {
      break;
    }
    cells.remove_prefix(comma + 1);
  }
  if (parts.size() != kColumns) {
    throw Error(ErrorKind::decode,
                printable_name(name) + ": the manifest's row of it has other columns; run without --resume");
  }
  return parts;
}

/// RFC 4180: quotes around a name with a comma, a quote or a line break; quotes inside are doubled.
std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) {
    return name;
  }
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string json_row(const std::string& name, std::string_view cells) {
  const std::vector<std::string_view> parts = split(name, cells);
  auto part = parts.begin();
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line).key("name").text(name);
  if (valid_utf8(name) != name) {
    json.key("name_hex")
        .text(fmt::format("{:02x}", fmt::join(std::vector<std::uint8_t>(name.begin(), name.end()), "")));
  }
  for (const std::string_view column : kImageColumns) {
    json.key(column).literal(*part++);
  }
  for (const Channel channel : kChannels) {
    json.key(channel_name(channel));
    if (part->empty()) {
      json.null();
      part += kChannelColumns.size();
      continue;
    }
    json.begin_object();
    for (const std::string_view column : kChannelColumns) {
      json.key(column).literal(*part++);
    }
    json.end();
  }
  return json.end().take();
}

}  // namespace

std::string table_cells(const HistogramReport& report) {
  const ImageFacts& image = report.image;
  std::string cells = fmt::format("{},{},{},{},{},{}", image.width, image.height, image.bits, image.channels,
                                  report.counted, report.skipped);
  for (const Channel channel : kChannels) {
    const ChannelReport* found = nullptr;
    for (const ChannelReport& one : report.channels) {
      found = one.channel == channel ? &one : found;
    }
    if (found != nullptr && found->statistics) {
      add_statistics(cells, *found->statistics);
    } else {
      cells.append(kChannelColumns.size(), ',');
    }
  }
  return cells;
}

std::string table_header(TableForm form) {
  if (form == TableForm::jsonl) {
    return {};
  }
  std::string header = "name";
  for (const std::string_view column : kImageColumns) {
    append_format(header, ",{}", column);
  }
  for (const Channel channel : kChannels) {
    for (const std::string_view column : kChannelColumns) {
      append_format(header, ",{}_{}", channel_name(channel), column);
    }
  }
  return header + '\n';
}

std::string table_row(TableForm form, const std::string& name, std::string_view cells) {
  if (form == TableForm::jsonl) {
    return json_row(name, cells);
  }
  (void)split(name, cells);
  return fmt::format("{},{}\n", csv_name(name), cells);
}

}  // namespace gpuimg

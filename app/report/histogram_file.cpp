// Histograms as files. One list of columns provides both the header of the table's CSV and the keys of its JSON. Input
// is checked, because files are untrusted.
#include "report/histogram_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "text/channel_names.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

using Layout = JsonWriter::Layout;

std::string_view unit_name(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::level: return "level";
    case ValueUnit::degrees: return "degrees";
    case ValueUnit::fraction: return "fraction";
  }
  return "";
}

JsonWriter& size(JsonWriter& json, int value) { return json.integer(static_cast<std::uint64_t>(value)); }

void write_image(JsonWriter& json, const ImageFacts& image) {
  json.key("image");
  if (image.is_sum) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  json.key("name").text(image.name);
  size(json.key("width"), image.width);
  size(json.key("height"), image.height);
  size(json.key("bits"), image.bits);
  size(json.key("channels"), image.channels);
  json.end();
}

void write_options(JsonWriter& json, const HistogramReport& report) {
  const ReportOptions& options = report.options;
  json.key("options").begin_object(Layout::line).key("channels").begin_array();
  for (const ChannelReport& channel : report.channels) {
    json.text(channel_name(channel.channel));
  }
  json.end();
  json.key("luma").text(luma_name(options.luma));
  json.key("transparent").text(options.count_transparent ? "count" : "skip");
  json.key("roi");
  if (options.region) {
    json.begin_array();
    for (const int edge : {options.region->x, options.region->y, options.region->width, options.region->height}) {
      size(json, edge);
    }
    json.end();
  } else {
    json.null();
  }
  json.key("mask").boolean(options.masked);
  json.key("bins");
  if (options.bins) {
    size(json, *options.bins);
  } else {
    json.null();
  }
  if (options.range) {  // data files use the range only with bins
    json.key("range").begin_array().integer(report.axis.first).integer(report.axis.last()).end();
  }
  json.key("cumulative").boolean(options.cumulative).key("normalize").boolean(options.normalize).end();
}

/// Statistics that require values on a line: with an order and distances.
void write_linear(JsonWriter& json, const HistogramStatistics& s, const ValueAxis& axis) {
  const auto level = [&](std::string_view name, double value) { json.key(name).real(axis.value_of_level(value)); };
  level("min", s.min);
  level("max", s.max);
  level("mean", s.mean);
  level("stddev", s.standard_deviation);
  level("median", s.median());
  level("mode", s.mode);
  json.key("percentiles").begin_object(Layout::line);
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    level(std::to_string(kPercentiles[i]), s.percentiles[i]);
  }
  json.end();
}

/// The same keys for values on a circle, which have no order.
void write_circular(JsonWriter& json, const ChannelReport& channel, const ValueAxis& axis) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  json.key("circular").boolean(true);
  json.key("min").null().key("max").null();
  json.key("mean").real(channel.circular ? channel.circular->mean : kNone);
  json.key("stddev").real(channel.circular ? channel.circular->deviation : kNone);
  json.key("median").null();
  json.key("mode").real(axis.value_of_level(channel.statistics->mode));
  json.key("percentiles").null();
}

void write_statistics(JsonWriter& json, const ChannelReport& channel, const ValueAxis& axis) {
  const HistogramStatistics& s = *channel.statistics;
  json.begin_object();
  if (axis.is_circular()) {
    write_circular(json, channel, axis);
  } else {
    write_linear(json, s, axis);
  }
  json.key("entropy_bits").real(s.entropy_bits);
  json.key("share_at_zero").real(s.share_at_zero).key("share_at_max").real(s.share_at_max).end();
}

void write_values(JsonWriter& json, const HistogramReport& report, const ChannelReport& channel) {
  const ReportOptions& options = report.options;
  if (options.bins) {
    json.key("from").begin_array(Layout::line);
    for (std::uint32_t bin = 0; bin < report.axis.bins; ++bin) {
      json.real(report.axis.start_of_bin(bin));
    }
    json.end();
  }
  if (options.bins || options.cumulative || options.normalize) {
    json.key("values").begin_array(Layout::line);
    for (const std::uint64_t value : channel.values) {
      json.literal(value_text(report, value));
    }
    json.end();
  }
}

void write_channel(JsonWriter& json, const HistogramReport& report, const ChannelReport& channel) {
  json.begin_object();
  json.key("channel").text(channel_name(channel.channel));
  json.key("unit").text(unit_name(report.axis.unit));
  json.key("statistics");
  if (channel.statistics) {
    write_statistics(json, channel, report.axis);
  } else {
    json.null();
  }
  json.key("counts").begin_array(Layout::line);
  for (const std::uint64_t count : channel.counts) {
    json.integer(count);
  }
  json.end();
  write_values(json, report, channel);
  json.end();
}

/// A defect of the file; its text becomes the reason in the error message.
struct Contradiction : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t count_in(JsonValue value) {
  if (!value.is_unsigned()) {
    throw Contradiction("a count is not a whole number");
  }
  return value.unsigned_integer();
}

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) {
    throw Contradiction("its counts exceed 64 bits");
  }
  return a + b;
}

Channel channel_of(const std::string& name) {
  for (const auto& named : kHistogramChannelNames) {
    if (named.name == name && named.value.size() == 1) {
      return named.value.front();
    }
  }
  throw Contradiction("it names an unknown channel");
}

ChannelHistogram channel_in(JsonValue json, std::uint64_t counted) {
  constexpr std::size_t kMaxLevels = 65536;
  ChannelHistogram channel;
  channel.channel = channel_of(json.at("channel").text());
  const std::vector<JsonValue> counts = json.at("counts").elements();
  if (!json.at("counts").is_array() || counts.size() < 2 || counts.size() > kMaxLevels) {
    throw Contradiction("its counts are not a list of 2 to 65536 numbers");
  }
  std::uint64_t total = 0;
  for (const JsonValue count : counts) {
    channel.counts.push_back(count_in(count));
    total = sum_of(total, channel.counts.back());
  }
  if (total != counted) {
    throw Contradiction("its counts do not add up to 'counted'");
  }
  return channel;
}

HistogramFile file_in(JsonValue json) {
  if (!json.at("tool").equals("gpuimg") || !json.at("operation").equals("hist") || !json.at("schema").equals(1)) {
    throw Contradiction("it is not schema 1 of 'gpuimg hist'");
  }
  HistogramFile file;
  file.histogram.counted = count_in(json.at("counted"));
  file.pixels = sum_of(file.histogram.counted, count_in(json.at("skipped")));
  file.images = count_in(json.at("images"));
  file.luma = value_named("luma", json.at("options").at("luma").text(), kLumaNames);
  file.count_transparent = json.at("options").at("transparent").equals("count");
  for (const JsonValue channel : json.at("histograms").elements()) {
    file.histogram.channels.push_back(channel_in(channel, file.histogram.counted));
  }
  if (file.histogram.channels.empty()) {
    throw Contradiction("it has no channel");
  }
  return file;
}

[[noreturn]] void reject(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::decode, printable_name(name) + ": is not a histogram that gpuimg wrote as JSON: " + why +
                                     "; create one with 'gpuimg hist IN OUT.json'");
}

void check_alike(const Histogram& total, const Histogram& more, const std::string& name) {
  bool alike = total.channels.size() == more.channels.size();
  for (std::size_t i = 0; alike && i < more.channels.size(); ++i) {
    const ChannelHistogram& ours = total.channels[i];
    const ChannelHistogram& theirs = more.channels[i];
    alike = ours.channel == theirs.channel;
    if (alike && ours.counts.size() != theirs.counts.size()) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: has {} {}, but the sum so far has {}; {}", printable_name(name),
                              theirs.counts.size(), is_hsl(ours.channel) ? "bins" : "levels", ours.counts.size(),
                              is_hsl(ours.channel) ? "sum files of the same --bins"
                                                   : "sum 8-bit and 16-bit images separately"));
    }
  }
  if (!alike) {
    throw Error(ErrorKind::unsupported,
                printable_name(name) + ": counts other channels than the sum so far; use the same --channel for all");
  }
}

constexpr std::array<std::string_view, 6> kImageColumns = {"width", "height", "bits", "channels", "counted", "skipped"};
constexpr std::array kChannels = {Channel::luma, Channel::red, Channel::green, Channel::blue, Channel::alpha};
constexpr std::array<std::string_view, 14> kChannelColumns = {
    "mean", "stddev", "min", "p1",  "p5",           "p25",           "median",
    "p75",  "p95",    "p99", "max", "entropy_bits", "share_at_zero", "share_at_max"};
constexpr std::size_t kTableColumns = kImageColumns.size() + kChannels.size() * kChannelColumns.size();

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
  if (parts.size() != kTableColumns) {
    throw Error(ErrorKind::decode,
                printable_name(name) + ": its row in the manifest has other columns; run without --resume");
  }
  return parts;
}

/// The names of the cells, in order.
std::vector<std::string> cell_names() {
  std::vector<std::string> names(kImageColumns.begin(), kImageColumns.end());
  for (const Channel channel : kChannels) {
    for (const std::string_view column : kChannelColumns) {
      names.push_back(fmt::format("{}_{}", channel_name(channel), column));
    }
  }
  return names;
}

constexpr std::array<std::string_view, 4> kNameColumns = {"name", "folder", "file", "page"};

/// "scans/a.tif, page 3" as {"scans/a.tif, page 3", "scans", "a.tif", "3"}: the columns of kNameColumns.
std::array<std::string, kNameColumns.size()> name_cells(const std::string& name) {
  static constexpr std::string_view kPage = ", page ";
  const std::size_t comma = name.rfind(kPage);
  std::string path = name;
  std::string page;
  const std::string number = comma == std::string::npos ? "" : name.substr(comma + kPage.size());
  if (!number.empty() && number.front() != '0' && number.find_first_not_of("0123456789") == std::string::npos) {
    path = name.substr(0, comma);
    page = number;
  }
  const std::size_t slash = path.rfind('/');
  const bool has_folder = slash != std::string::npos;
  return {name, has_folder ? path.substr(0, slash) : "", has_folder ? path.substr(slash + 1) : path, page};
}

std::string chosen_row(TableFormat format, const std::string& name, std::string_view cells,
                       const std::vector<std::string>& columns) {
  const std::vector<std::string_view> parts = split(name, cells);
  const std::vector<std::string> names = cell_names();
  const auto of_name = name_cells(name);
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line);
  std::string row;
  for (const std::string& column : columns) {
    const auto* named = std::find(kNameColumns.begin(), kNameColumns.end(), column);
    const bool is_of_name = named != kNameColumns.end();
    const std::string cell =
        is_of_name
            ? of_name[static_cast<std::size_t>(named - kNameColumns.begin())]
            : std::string(
                  parts[static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin())]);
    row += (row.empty() && &column == columns.data() ? "" : ",") + csv_cell(cell);
    json.key(column);
    if (is_of_name && column != "page") {
      json.text(cell);
    } else {
      json.literal(cell.empty() ? "null" : cell);
    }
  }
  return format == TableFormat::csv ? row + '\n' : json.end().take();
}

std::string json_row(const std::string& name, std::string_view cells) {
  const std::vector<std::string_view> parts = split(name, cells);
  auto part = parts.begin();
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line).name("name", name);
  for (const std::string_view column : kImageColumns) {
    json.key(column).literal(part->empty() ? "null" : *part);
    ++part;
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

std::string to_csv(const HistogramReport& report) {
  const bool with_from = report.options.bins.has_value();
  std::string csv = with_from ? "bin,from" : "bin";
  for (const ChannelReport& channel : report.channels) {
    csv += ',';
    csv += channel_name(channel.channel);
  }
  csv += '\n';
  for (std::uint32_t bin = 0; bin < report.axis.bins; ++bin) {
    append_number(csv, bin);
    if (with_from) {
      append_number(csv += ',', report.axis.start_of_bin(bin));
    }
    for (const ChannelReport& channel : report.channels) {
      csv += ',';
      csv += value_text(report, channel.values[bin]);
    }
    csv += '\n';
  }
  return csv;
}

std::string to_json(const HistogramReport& report) {
  JsonWriter json;
  json.begin_object();
  json.key("schema")
      .integer(1)
      .key("tool")
      .text("gpuimg")
      .key("operation")
      .text("hist")
      .key("images")
      .integer(report.image.images);
  write_image(json, report.image);
  write_options(json, report);
  json.key("counted").integer(report.counted).key("skipped").integer(report.skipped);
  json.key("histograms").begin_array();
  for (const ChannelReport& channel : report.channels) {
    write_channel(json, report, channel);
  }
  return json.end().end().take();
}

std::string to_summary(const HistogramReport& report) {
  const bool has_levels = report.axis.unit == ValueUnit::level;
  const double v_max = has_levels ? static_cast<double>(report.channels.front().counts.size() - 1) : 1.0;
  std::vector<std::string_view> names;
  for (const ChannelReport& channel : report.channels) {
    names.push_back(channel_name(channel.channel));
  }
  using Moment = double HistogramStatistics::*;
  const auto line = [&](std::string_view name, Moment moment, double unit, int decimals) {
    std::vector<std::string> texts;
    for (const ChannelReport& channel : report.channels) {
      texts.push_back(
          channel.statistics
              ? fmt::format("{:.{}f}", report.axis.value_of_level((*channel.statistics).*moment) / unit, decimals)
              : "None");
    }
    return fmt::format("{} = [{}]\n", name, fmt::join(texts, ", "));
  };
  std::string text =
      fmt::format("# {}: {} pixels, {}", printable_name(report.image.name), report.counted, fmt::join(names, ", "));
  text += has_levels ? fmt::format(" of {} bits\n", v_max > 255.0 ? 16 : 8) : "\n";
  const Moment mean = &HistogramStatistics::mean;
  const Moment deviation = &HistogramStatistics::standard_deviation;
  text += line("mean", mean, v_max, 8) + line("std", deviation, v_max, 8);
  return has_levels ? text + line("mean_levels", mean, 1.0, 6) + line("std_levels", deviation, 1.0, 6) : text;
}

bool looks_like_json(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

HistogramFile histogram_from_json(std::span<const std::byte> bytes, const std::string& name) {
  try {
    const JsonDocument document({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return file_in(document.root());
  } catch (const JsonSyntaxError&) {
    reject(name, "it is truncated or not JSON");
  } catch (const JsonError&) {
    reject(name, "a value is missing or has the wrong type");
  } catch (const Contradiction& contradiction) {
    reject(name, contradiction.what());
  } catch (const Error&) {
    reject(name, "it names an unknown luma formula");
  }
}

void HistogramSum::add(const Histogram& histogram, std::uint64_t images, std::uint64_t pixels,
                       const std::string& name) {
  if (total_.channels.empty()) {
    total_ = histogram;
    images_ = images;
    pixels_ = pixels;
    return;
  }
  check_alike(total_, histogram, name);
  // No count exceeds the number of pixels, so this one comparison covers all of them.
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (pixels > kMax - pixels_ || images > kMax - images_) {
    throw Error(ErrorKind::unsupported, printable_name(name) + ": the sum would exceed 64 bits; sum fewer files");
  }
  for (std::size_t i = 0; i < histogram.channels.size(); ++i) {
    for (std::size_t level = 0; level < histogram.channels[i].counts.size(); ++level) {
      total_.channels[i].counts[level] += histogram.channels[i].counts[level];
    }
  }
  total_.counted += histogram.counted;
  images_ += images;
  pixels_ += pixels;
}

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

HistogramSum& TableTotal::sum_of(const Histogram& channel) {
  const auto found = std::find_if(channels_.begin(), channels_.end(), [&](const HistogramSum& sum) {
    return sum.total().channels.front().channel == channel.channels.front().channel;
  });
  if (found != channels_.end()) {
    return *found;
  }
  Histogram nothing = channel;
  std::fill(nothing.channels.front().counts.begin(), nothing.channels.front().counts.end(), 0);
  nothing.counted = 0;
  HistogramSum sum;
  sum.add(nothing, 0, 0, "");
  return channels_.emplace_back(std::move(sum));
}

std::vector<Histogram> TableTotal::prepare(const Histogram& histogram, const std::string& name) {
  const std::size_t levels = histogram.channels.front().counts.size();
  if (!channels_.empty() && channels_.front().total().channels.front().counts.size() != levels) {
    throw Error(ErrorKind::unsupported,
                printable_name(name) + ": --total cannot add images of 8 and of 16 bits; write a table for each depth");
  }
  std::vector<Histogram> channels;
  for (const ChannelHistogram& channel : histogram.channels) {
    Histogram& one = channels.emplace_back();
    one.channels = {channel};
    one.counted = histogram.counted;
    (void)sum_of(one);
  }
  return channels;
}

void TableTotal::add(const std::vector<Histogram>& channels, std::uint64_t pixels) {
  for (const Histogram& channel : channels) {
    sum_of(channel).add(channel, 1, pixels, "");
  }
  pixels_ += pixels;
  counted_ += channels.front().counted;
}

std::string TableTotal::cells() const {
  std::string cells = fmt::format(",,,,{},{}", counted_, pixels_ - counted_);
  for (const Channel channel : kChannels) {
    const auto found = std::find_if(channels_.begin(), channels_.end(), [&](const HistogramSum& sum) {
      return sum.total().channels.front().channel == channel;
    });
    const auto statistics =
        found == channels_.end() ? std::nullopt : statistics_of(found->total().channels.front().counts);
    if (statistics) {
      add_statistics(cells, *statistics);
    } else {
      cells.append(kChannelColumns.size(), ',');
    }
  }
  return cells;
}

std::vector<std::string> table_columns(const std::string& text) {
  std::vector<std::string> known(kNameColumns.begin(), kNameColumns.end());
  for (std::string& name : cell_names()) {
    known.push_back(std::move(name));
  }
  std::vector<std::string> columns;
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string column = text.substr(at, comma - at);
    if (std::find(known.begin(), known.end(), column) == known.end()) {
      throw Error(ErrorKind::usage,
                  fmt::format("--columns: '{}' is not a column{}; name some of name, folder, file, page, {}, and "
                              "CHANNEL_STATISTIC such as luma_mean",
                              column, did_you_mean(column, known), fmt::join(kImageColumns, ", ")));
    }
    columns.push_back(column);
    at = comma + 1;
  }
  return columns;
}

std::string table_header(TableFormat format, const std::vector<std::string>& columns) {
  if (format == TableFormat::jsonl) {
    return {};
  }
  return columns.empty() ? fmt::format("name,{}\n", fmt::join(cell_names(), ","))
                         : fmt::format("{}\n", fmt::join(columns, ","));
}

std::string table_row(TableFormat format, const std::string& name, std::string_view cells,
                      const std::vector<std::string>& columns) {
  if (!columns.empty()) {
    return chosen_row(format, name, cells, columns);
  }
  if (format == TableFormat::jsonl) {
    return json_row(name, cells);
  }
  (void)split(name, cells);
  return fmt::format("{},{}\n", csv_cell(name), cells);
}

}  // namespace gpuimg

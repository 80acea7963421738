// Writes a histogram as JSON.
#include "report/json.hpp"

#include <limits>

#include "text/channel_names.hpp"
#include "text/json_writer.hpp"

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
  json.key("cumulative").boolean(options.cumulative).key("normalize").boolean(options.normalize).end();
}

/// Statistics that depend on an order of the values, or on their distance along a line.
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

/// The same keys for values on a circle, which has no order.
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

}  // namespace

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

}  // namespace gpuimg

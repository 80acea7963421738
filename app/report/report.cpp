// Builds a HistogramReport from counts and options.
#include "report/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "gpuimg/error.hpp"
#include "text/channel_names.hpp"

namespace gpuimg {
namespace {

ValueUnit unit_of(Channel channel) {
  if (channel == Channel::hue) {
    return ValueUnit::degrees;
  }
  return is_hsl(channel) ? ValueUnit::fraction : ValueUnit::level;
}

ValueAxis axis_of(const ChannelHistogram& channel, const std::optional<int>& bins) {
  ValueAxis axis;
  axis.unit = unit_of(channel.channel);
  axis.levels = static_cast<std::uint32_t>(channel.counts.size());
  axis.bins = axis.levels;
  if (!bins || is_hsl(channel.channel)) {
    return axis;
  }
  if (*bins < 2 || static_cast<std::uint32_t>(*bins) > axis.levels) {
    throw Error(ErrorKind::usage, fmt::format("--bins {}: {} has {} values in this image; give 2 to {}", *bins,
                                              channel_name(channel.channel), axis.levels, axis.levels));
  }
  axis.bins = static_cast<std::uint32_t>(*bins);
  return axis;
}

void require_one_axis(const Histogram& histogram) {
  if (histogram.channels.empty() || histogram.channels.front().counts.empty()) {
    throw Error(ErrorKind::usage, "no channel to count; name one with --channel");
  }
  const ChannelHistogram& first = histogram.channels.front();
  for (const ChannelHistogram& other : histogram.channels) {
    if (other.counts.size() != first.counts.size() || unit_of(other.channel) != unit_of(first.channel)) {
      throw Error(ErrorKind::usage,
                  fmt::format("--channel: {} and {} do not share one axis of values; report them one by one",
                              channel_name(first.channel), channel_name(other.channel)));
    }
  }
}

std::vector<std::uint64_t> reported_values(const std::vector<std::uint64_t>& counts, const ValueAxis& axis,
                                           bool cumulative) {
  std::vector<std::uint64_t> values(axis.bins);
  for (std::uint32_t v = 0; v < axis.levels; ++v) {
    values[bin_of_value(v, axis.bins, axis.levels)] += counts[v];
  }
  if (cumulative) {
    std::partial_sum(values.begin(), values.end(), values.begin());
  }
  return values;
}

}  // namespace

double ValueAxis::value_of_level(double level) const {
  switch (unit) {
    case ValueUnit::level: return level;
    case ValueUnit::degrees: return 360.0 * level / levels;
    case ValueUnit::fraction: return level / levels;
  }
  return level;
}

double ValueAxis::start_of_bin(std::uint32_t bin) const {
  return value_of_level(first_value_of_bin(bin, bins, levels));
}

double ValueAxis::tick(int part, int parts) const {
  const double level = static_cast<double>(levels) * part / parts;
  if (unit == ValueUnit::level) {
    return part == parts ? level - 1.0 : std::ceil(level);
  }
  return value_of_level(level);
}

ImageFacts facts_of_image(const std::string& input, int width, int height, PixelFormat format) {
  return {input == "-" ? "standard input" : input, width, height, static_cast<int>(8 * sample_bytes(format.sample)),
          format.channels};
}

HistogramReport make_report(const Histogram& histogram, const ReportOptions& options, const ImageFacts& image) {
  require_one_axis(histogram);
  HistogramReport report;
  report.options = options;
  report.image = image;
  report.counted = histogram.counted;
  const auto pixels =
      image.is_sum ? image.pixels : static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height);
  report.skipped = pixels > histogram.counted ? pixels - histogram.counted : 0;
  report.axis = axis_of(histogram.channels.front(), options.bins);
  for (const ChannelHistogram& channel : histogram.channels) {
    report.channels.push_back(
        {channel.channel, channel.counts, reported_values(channel.counts, report.axis, options.cumulative),
         statistics_of(channel.counts), report.axis.is_circular() ? circular_moments(channel.counts) : std::nullopt});
  }
  return report;
}

std::string value_text(const HistogramReport& report, std::uint64_t value) {
  if (!report.options.normalize) {
    return fmt::format("{}", value);
  }
  const double share = report.counted == 0 ? 0.0 : static_cast<double>(value) / static_cast<double>(report.counted);
  return fmt::format("{}", share);
}

}  // namespace gpuimg

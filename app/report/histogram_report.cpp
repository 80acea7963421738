// Builds a HistogramReport from counts and options, or from several images: hist --overlay.
#include "report/histogram_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpuimg/error.hpp"
#include "ops/hist.hpp"
#include "text/channel_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

ValueUnit unit_of(Channel channel) {
  if (channel == Channel::hue) {
    return ValueUnit::degrees;
  }
  return is_hsl(channel) ? ValueUnit::fraction : ValueUnit::level;
}

ValueAxis axis_of(const Histogram& histogram, const ReportOptions& options) {
  const ChannelHistogram& channel = histogram.channels.front();
  ValueAxis axis;
  axis.unit = unit_of(channel.channel);
  axis.levels = static_cast<std::uint32_t>(channel.counts.size());
  if (options.range) {
    const LevelRange shown = shown_levels(histogram, *options.range);
    axis.first = shown.first;
    axis.levels = shown.last - shown.first + 1;
  }
  axis.bins = axis.levels;
  const std::optional<int>& bins = options.bins;
  if (!bins || is_hsl(channel.channel)) {
    return axis;
  }
  if (*bins < 2 || static_cast<std::uint32_t>(*bins) > axis.levels) {
    throw Error(ErrorKind::usage, fmt::format("--bins {}: {} has {} values in this {}; give 2 to {}", *bins,
                                              channel_name(channel.channel), axis.levels,
                                              options.range ? "range" : "image", axis.levels));
  }
  axis.bins = static_cast<std::uint32_t>(*bins);
  return axis;
}

/// The greatest level that occurs in any channel.
std::uint32_t greatest_level(const Histogram& histogram) {
  std::size_t greatest = 0;
  for (const ChannelHistogram& channel : histogram.channels) {
    for (std::size_t level = channel.counts.size(); level-- > greatest;) {
      greatest = channel.counts[level] > 0 ? level : greatest;
    }
  }
  return static_cast<std::uint32_t>(greatest);
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
    values[bin_of_value(v, axis.bins, axis.levels)] += counts[axis.first + v];
  }
  if (cumulative) {
    values.front() += std::accumulate(counts.begin(), counts.begin() + axis.first, std::uint64_t{0});
    std::partial_sum(values.begin(), values.end(), values.begin());
  }
  return values;
}

/// Sets the three shares at the ends of the axis, relative to the counted pixels of the channel.
void fill_end_shares(ChannelReport& channel, const ValueAxis& axis) {
  const auto& counts = channel.counts;
  const std::uint64_t counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::uint64_t low = std::accumulate(counts.begin(), counts.begin() + axis.first + 1, std::uint64_t{0});
  const std::uint64_t high = std::accumulate(counts.begin() + axis.last(), counts.end(), std::uint64_t{0});
  const double pixels = counted == 0 ? 1.0 : static_cast<double>(counted);
  channel.share_at_first = static_cast<double>(low) / pixels;
  channel.share_at_last = static_cast<double>(high) / pixels;
  channel.share_at_ends = static_cast<double>(low + high) / pixels;
}

/// True if the image is gray, so that its luma is the gray value.
bool is_gray(const ImageFacts& image) { return !image.is_sum && image.channels <= 2; }

ChannelReport channel_report(const ChannelHistogram& channel, const HistogramReport& report) {
  ChannelReport made;
  made.channel = channel.channel;
  const bool gray = channel.channel == Channel::luma && is_gray(report.image);
  made.label = gray ? "gray" : channel_name(channel.channel);
  made.caption = gray ? "gray" : channel_word(channel.channel);
  made.counts = channel.counts;
  made.values = reported_values(channel.counts, report.axis, report.options.cumulative);
  made.statistics = statistics_of(channel.counts);
  made.circular = report.axis.is_circular() ? circular_moments(channel.counts) : std::nullopt;
  fill_end_shares(made, report.axis);
  return made;
}

__extension__ using Wide = unsigned __int128;

void check_alike(const std::vector<OverlaidImage>& images) {
  const auto levels_of = [](const OverlaidImage& image) { return image.histogram.channels.front().counts.size(); };
  for (const OverlaidImage& image : images) {
    if (levels_of(image) != levels_of(images.front())) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: has {} levels, but {} has {}; draw 8-bit and 16-bit images separately",
                              printable_name(image.facts.name), levels_of(image),
                              printable_name(images.front().facts.name), levels_of(images.front())));
    }
  }
}

/// The widest of the images' ranges.
PlotRange range_of_all(const std::vector<OverlaidImage>& images, const PlotRange& asked) {
  PlotRange range{false, shown_levels(images.front().histogram, asked)};
  for (const OverlaidImage& image : images) {
    range.levels.last = std::max(range.levels.last, shown_levels(image.histogram, asked).last);
  }
  return range;
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
  return value_of_level(first + first_value_of_bin(bin, bins, levels));
}

double ValueAxis::tick(int part, int parts) const {
  const double level = first + static_cast<double>(levels) * part / parts;
  if (unit == ValueUnit::level) {
    return part == parts ? level - 1.0 : std::ceil(level);
  }
  return value_of_level(level);
}

ImageFacts facts_of_image(const std::string& input, int width, int height, PixelFormat format) {
  return {unescaped_input_name(input), width, height, static_cast<int>(8 * sample_bytes(format.sample)),
          format.channels};
}

LevelRange shown_levels(const Histogram& histogram, const PlotRange& range) {
  const ChannelHistogram& channel = histogram.channels.front();
  if (is_hsl(channel.channel)) {
    throw Error(ErrorKind::usage, fmt::format("--range is in levels, which {} does not have; choose another --channel",
                                              channel_word(channel.channel)));
  }
  if (range.is_automatic) {
    constexpr int kLeastBits = 8;
    const int bits = std::max(kLeastBits, static_cast<int>(std::bit_width(greatest_level(histogram))));
    return {0, std::min((std::uint32_t{1} << bits), static_cast<std::uint32_t>(channel.counts.size())) - 1};
  }
  if (range.levels.last >= channel.counts.size()) {
    throw Error(ErrorKind::usage, fmt::format("--range {},{}: the levels of this image end at {}", range.levels.first,
                                              range.levels.last, channel.counts.size() - 1));
  }
  return range.levels;
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
  report.axis = axis_of(histogram, options);
  for (const ChannelHistogram& channel : histogram.channels) {
    report.channels.push_back(channel_report(channel, report));
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

HistogramReport overlay(const std::vector<OverlaidImage>& images, ReportOptions options) {
  check_alike(images);
  if (options.range) {
    options.range = range_of_all(images, *options.range);
  }
  options.normalize = true;
  HistogramReport joined;
  for (const OverlaidImage& image : images) {
    joined.counted = std::max(joined.counted, image.histogram.counted);
  }
  for (const OverlaidImage& image : images) {
    HistogramReport report = make_report(image.histogram, options, image.facts);
    ChannelReport& channel = report.channels.front();
    channel.series = static_cast<int>(joined.channels.size()) + 1;
    channel.label = fmt::format("{}", channel.series);
    channel.caption = printable_name(image.facts.name);
    for (std::uint64_t& value : channel.values) {
      value = report.counted == 0 ? 0 : static_cast<std::uint64_t>(Wide{value} * joined.counted / report.counted);
    }
    joined.axis = report.axis;
    joined.skipped += report.skipped;
    joined.channels.push_back(std::move(channel));
  }
  joined.options = std::move(options);
  joined.image.name = fmt::format("{} image{}", images.size(), images.size() == 1 ? "" : "s");
  joined.image.is_sum = true;
  joined.image.images = images.size();
  return joined;
}

}  // namespace gpuimg

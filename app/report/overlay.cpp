// Makes a report of each image, in one range of levels, and joins them.
#include "report/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

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
  joined.image.name = fmt::format("{} images", images.size());
  joined.image.is_sum = true;
  joined.image.images = images.size();
  return joined;
}

}  // namespace gpuimg

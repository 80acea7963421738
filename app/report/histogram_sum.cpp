// Adds histograms with overflow checks.
#include "report/histogram_sum.hpp"

#include <fmt/format.h>

#include <limits>

#include "gpuimg/error.hpp"
#include "text/channel_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

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

}  // namespace

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

}  // namespace gpuimg

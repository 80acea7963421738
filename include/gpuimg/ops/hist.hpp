// The histogram operation: channels, options, their limits and the result. Specified in docs/operations.md,
// "Histogram"; the arithmetic of the bins is in core/ops/hist.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/ops/luma.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

/// The channel that a histogram counts or a summed-area table sums. In gray images, red, green and blue all mean the
/// gray value.
enum class Channel : std::uint8_t { luma, red, green, blue, alpha, hue, saturation, lightness };

constexpr bool is_hsl(Channel channel) { return channel >= Channel::hue; }

constexpr int kDefaultHslBins = 256;
inline constexpr Limits<int> kHslBinLimits{2, 65536};

struct HistogramOptions {
  std::vector<Channel> channels = {Channel::luma};
  Luma luma = kDefaultLuma;
  int hsl_bins = kDefaultHslBins;  ///< number of bins over [0°,360°) or [0,1]; other channels have one bin per level
  Selection selection;
};

struct ChannelHistogram {
  Channel channel = Channel::luma;
  std::vector<std::uint64_t> counts;  ///< V + 1 entries, or hsl_bins for hue, saturation and lightness
};

struct Histogram {
  std::vector<ChannelHistogram> channels;  ///< in the requested order
  std::uint64_t counted = 0;               ///< number of pixels counted; equals the sum of each channel's counts
};

/// Throws Error{unsupported} for the alpha channel of an image without alpha.
inline void check_channel(const Picture& picture, Channel channel, const std::string& what) {
  if (channel == Channel::alpha && !picture.format().has_alpha()) {
    throw Error(ErrorKind::unsupported, what + ": the image has no alpha channel; choose another channel");
  }
}

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const HistogramOptions& options) {
  detail::reject_unless(kHslBinLimits.hold(options.hsl_bins), "hist: the number of bins must be from 2 to 65536");
}

inline void check(const Picture& picture, const HistogramOptions& options) {
  detail::check_photographic(picture, "hist");
  detail::check_selection(picture, options.selection, "hist");
  for (const Channel channel : options.channels) {
    check_channel(picture, channel, "hist");
  }
  validate(options);
}

}  // namespace gpuimg

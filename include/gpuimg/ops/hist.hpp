// The histogram operation: options, result and bin arithmetic. Specified in docs/operations.md, "Histogram".
#pragma once

#include <cstdint>
#include <vector>

#include "gpuimg/checks.hpp"
#include "gpuimg/host_device.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "gpuimg/ops/luma.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

/// The channel that a histogram counts or a summed-area table sums. For gray images, red, green and blue are the gray
/// value.
enum class Channel : std::uint8_t { luma, red, green, blue, alpha, hue, saturation, lightness };

constexpr bool is_hsl(Channel channel) { return channel >= Channel::hue; }

constexpr int kDefaultHslBins = 256;

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
  std::uint64_t counted = 0;               ///< number of pixels counted, equal to the sum of each channel's counts
};

/// Bin of value v if `levels` = V + 1 values share `bins` bins: ⌊v · bins / levels⌋.
GPUIMG_HD constexpr std::uint32_t bin_of_value(std::uint32_t v, std::uint32_t bins, std::uint32_t levels) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) * bins / levels);
}

/// Smallest value in a bin: ⌈bin · levels / bins⌉.
GPUIMG_HD constexpr std::uint32_t first_value_of_bin(std::uint32_t bin, std::uint32_t bins, std::uint32_t levels) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bin) * levels + bins - 1) / bins);
}

/// Bins of H, S and L: ⌊N·n/(6C)⌋, min(N−1, ⌊N·C/d⌋), min(N−1, ⌊N·s/(2V)⌋), where N = bins is in 2 … 65536.
GPUIMG_HD constexpr std::uint32_t hue_bin(const HslFractions& f, std::uint32_t bins) {
  return f.chroma == 0 ? 0U
                       : static_cast<std::uint32_t>(static_cast<std::uint64_t>(bins) * f.hue_numerator /
                                                    (std::uint64_t{6} * f.chroma));
}
GPUIMG_HD constexpr std::uint32_t saturation_bin(const HslFractions& f, std::uint32_t bins) {
  const auto bin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bins) * f.chroma / f.saturation_denominator);
  return bin < bins ? bin : bins - 1;
}
GPUIMG_HD constexpr std::uint32_t lightness_bin(const HslFractions& f, std::uint32_t bins, std::uint32_t v_max) {
  const auto bin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bins) * f.sum / (std::uint64_t{2} * v_max));
  return bin < bins ? bin : bins - 1;
}

/// Throws Error{unsupported} for the alpha channel of an image without alpha.
inline void check_channel(const Picture& picture, Channel channel, const std::string& what) {
  if (channel == Channel::alpha && !picture.format().has_alpha()) {
    throw Error(ErrorKind::unsupported, what + ": the image has no alpha channel; choose another channel");
  }
}

inline void check(const Picture& picture, const HistogramOptions& options) {
  detail::check_photographic(picture, "hist");
  detail::check_selection(picture, options.selection, "hist");
  for (const Channel channel : options.channels) {
    check_channel(picture, channel, "hist");
  }
  if (options.hsl_bins < 2 || options.hsl_bins > 65536) {
    throw Error(ErrorKind::usage, "hist: the number of bins must be from 2 to 65536");
  }
}

}  // namespace gpuimg

// Argument checks that every backend runs before an operation, so that all backends report the same errors.
#pragma once

#include <algorithm>
#include <string>

#include "gpuimg/backend.hpp"

namespace gpuimg {

namespace detail {

inline std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

inline void check_photographic(const Picture& picture, const std::string& what) {
  if (!picture.format().is_photographic()) {
    throw Error(ErrorKind::unsupported, what + ": only 8- and 16-bit images of 1 to 4 channels are supported");
  }
}

inline void check_channel(const Picture& picture, Channel channel, const std::string& what) {
  if (channel == Channel::alpha && !picture.format().has_alpha()) {
    throw Error(ErrorKind::unsupported, what + ": the image has no alpha channel; choose another channel");
  }
}

inline void check_selection(const Picture& picture, const Selection& selection, const std::string& what) {
  if (selection.region) {
    const Rect& r = *selection.region;
    const bool inside = r.x >= 0 && r.y >= 0 && r.width >= 1 && r.height >= 1 && r.x < picture.width() &&
                        r.y < picture.height() && r.width <= picture.width() - r.x &&
                        r.height <= picture.height() - r.y;
    if (!inside) {
      throw Error(ErrorKind::usage, what + ": the region " + std::to_string(r.x) + "," + std::to_string(r.y) + "," +
                                        std::to_string(r.width) + "," + std::to_string(r.height) +
                                        " is not inside the image, which is " +
                                        size_text(picture.width(), picture.height()));
    }
  }
  if (selection.mask != nullptr) {
    const Picture& mask = *selection.mask;
    if (mask.format() != PixelFormat{Sample::u8, 1}) {
      throw Error(ErrorKind::usage, what + ": a mask must be 8-bit with one channel");
    }
    if (mask.width() != picture.width() || mask.height() != picture.height()) {
      throw Error(ErrorKind::usage, what + ": the mask is " + size_text(mask.width(), mask.height()) +
                                        " and the image " + size_text(picture.width(), picture.height()) +
                                        "; they must have the same size");
    }
  }
}

}  // namespace detail

inline void check(const Picture& picture, const HistogramOptions& options) {
  detail::check_photographic(picture, "hist");
  detail::check_selection(picture, options.selection, "hist");
  for (const Channel channel : options.channels) {
    detail::check_channel(picture, channel, "hist");
  }
  if (options.hsl_bins < 2 || options.hsl_bins > 65536) {
    throw Error(ErrorKind::usage, "hist: the number of bins must be from 2 to 65536");
  }
}

inline void check(const Picture& picture, const EqualizeOptions& options) {
  detail::check_photographic(picture, "equalize");
  detail::check_selection(picture, options.selection, "equalize");
  if (!(options.strength >= 0.0 && options.strength <= 1.0)) {
    throw Error(ErrorKind::usage, "equalize: the strength must be from 0 to 1");
  }
  if (options.tables != nullptr) {
    const bool by_channel = options.color == EqualizeColor::rgb && picture.format().color_channels() == 3;
    bool fits = options.tables->maps.size() == (by_channel ? 3U : 1U);
    for (const auto& map : options.tables->maps) {
      fits = fits && map.size() == picture.format().max_value() + std::size_t{1} &&
             std::all_of(map.begin(), map.end(), [&](auto level) { return level <= picture.format().max_value(); });
    }
    if (!fits) {
      throw Error(ErrorKind::usage, "equalize: the tables are for another bit depth or color mode");
    }
  }
}

inline void check(const Picture& picture, const IntegralOptions& options) {
  detail::check_photographic(picture, "integral");
  detail::check_channel(picture, options.channel, "integral");
  if (is_hsl(options.channel)) {
    throw Error(ErrorKind::unsupported,
                "integral: hue, saturation and lightness cannot be summed; choose luma, r, g, b or a");
  }
  (void)table_sample(picture.width(), picture.height(), picture.format(), options);
}

inline void check_to_hsl(const Picture& picture) { detail::check_photographic(picture, "hsl"); }

inline void check_from_hsl(const Picture& picture, HslEncoding encoding, Sample sample) {
  const PixelFormat format = picture.format();
  if (format.sample != sample_of(encoding) || format.channels < 3) {
    throw Error(ErrorKind::unsupported, "hsl: the pixels do not have the sample type and channels of the encoding");
  }
  if (sample != Sample::u8 && sample != Sample::u16) {
    throw Error(ErrorKind::usage, "hsl: RGB has 8 or 16 bits per channel");
  }
}

}  // namespace gpuimg

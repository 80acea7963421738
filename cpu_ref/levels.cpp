// Extracts one channel of a row as levels, selects the pixels that count, and counts their levels: the histogram
// operation. Specified in docs/operations.md, "Histogram".
#include "levels.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "operations.hpp"
#include "ops/hist.hpp"
#include "ops/hsl.hpp"
#include "ops/luma.hpp"
#include "pixel_rows.hpp"

namespace gpuimg::cpu {
namespace {

/// Index of a channel within a pixel. In a gray image, luma is the gray channel.
std::size_t offset_of(Channel channel, int channels) {
  if (channel == Channel::alpha) {
    return static_cast<std::size_t>(channels - 1);
  }
  const bool color = channels >= 3 && channel != Channel::luma;
  return color ? static_cast<std::size_t>(channel) - static_cast<std::size_t>(Channel::red) : 0;
}

template <class T, int channels>
void luma_levels(const T* row, std::size_t count, Luma luma, T* levels) {
  if constexpr (sizeof(T) == 1) {
    luma_row(luma, row, channels, count, levels);
  } else {
    with_luma_kind(luma, [&]<Luma kind>() {
      for (std::size_t x = 0; x < count; ++x) {
        const Rgb p = rgb_at<channels>(row, x);
        levels[x] = static_cast<T>(luma_of<kind>(p.r, p.g, p.b));
      }
    });
  }
}

template <class T, int channels>
const T* levels_of_row(const T* row, std::size_t count, Channel channel, Luma luma, T* buffer) {
  if constexpr (channels == 1) {
    return row;
  }
  if constexpr (channels >= 3) {
    if (channel == Channel::luma) {
      luma_levels<T, channels>(row, count, luma, buffer);
      return buffer;
    }
  }
  const std::size_t offset = offset_of(channel, channels);
  for (std::size_t x = 0; x < count; ++x) {
    buffer[x] = row[x * channels + offset];
  }
  return buffer;
}

}  // namespace

template <class T>
const T* read_levels(ConstView pixels, int y, int first, int count, Channel channel, Luma luma, T* buffer) {
  const T* row = pixels.row<T>(y) + static_cast<std::size_t>(first) * static_cast<std::size_t>(pixels.format.channels);
  const auto pixel_count = static_cast<std::size_t>(count);
  switch (pixels.format.channels) {
    case 1: return levels_of_row<T, 1>(row, pixel_count, channel, luma, buffer);
    case 2: return levels_of_row<T, 2>(row, pixel_count, channel, luma, buffer);
    case 3: return levels_of_row<T, 3>(row, pixel_count, channel, luma, buffer);
    default: return levels_of_row<T, 4>(row, pixel_count, channel, luma, buffer);
  }
}

template const std::uint8_t* read_levels(ConstView, int, int, int, Channel, Luma, std::uint8_t*);
template const std::uint16_t* read_levels(ConstView, int, int, int, Channel, Luma, std::uint16_t*);

LevelPlane::LevelPlane(ConstView pixels, Channel channel, Luma luma, PixelPool& pool) : levels_(pixels) {
  if (pixels.format.channels == 1) {
    return;
  }
  own_ = pool.image(pixels.width, pixels.height, {pixels.format.sample, 1});
  levels_ = own_.view();
  with_format(levels_.format, [&]<class T, int channels>() {
    for_row_bands(pixels.width, pixels.height, [&](int begin, int end) {
      std::vector<T> buffer(static_cast<std::size_t>(pixels.width));
      for (int y = begin; y < end; ++y) {
        const T* row = read_levels<T>(pixels, y, 0, pixels.width, channel, luma, buffer.data());
        std::copy_n(row, pixels.width, own_.view().row<T>(y));
      }
    });
  });
}

void read_hsl_bins(ConstView pixels, int y, int first, int count, Channel channel, int bins, std::uint16_t* buffer) {
  const auto bin_count = static_cast<std::uint32_t>(bins);
  with_format(pixels.format, [&]<class T, int channels>() {
    const T* row = pixels.row<T>(y) + static_cast<std::size_t>(first) * channels;
    for (std::size_t x = 0; x < static_cast<std::size_t>(count); ++x) {
      const Rgb p = rgb_at<channels>(row, x);
      const HslFractions f = hsl_fractions(p.r, p.g, p.b, kMaxOf<T>);
      const std::uint32_t bin = channel == Channel::hue          ? hue_bin(f, bin_count)
                                : channel == Channel::saturation ? saturation_bin(f, bin_count)
                                                                 : lightness_bin(f, bin_count, kMaxOf<T>);
      buffer[x] = static_cast<std::uint16_t>(bin);
    }
  });
}

CountedPixels::CountedPixels(ConstView pixels, const Selection& selection)
    : pixels_(pixels),
      region_(selection.region.value_or(Rect{0, 0, pixels.width, pixels.height})),
      mask_(selection.mask),
      check_alpha_(pixels.format.has_alpha() && !selection.count_transparent) {}

bool CountedPixels::flags(int y, std::uint8_t* out) const {
  const int image_row = region_.y + y;
  const auto count = static_cast<std::size_t>(region_.width);
  const auto first = static_cast<std::size_t>(region_.x);
  if (mask_ != nullptr) {
    const auto* mask = pixels_of(*mask_).row<std::uint8_t>(image_row) + first;
    std::transform(mask, mask + count, out, [](std::uint8_t value) { return std::uint8_t{value != 0}; });
  } else {
    std::fill_n(out, count, std::uint8_t{1});
  }
  if (check_alpha_) {
    with_format(pixels_.format, [&]<class T, int channels>() {
      const T* alpha = pixels_.row<T>(image_row) + first * channels + (channels - 1);
      for (std::size_t x = 0; x < count; ++x) {
        out[x] = static_cast<std::uint8_t>(out[x] & static_cast<std::uint8_t>(alpha[x * channels] != 0));
      }
    });
  }
  return std::memchr(out, 0, count) == nullptr;
}

namespace {

template <class T>
std::vector<std::uint64_t> count_values(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma) {
  const Rect& region = counted.region();
  return count_levels<T>(counted, pixels.format.max_value() + std::size_t{1}, [&](int y, T* buffer) {
    return read_levels<T>(pixels, region.y + y, region.x, region.width, channel, luma, buffer);
  });
}

std::vector<std::uint64_t> count_hsl(ConstView pixels, const CountedPixels& counted, Channel channel, int bins) {
  const Rect& region = counted.region();
  return count_levels<std::uint16_t>(counted, static_cast<std::size_t>(bins), [&](int y, std::uint16_t* buffer) {
    read_hsl_bins(pixels, region.y + y, region.x, region.width, channel, bins, buffer);
    return buffer;
  });
}

}  // namespace

std::vector<std::uint64_t> count_channel(ConstView pixels, const CountedPixels& counted, Channel channel, Luma luma) {
  return pixels.format.sample == Sample::u8 ? count_values<std::uint8_t>(pixels, counted, channel, luma)
                                            : count_values<std::uint16_t>(pixels, counted, channel, luma);
}

Histogram histogram(ConstView pixels, const HistogramOptions& options) {
  const CountedPixels counted(pixels, options.selection);
  Histogram result;
  for (const Channel channel : options.channels) {
    result.channels.push_back({channel, is_hsl(channel) ? count_hsl(pixels, counted, channel, options.hsl_bins)
                                                        : count_channel(pixels, counted, channel, options.luma)});
  }
  if (!result.channels.empty()) {
    const auto& counts = result.channels.front().counts;
    result.counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  return result;
}

}  // namespace gpuimg::cpu

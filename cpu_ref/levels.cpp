// One channel of one row as levels, and which of them count. The rules stand in docs/operations.md.
#include "levels.hpp"

#include <algorithm>

#include "cpu_picture.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "pixel_access.hpp"

namespace gpuimg::cpu {
namespace {

template <class T, int channels, class LevelOf>
void each_pixel(const T* row, int count, std::uint16_t* levels, const LevelOf& level_of) {
  for (std::size_t x = 0; x < static_cast<std::size_t>(count); ++x) {
    levels[x] = static_cast<std::uint16_t>(level_of(row, x));
  }
}

template <class T, int channels>
void luma_levels(const T* row, int count, Luma luma, std::uint16_t* levels) {
  with_luma_kind(luma, [&]<Luma kind>() {
    each_pixel<T, channels>(row, count, levels, [](const T* pixels, std::size_t x) {
      const Rgb p = rgb_at<channels>(pixels, x);
      return luma_of<kind>(p.r, p.g, p.b);
    });
  });
}

template <class T, int channels>
void hsl_levels(const T* row, int count, Channel channel, int hsl_bins, std::uint16_t* levels) {
  const auto bins = static_cast<std::uint32_t>(hsl_bins);
  each_pixel<T, channels>(row, count, levels, [&](const T* pixels, std::size_t x) {
    const Rgb p = rgb_at<channels>(pixels, x);
    const HslFractions f = hsl_fractions(p.r, p.g, p.b, kMaxOf<T>);
    switch (channel) {
      case Channel::hue: return hue_bin(f, bins);
      case Channel::saturation: return saturation_bin(f, bins);
      default: return lightness_bin(f, bins, kMaxOf<T>);
    }
  });
}

int offset_of(Channel channel, int channels) {
  if (channel == Channel::alpha) {
    return channels - 1;
  }
  return channels >= 3 ? static_cast<int>(channel) - static_cast<int>(Channel::red) : 0;
}

}  // namespace

void read_levels(ConstView pixels, int y, int first, int count, Channel channel, Luma luma, int hsl_bins,
                 std::uint16_t* levels) {
  with_format(pixels.format, [&]<class T, int channels>() {
    const T* row = pixels.row<T>(y) + static_cast<std::size_t>(first) * channels;
    if (is_hsl(channel)) {
      hsl_levels<T, channels>(row, count, channel, hsl_bins, levels);
    } else if (channel == Channel::luma && channels >= 3) {
      luma_levels<T, channels>(row, count, luma, levels);
    } else {
      const auto offset = static_cast<std::size_t>(channel == Channel::luma ? 0 : offset_of(channel, channels));
      each_pixel<T, channels>(row, count, levels,
                              [=](const T* values, std::size_t x) { return values[x * channels + offset]; });
    }
  });
}

CountedPixels::CountedPixels(ConstView pixels, const Selection& selection)
    : pixels_(pixels),
      region_(selection.region.value_or(Rect{0, 0, pixels.width, pixels.height})),
      mask_(selection.mask),
      check_alpha_(pixels.format.has_alpha() && !selection.count_transparent) {}

void CountedPixels::flags(int y, std::uint8_t* out) const {
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
}

}  // namespace gpuimg::cpu

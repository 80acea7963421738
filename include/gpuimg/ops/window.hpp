// Statistics of the window around each pixel: options and their limits. Local thresholds use the same windows.
// Specified in docs/operations.md, "Windows"; the arithmetic is in core/ops/window.hpp and core/window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

/// How a window continues outside the image.
enum class Border : std::uint8_t {
  reflect101,  ///< the image reflected at its edge pixels, without repeating them
  replicate,   ///< the nearest edge pixel
  cut,         ///< nothing: only pixels inside the image count
};

enum class WindowStatistic : std::uint8_t {
  mean,
  variance,
  deviation,
  flat,  ///< the pixel divided by the mean; a pixel as bright as its surroundings becomes white
};

/// True if the result has the format of the image.
constexpr bool keeps_format(WindowStatistic statistic) {
  return statistic == WindowStatistic::mean || statistic == WindowStatistic::flat;
}

/// Sums over larger windows could exceed 64 bits. check() also rejects a window that does not fit the image.
inline constexpr int kMaxWindow = (1 << 23) - 1;
inline constexpr Limits<int> kWindowLimits{1, kMaxWindow, true};

/// The limit if pixels have weights (see weighs_pixels). Sums of weighted squares over larger windows could exceed 128
/// bits.
inline constexpr int kMaxWeightedWindow = 65535;

/// The limit if squares of 16-bit levels are summed. Sums over larger windows could exceed 64 bits.
inline constexpr int kMaxSquaredWindow = 65535;

/// A window around a pixel: both sides are odd.
struct WindowSize {
  int width = 31;
  int height = 31;
  constexpr WindowSize() = default;
  constexpr WindowSize(int side) : WindowSize(side, side) {}  // NOLINT: K stands for K × K
  constexpr WindowSize(int across, int down) : width(across), height(down) {}
  bool operator==(const WindowSize&) const = default;
  [[nodiscard]] constexpr bool is_square() const { return width == height; }
};

struct WindowOptions {
  WindowStatistic statistic = WindowStatistic::mean;
  WindowSize size;  ///< each side is at most 2·max(width, height) − 1
  Border border = Border::reflect101;
  Channel channel = Channel::luma;  ///< for variance and deviation; mean and flat process every color channel
  Luma luma = kDefaultLuma;
  bool count_transparent = false;  ///< false: each pixel is weighted by its alpha; true: all have the same weight
};

/// True if the pixels of a window may have different weights.
constexpr bool weighs_pixels(PixelFormat format, const WindowOptions& options) {
  return format.has_alpha() && !options.count_transparent;
}

namespace detail {

inline std::string window_text(const WindowSize& size) {
  return size.is_square() ? std::to_string(size.width) : size_text(size.width, size.height);
}

inline void check_window(int width, int height, const WindowSize& size, const std::string& what) {
  const std::int64_t most = std::min<std::int64_t>(2 * std::int64_t{std::max(width, height)} - 1, kMaxWindow);
  const auto fits = [most](int side) { return kWindowLimits.hold(side) && side <= most; };
  if (!fits(size.width) || !fits(size.height)) {
    throw Error(ErrorKind::usage, what + ": a window of " + window_text(size) + " does not fit an image of " +
                                      size_text(width, height) + "; use " +
                                      (size.is_square() ? "an odd number" : "odd numbers") + " from 1 to " +
                                      std::to_string(most));
  }
}

inline void check_weighted_window(const WindowSize& size, const std::string& what) {
  if (std::max(size.width, size.height) > kMaxWeightedWindow) {
    throw Error(ErrorKind::usage, what + ": a window of " + window_text(size) + " is too large for pixels with " +
                                      "weights; use at most " + std::to_string(kMaxWeightedWindow) +
                                      ", or count transparent pixels");
  }
}

inline void check_squared_window(PixelFormat format, const WindowSize& size, const std::string& what) {
  if (format.sample == Sample::u16 && std::max(size.width, size.height) > kMaxSquaredWindow) {
    throw Error(ErrorKind::usage, what + ": a window of " + window_text(size) + " is too large for squares of 16-bit " +
                                      "levels; use at most " + std::to_string(kMaxSquaredWindow) +
                                      ", or convert to 8 bits");
  }
}

inline void check_level_channel(const Picture& picture, Channel channel, const std::string& what) {
  check_channel(picture, channel, what);
  if (is_hsl(channel)) {
    throw Error(ErrorKind::unsupported,
                what + ": hue, saturation and lightness are not supported; choose luma, r, g, b or a");
  }
}

}  // namespace detail

inline void check(const Picture& picture, const WindowOptions& options) {
  const std::string what = options.statistic == WindowStatistic::flat ? "flatten" : "integral";
  detail::check_photographic(picture, what);
  detail::check_level_channel(picture, options.channel, what);
  detail::check_window(picture.width(), picture.height(), options.size, what);
  if (weighs_pixels(picture.format(), options)) {
    detail::check_weighted_window(options.size, what);
  }
  if (!keeps_format(options.statistic)) {
    detail::check_squared_window(picture.format(), options.size, what);
  }
}

constexpr PixelFormat result_format(PixelFormat input, const WindowOptions& options) {
  return keeps_format(options.statistic) ? input : PixelFormat{Sample::f32, 1};
}

/// Half of the larger side, so that strips of a narrow image are tall enough for check_window() to accept the window.
constexpr int halo_rows(const WindowSize& size) { return std::max(size.width, size.height) / 2; }
constexpr int halo_rows(const WindowOptions& options) { return halo_rows(options.size); }

}  // namespace gpuimg

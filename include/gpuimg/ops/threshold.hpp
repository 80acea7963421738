// Global thresholds, and local thresholds computed from the window around each pixel: options and their limits.
// Specified in docs/operations.md, "Thresholds"; the arithmetic is in core/ops/threshold.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "gpuimg/ops/window.hpp"

namespace gpuimg {

/// Sources: Otsu 1979; Bradley and Roth 2007; Niblack 1986; Sauvola and Pietikäinen 2000; Wolf and Jolion, "Extraction
/// and recognition of artificial text in multimedia documents", 2003; Khurshid, Siddiqi, Faure and Vincent, "Comparison
/// of Niblack inspired binarization methods for ancient documents", 2009 (nick).
enum class ThresholdMethod : std::uint8_t { otsu, mean, bradley, niblack, sauvola, wolf, nick };

inline constexpr Limits<int> kSensitivityLimits{0, 100};

/// The number of classes of otsu, which is also the number of levels in the result. 2 classes give black and white.
inline constexpr Limits<int> kClassLimits{2, 16};

/// Otsu's thresholds in ascending order. N classes use the first N − 1 entries. A pixel's class is the number of
/// thresholds that lie below its level.
using ClassLevels = std::array<std::uint32_t, static_cast<std::size_t>(kClassLimits.most) - 1>;

/// Two properties of the whole image that wolf needs. Only selected pixels count.
struct WolfScale {
  std::uint32_t darkest = std::numeric_limits<std::uint32_t>::max();  ///< M: the lowest level
  double variance = 0.0;                                              ///< R²: the largest variance of a window

  constexpr void add(const WolfScale& other) {
    darkest = std::min(darkest, other.darkest);
    variance = std::max(variance, other.variance);
  }
  bool operator==(const WolfScale&) const = default;
};

struct ThresholdOptions {
  ThresholdMethod method = ThresholdMethod::otsu;
  Channel channel = Channel::luma;
  Luma luma = kDefaultLuma;
  std::optional<WindowSize> window;    ///< if absent, default_window()
  std::optional<double> offset;        ///< C of mean, in levels; if absent, 10 (8 bits) or 2570 (16 bits)
  int sensitivity = 15;                ///< t of bradley; kSensitivityLimits
  std::optional<double> k;             ///< of niblack, sauvola, wolf and nick; if absent, k_of()
  std::optional<double> range;         ///< R of sauvola, greater than 0; if absent, V/2
  bool invert = false;                 ///< swap black and white
  int classes = 2;                     ///< number of classes of otsu; kClassLimits
  std::optional<ClassLevels> levels;   ///< of otsu: use these thresholds instead of computing them
  ClassLevels* used_levels = nullptr;  ///< of otsu: receives the thresholds that were used; may be null
  std::optional<WolfScale> scale;      ///< of wolf: use this scale instead of computing it
  Selection selection;                 ///< pixels that otsu counts and that windows include
};

/// True if the pixels of a window may have different weights.
constexpr bool weighs_pixels(PixelFormat format, const ThresholdOptions& options) {
  return options.selection.region || options.selection.mask != nullptr ||
         (format.has_alpha() && !options.selection.count_transparent);
}

constexpr bool has_window(ThresholdMethod method) { return method != ThresholdMethod::otsu; }

/// True if the method needs the squares of a window's pixels. Exactly the methods with a parameter k do.
constexpr bool needs_squares(ThresholdMethod method) { return method >= ThresholdMethod::niblack; }

/// True if the first pixel can be compared only after the whole image has been read.
constexpr bool looks_first(const ThresholdOptions& options) {
  return (options.method == ThresholdMethod::otsu && !options.levels) ||
         (options.method == ThresholdMethod::wolf && !options.scale);
}

/// Options of the histogram that otsu is computed from.
inline HistogramOptions counted_for_otsu(const ThresholdOptions& options) {
  HistogramOptions counting;
  counting.channels = {options.channel};
  counting.luma = options.luma;
  counting.selection = options.selection;
  return counting;
}

constexpr Border border_of(ThresholdMethod method) {
  switch (method) {
    case ThresholdMethod::mean: return Border::replicate;
    case ThresholdMethod::niblack:
    case ThresholdMethod::sauvola: return Border::reflect101;
    default: return Border::cut;
  }
}

/// The k to use. The defaults come from the authors of the methods: 0.5 for wolf, −0.2 for nick, 0.2 for niblack and
/// sauvola.
constexpr double k_of(const ThresholdOptions& options) {
  const bool is_nick = options.method == ThresholdMethod::nick;
  return options.k.value_or(is_nick ? -0.2 : options.method == ThresholdMethod::wolf ? 0.5 : 0.2);
}

/// The C of mean to use. The default is 10 of 255 levels, or 2570 of 65535.
inline double offset_of(PixelFormat format, const ThresholdOptions& options) {
  return options.offset.value_or(format.sample == Sample::u8 ? 10.0 : 2570.0);
}

/// For bradley, 2⌊w/16⌋ + 1, but at most kMaxWeightedWindow. For other methods, 31, or the largest window that fits a
/// smaller image.
inline WindowSize default_window(int width, int height, ThresholdMethod method) {
  if (method == ThresholdMethod::bradley) {
    return std::min(2 * (width / 16) + 1, kMaxWeightedWindow);
  }
  return static_cast<int>(std::min<std::int64_t>(WindowSize().width, 2 * std::int64_t{std::max(width, height)} - 1));
}

inline WindowSize window_of(int width, int height, const ThresholdOptions& options) {
  return options.window.value_or(default_window(width, height, options.method));
}

/// Throws Error{usage} for options that are invalid for every image. Only check() rejects a window that does not fit
/// the image.
inline void validate(const ThresholdOptions& options) {
  detail::reject_unless(std::isfinite(options.offset.value_or(0.0)), "threshold: the offset must be a number");
  detail::reject_unless(kSensitivityLimits.hold(options.sensitivity),
                        "threshold: the sensitivity must be from 0 to 100");
  detail::reject_unless(kClassLimits.hold(options.classes), "threshold: classes must be from 2 to 16");
  detail::reject_unless(options.classes == 2 || !has_window(options.method),
                        "threshold: only otsu has more than two classes");
  detail::reject_unless(std::isfinite(options.k.value_or(0.0)), "threshold: k must be a number");
  const double range = options.range.value_or(1.0);
  detail::reject_unless(range > 0.0 && std::isfinite(range), "threshold: r must be a number greater than 0");
}

inline void check(const Picture& picture, const ThresholdOptions& options) {
  detail::check_photographic(picture, "threshold");
  detail::check_level_channel(picture, options.channel, "threshold");
  detail::check_selection(picture, options.selection, "threshold");
  validate(options);
  detail::reject_unless(
      !options.levels || std::all_of(options.levels->begin(), options.levels->begin() + options.classes - 1,
                                     [&](std::uint32_t level) { return level <= picture.format().max_value(); }),
      "threshold: the level is above the highest level of the image");
  detail::reject_unless(!options.scale || (options.scale->variance >= 0.0 && std::isfinite(options.scale->variance)),
                        "threshold: the variance must be 0 or more");
  if (has_window(options.method)) {
    const WindowSize window = window_of(picture.width(), picture.height(), options);
    detail::check_window(picture.width(), picture.height(), window, "threshold");
    if (weighs_pixels(picture.format(), options)) {
      detail::check_weighted_window(window, "threshold");
    }
    if (needs_squares(options.method)) {
      detail::check_squared_window(picture.format(), window, "threshold");
    }
  }
}

/// Checks the arguments of Backend::wolf_scale.
inline void check_wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row, int end_row) {
  check(picture, options);
  detail::reject_unless(options.method == ThresholdMethod::wolf, "threshold: only wolf has a scale");
  detail::reject_unless(first_row >= 0 && first_row <= end_row && end_row <= picture.height(),
                        "threshold: the rows of the scale are not rows of the image");
}

/// Black is 0 and white is 255. More than two classes give evenly spaced gray levels.
constexpr PixelFormat result_format(PixelFormat /*input*/, const ThresholdOptions& /*options*/) {
  return {Sample::u8, 1};
}

}  // namespace gpuimg

// Histogram equalization: options and their limits. Specified in docs/operations.md, "Equalization"; the arithmetic is
// in core/ops/equalize.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/ops/luma.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

enum class EqualizeFormula : std::uint8_t { opencv, cdf, pillow, stretch };

inline constexpr std::uint32_t kHundredPercent = 100'000'000;

/// For EqualizeFormula::stretch: the percentiles that map to 0 and V, in millionths of a percent.
struct StretchRange {
  std::uint32_t low = 175'000;
  std::uint32_t high = 99'825'000;
  bool operator==(const StretchRange&) const = default;

  [[nodiscard]] constexpr bool is_valid() const { return low < high && high <= kHundredPercent; }
};

/// How to build a table from a histogram.
struct TableFormula {
  EqualizeFormula kind;
  StretchRange range;
  constexpr TableFormula(EqualizeFormula formula = EqualizeFormula::opencv,  // NOLINT: a formula by name
                         const StretchRange& stretched = {})
      : kind(formula), range(stretched) {}
  bool operator==(const TableFormula&) const = default;
};

enum class EqualizeColor : std::uint8_t {
  luma,   ///< preserves hue: scales the pixel to its new luma, and mixes it with gray if it would leave the gamut
  rgb,    ///< each channel has its own table
  joint,  ///< the table of luma is applied to r, g and b
  ycbcr,  ///< Y of YCrCb, as is usual with OpenCV
  hsl,    ///< lightness of HSL
};

/// Look-up tables of V + 1 entries: three for EqualizeColor::rgb on a color image, else one.
struct LevelTables {
  std::vector<std::vector<std::uint16_t>> maps;
};

/// The histograms that the tables are built from: one per table, V + 1 counts each.
using LevelCounts = std::vector<std::vector<std::uint64_t>>;

/// Applies to EqualizeOptions::strength and ClaheOptions::strength.
inline constexpr Limits<double> kStrengthLimits{0.0, 1.0};

struct EqualizeOptions {
  TableFormula formula;
  EqualizeColor color = EqualizeColor::luma;
  Luma luma = kDefaultLuma;
  double strength = 1.0;                ///< 0 … 1: fraction of the way from the input to the equalized image
  const LevelCounts* match = nullptr;   ///< replaces `formula`: one histogram to match, or one per table
  const LevelTables* tables = nullptr;  ///< use these instead of tables from the image's own histogram
  Selection selection;                  ///< pixels to count; pixels that the mask excludes also stay unchanged
};

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const EqualizeOptions& options) {
  detail::reject_unless(kStrengthLimits.hold(options.strength), "equalize: the strength must be from 0 to 1");
  detail::reject_unless(options.formula.range.is_valid(),
                        "equalize: the percentiles must be from 0 to 100, and the first below the second");
}

inline void check(const Picture& picture, const EqualizeOptions& options) {
  detail::check_photographic(picture, "equalize");
  detail::check_selection(picture, options.selection, "equalize");
  validate(options);
  const bool by_channel = options.color == EqualizeColor::rgb && picture.format().color_channels() == 3;
  if (options.match != nullptr) {
    bool fits = options.tables == nullptr && (options.match->size() == 1 || (options.match->size() == 3 && by_channel));
    for (const auto& counts : *options.match) {
      fits = fits && counts.size() == picture.format().max_value() + std::size_t{1} &&
             std::any_of(counts.begin(), counts.end(), [](auto count) { return count != 0; });
    }
    if (!fits) {
      throw Error(ErrorKind::usage,
                  "equalize: the histogram to match is for another bit depth or color mode, or empty");
    }
  }
  if (options.tables != nullptr) {
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

}  // namespace gpuimg

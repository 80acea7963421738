// Contrast-limited adaptive histogram equalization (CLAHE): options and their limits. Specified in docs/operations.md,
// "CLAHE"; the arithmetic is in core/ops/clahe.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

inline constexpr int kMaxTiles = 64;  ///< per side of the image
inline constexpr Limits<int> kTileLimits{1, kMaxTiles};

/// The tiles that cover an image. A tile that reaches beyond the right or bottom edge of the image sees the image
/// reflected there.
struct TileGrid {
  int width = 0;  ///< of the image, in pixels
  int height = 0;
  int tiles_x = 0;
  int tiles_y = 0;
  int tile_width = 0;
  int tile_height = 0;
  bool operator==(const TileGrid&) const = default;
  [[nodiscard]] constexpr std::size_t tiles() const {
    return static_cast<std::size_t>(tiles_x) * static_cast<std::size_t>(tiles_y);
  }
};

/// Precomputed tables of tiles, for mapping an image in parts.
struct ClaheTables {
  TileGrid grid;                    ///< of the whole image
  int first_row = 0;                ///< row of the whole image at which the part begins
  std::vector<std::uint16_t> maps;  ///< V + 1 entries per tile; ordered by plane, row of tiles, tile
};

struct ClaheOptions {
  int tiles_x = 8;
  int tiles_y = 8;
  double clip = 2.0;                          ///< limit of each count in multiples of the mean count; ≤ 0 = none
  EqualizeColor color = EqualizeColor::luma;  ///< every mode except `joint`
  Luma luma = kDefaultLuma;
  double strength = 1.0;
  bool full_bins = false;               ///< for 16 bits: one bin per level, as in OpenCV; else 256 bins
  const ClaheTables* tables = nullptr;  ///< use these instead of tables from the image's own tiles
  Selection selection;                  ///< as in EqualizeOptions
};

/// The grid that OpenCV uses. If one side is not a multiple of its number of tiles, the tile size is increased along
/// both sides, even along a side that divides evenly.
inline TileGrid tile_grid(int width, int height, int tiles_x, int tiles_y) {
  const bool divides = width % tiles_x == 0 && height % tiles_y == 0;
  const auto side = [&](int size, int tiles) { return divides ? size / tiles : size / tiles + 1; };
  return {width, height, tiles_x, tiles_y, side(width, tiles_x), side(height, tiles_y)};
}

/// Tables per tile: 3 for EqualizeColor::rgb on a color image, else 1.
inline std::size_t clahe_planes(PixelFormat format, const ClaheOptions& options) {
  return options.color == EqualizeColor::rgb && format.color_channels() == 3 ? 3 : 1;
}

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const ClaheOptions& options) {
  detail::reject_unless(kTileLimits.hold(options.tiles_x) && kTileLimits.hold(options.tiles_y),
                        "CLAHE: there must be 1 to 64 tiles a side");
  detail::reject_unless(std::isfinite(options.clip), "CLAHE: the clip limit must be a number");
  detail::reject_unless(kStrengthLimits.hold(options.strength), "CLAHE: the strength must be from 0 to 1");
  detail::reject_unless(options.color != EqualizeColor::joint, "CLAHE: the color mode joint is not supported");
}

inline void check(const Picture& picture, const ClaheOptions& options) {
  detail::check_photographic(picture, "CLAHE");
  detail::check_selection(picture, options.selection, "CLAHE");
  validate(options);
  if (options.tables != nullptr) {
    const TileGrid& grid = options.tables->grid;
    const std::size_t levels = picture.format().max_value() + std::size_t{1};
    detail::reject_unless(
        grid == tile_grid(grid.width, grid.height, options.tiles_x, options.tiles_y) && grid.width == picture.width() &&
            options.tables->first_row >= 0 && picture.height() <= grid.height - options.tables->first_row &&
            options.tables->maps.size() == clahe_planes(picture.format(), options) * grid.tiles() * levels,
        "CLAHE: the tables are for another image");
  }
}

inline PixelFormat result_format(PixelFormat input, const ClaheOptions& /*options*/) { return input; }

}  // namespace gpuimg

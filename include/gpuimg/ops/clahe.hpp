// Contrast-limited adaptive histogram equalization (CLAHE): options and their limits. Specified in docs/operations.md,
// "CLAHE"; the arithmetic is in core/ops/clahe.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

inline constexpr int kMaxTiles = 64;  ///< a side
inline constexpr Limits<int> kTileLimits{1, kMaxTiles};

/// The tiles of an image. Together they cover it, and if a side does not divide, a reflection to the right and below.
struct TileGrid {
  int width = 0;  ///< of the image
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

/// Tables of tiles made elsewhere, for an image that is mapped in parts.
struct ClaheTables {
  TileGrid grid;                    ///< of the whole image
  int first_row = 0;                ///< of the part in the whole image
  std::vector<std::uint16_t> maps;  ///< V + 1 entries for each plane, row of tiles and tile, in this order
};

struct ClaheOptions {
  int tiles_x = 8;
  int tiles_y = 8;
  double clip = 2.0;                          ///< limit of a count in multiples of the mean count; ≤ 0: none
  EqualizeColor color = EqualizeColor::luma;  ///< not joint
  Luma luma = kDefaultLuma;
  double strength = 1.0;
  bool full_bins = false;               ///< of 16 bits: a bin for each level, as OpenCV; else 256 bins
  const ClaheTables* tables = nullptr;  ///< use these in place of tables from the image's own tiles
  Selection selection;                  ///< as in EqualizeOptions
};

/// Like OpenCV, extends both sides if one does not divide, by a whole number of tiles' remainder even where it divides.
inline TileGrid tile_grid(int width, int height, int tiles_x, int tiles_y) {
  const bool divides = width % tiles_x == 0 && height % tiles_y == 0;
  const auto side = [&](int size, int tiles) { return divides ? size / tiles : size / tiles + 1; };
  return {width, height, tiles_x, tiles_y, side(width, tiles_x), side(height, tiles_y)};
}

/// Tables for each tile: 3 for EqualizeColor::rgb on a color image, else 1.
inline std::size_t clahe_planes(PixelFormat format, const ClaheOptions& options) {
  return options.color == EqualizeColor::rgb && format.color_channels() == 3 ? 3 : 1;
}

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const ClaheOptions& options) {
  detail::refuse_unless(kTileLimits.hold(options.tiles_x) && kTileLimits.hold(options.tiles_y),
                        "CLAHE: there must be 1 to 64 tiles a side");
  detail::refuse_unless(std::isfinite(options.clip), "CLAHE: the clip limit must be a number");
  detail::refuse_unless(kStrengthLimits.hold(options.strength), "CLAHE: the strength must be from 0 to 1");
  detail::refuse_unless(options.color != EqualizeColor::joint,
                        "CLAHE: the color mode joint has one table for all pixels");
}

inline void check(const Picture& picture, const ClaheOptions& options) {
  detail::check_photographic(picture, "CLAHE");
  detail::check_selection(picture, options.selection, "CLAHE");
  validate(options);
  if (options.tables != nullptr) {
    const TileGrid& grid = options.tables->grid;
    const std::size_t levels = picture.format().max_value() + std::size_t{1};
    detail::refuse_unless(
        grid == tile_grid(grid.width, grid.height, options.tiles_x, options.tiles_y) && grid.width == picture.width() &&
            options.tables->first_row >= 0 && picture.height() <= grid.height - options.tables->first_row &&
            options.tables->maps.size() == clahe_planes(picture.format(), options) * grid.tiles() * levels,
        "CLAHE: the tables are for another image");
  }
}

inline PixelFormat result_format(PixelFormat input, const ClaheOptions& /*options*/) { return input; }

}  // namespace gpuimg

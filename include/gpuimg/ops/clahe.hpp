// Contrast-limited adaptive histogram equalization (CLAHE): options, tables of tiles, and interpolation between them.
// Specified in docs/operations.md, "CLAHE". No product and sum may be fused: the results are those of OpenCV.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

inline constexpr int kMaxTiles = 64;  ///< a side

/// The tiles of an image. Together they cover it, and if a side does not divide, a reflection to the right and below.
struct TileGrid {
  int width = 0;  ///< of the image
  int height = 0;
  int tiles_x = 0;
  int tiles_y = 0;
  int tile_width = 0;
  int tile_height = 0;
  bool operator==(const TileGrid&) const = default;
  [[nodiscard]] GPUIMG_HD constexpr std::size_t tiles() const {
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
  const ClaheTables* tables = nullptr;  ///< use these in place of tables from the image's own tiles
  Selection selection;                  ///< as in EqualizeOptions
};

/// Like OpenCV, extends both sides if one does not divide, by a whole number of tiles' remainder even where it divides.
inline TileGrid tile_grid(int width, int height, int tiles_x, int tiles_y) {
  const bool divides = width % tiles_x == 0 && height % tiles_y == 0;
  const auto side = [&](int size, int tiles) { return divides ? size / tiles : size / tiles + 1; };
  return {width, height, tiles_x, tiles_y, side(width, tiles_x), side(height, tiles_y)};
}

/// Consecutive rows or columns of an image.
struct SourceRun {
  int first = 0;
  int count = 0;
};

/// What positions [begin, end) beside an image of `size` rows or columns show by reflection without repeating the edge.
inline std::vector<SourceRun> source_runs(int begin, int end, int size) {
  std::vector<SourceRun> runs;
  for (int at = begin; at < end;) {
    const int phase = size == 1 ? 0 : at % (2 * size - 2);
    const bool rises = phase < size;
    const int mirrored = 2 * size - 2 - phase;  // the positions fall from here to 1
    const int count = std::min(end - at, rises ? size - phase : mirrored);
    runs.push_back({rises ? phase : mirrored - count + 1, count});
    at += count;
  }
  return runs;
}

/// The parts of the image that a tile shows; more than one at the right and the bottom. Tiles are numbered row by row.
inline std::vector<Rect> sources_of_tile(const TileGrid& grid, std::size_t tile) {
  const int i = static_cast<int>(tile) % grid.tiles_x;
  const int j = static_cast<int>(tile) / grid.tiles_x;
  std::vector<Rect> parts;
  for (const SourceRun& rows : source_runs(j * grid.tile_height, (j + 1) * grid.tile_height, grid.height)) {
    for (const SourceRun& columns : source_runs(i * grid.tile_width, (i + 1) * grid.tile_width, grid.width)) {
      parts.push_back({columns.first, rows.first, columns.count, rows.count});
    }
  }
  return parts;
}

/// The part of both rectangles; nullopt if they do not intersect.
inline std::optional<Rect> common_part(const Rect& a, const Rect& b) {
  const int x = std::max(a.x, b.x);
  const int y = std::max(a.y, b.y);
  const int width = std::min(a.x + a.width, b.x + b.width) - x;
  const int height = std::min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? std::optional(Rect{x, y, width, height}) : std::nullopt;
}

/// How the counts of one tile become a table.
struct ClipRule {
  std::uint64_t limit = 0;   ///< of each count
  std::uint64_t bonus = 0;   ///< for each level: the clipped sum, divided by the number of levels
  std::uint32_t rest = 0;    ///< that many levels get one more:
  std::uint32_t stride = 1;  ///< 0, stride, 2·stride, …
  float scale = 0.0F;        ///< float32(V) / float32(counted)
};

/// The limit of a count in a tile of `counted` > 0 pixels.
GPUIMG_HD inline std::uint64_t clip_limit(double clip, std::uint64_t counted, std::uint32_t levels) {
  const double limit = clip * static_cast<double>(counted) / levels;
  if (!(clip > 0.0) || limit >= static_cast<double>(counted)) {
    return counted;
  }
  return limit < 1.0 ? 1 : static_cast<std::uint64_t>(limit);
}

/// `clipped` is the sum of what the limit cut off.
GPUIMG_HD inline ClipRule clip_rule(std::uint64_t limit, std::uint64_t clipped, std::uint64_t counted,
                                    std::uint32_t levels) {
  ClipRule rule;
  rule.limit = limit;
  rule.bonus = clipped / levels;
  rule.rest = static_cast<std::uint32_t>(clipped % levels);
  rule.stride = rule.rest == 0 ? 1 : levels / rule.rest;
  rule.scale = static_cast<float>(levels - 1) / static_cast<float>(counted);
  return rule;
}

/// What a level counts after clipping.
GPUIMG_HD inline std::uint64_t clipped_count(const ClipRule& rule, std::uint32_t level, std::uint64_t count) {
  const bool gets_more = level % rule.stride == 0 && level / rule.stride < rule.rest;
  return (count < rule.limit ? count : rule.limit) + rule.bonus + (gets_more ? 1 : 0);
}

/// 1.5 · 2²³: a sum of this and 0 ≤ x < 2²² has no bits for a fraction, so it is rounded to an integer, ties to even.
inline constexpr float kNoFraction = 12582912.0F;

/// rint for 0 ≤ x < 2²². Many processors call a function for rint.
GPUIMG_HD constexpr float rounded_to_even(float x) { return (x + kNoFraction) - kNoFraction; }

/// rint(x) in the low 22 bits, for 0 ≤ x < 2²²; the bits above are constant. Devices convert slowly and add fast.
GPUIMG_HD inline std::uint32_t rounded_bits(float x) {
  const float sum = x + kNoFraction;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &sum, sizeof(bits));
  return bits;
}

GPUIMG_HD inline std::uint32_t clahe_level(const ClipRule& rule, std::uint64_t cumulative, std::uint32_t v_max) {
  const float mapped = rounded_to_even(static_cast<float>(static_cast<std::int64_t>(cumulative)) * rule.scale);
  return mapped >= static_cast<float>(v_max) ? v_max : static_cast<std::uint32_t>(mapped);
}

/// Writes the table of a tile: as many entries as there are counts. The identity if nothing was counted.
template <class Count>
void clahe_map(const Count* counts, std::uint32_t levels, double clip, std::uint16_t* map) {
  std::uint64_t counted = 0;
  for (std::uint32_t level = 0; level < levels; ++level) {
    counted += counts[level];
  }
  if (counted == 0) {
    for (std::uint32_t level = 0; level < levels; ++level) {
      map[level] = static_cast<std::uint16_t>(level);
    }
    return;
  }
  const std::uint64_t limit = clip_limit(clip, counted, levels);
  std::uint64_t clipped = 0;
  for (std::uint32_t level = 0; level < levels; ++level) {
    clipped += counts[level] > limit ? counts[level] - limit : 0;
  }
  const ClipRule rule = clip_rule(limit, clipped, counted, levels);
  std::uint64_t cumulative = 0;
  std::uint32_t rest = rule.rest;
  std::uint32_t next = 0;  // to get one more
  for (std::uint32_t level = 0; level < levels; ++level) {
    cumulative += std::min<std::uint64_t>(counts[level], limit) + rule.bonus;
    if (rest != 0 && level == next) {
      ++cumulative;
      --rest;
      next += rule.stride;
    }
    map[level] = static_cast<std::uint16_t>(clahe_level(rule, cumulative, levels - 1));
  }
}

/// Between which two tiles of a row or column a pixel lies. The weight is of the second.
struct TilePlace {
  int cell = 0;  ///< 0 before the first tile's center, 1 between the first two, …
  int first = 0;
  int second = 0;
  float weight = 0.0F;
};

/// `inverse` is 1.0F / the size of a tile.
GPUIMG_HD inline TilePlace tile_place(int at, float inverse, int tiles) {
  const float position = static_cast<float>(at) * inverse - 0.5F;
  const float floored = floorf(position);
  const int tile = static_cast<int>(floored);
  return {tile + 1, tile < 0 ? 0 : tile, tile + 1 < tiles ? tile + 1 : tiles - 1, position - floored};
}

/// The entries of the four tiles around a pixel.
struct FourLevels {
  float above_left = 0.0F;
  float above_right = 0.0F;
  float below_left = 0.0F;
  float below_right = 0.0F;
};

/// The weights of two tiles side by side.
struct TwoWeights {
  float first = 0.0F;
  float second = 0.0F;
};

GPUIMG_HD constexpr TwoWeights two_weights(float second) { return {1.0F - second, second}; }

/// The level between four tables, not yet rounded. It never rounds to V + 1: two weights add up to at most 1 + 2⁻²⁵,
/// and each of six further roundings adds at most a part of 2⁻²⁴, together less than 0.04.
GPUIMG_HD constexpr float level_between(const FourLevels& four, TwoWeights x, TwoWeights y) {
  const float upper = four.above_left * x.first + four.above_right * x.second;
  const float lower = four.below_left * x.first + four.below_right * x.second;
  return upper * y.first + lower * y.second;
}

GPUIMG_HD inline std::uint32_t interpolated(const FourLevels& four, float right, float below) {
  return rounded_bits(level_between(four, two_weights(right), two_weights(below))) & 0x3FFFFFU;
}

/// Tables for each tile: 3 for EqualizeColor::rgb on a color image, else 1.
inline std::size_t clahe_planes(PixelFormat format, const ClaheOptions& options) {
  return options.color == EqualizeColor::rgb && format.color_channels() == 3 ? 3 : 1;
}

inline void check(const Picture& picture, const ClaheOptions& options) {
  detail::check_photographic(picture, "CLAHE");
  detail::check_selection(picture, options.selection, "CLAHE");
  const auto refuse_unless = [](bool is_right, const char* why) {
    if (!is_right) {
      throw Error(ErrorKind::usage, std::string("CLAHE: ") + why);
    }
  };
  const auto is_count = [](int tiles) { return tiles >= 1 && tiles <= kMaxTiles; };
  refuse_unless(is_count(options.tiles_x) && is_count(options.tiles_y), "there must be 1 to 64 tiles a side");
  refuse_unless(std::isfinite(options.clip), "the clip limit must be a number");
  refuse_unless(options.strength >= 0.0 && options.strength <= 1.0, "the strength must be from 0 to 1");
  refuse_unless(options.color != EqualizeColor::joint, "the color mode joint has one table for all pixels");
  if (options.tables != nullptr) {
    const TileGrid& grid = options.tables->grid;
    const std::size_t levels = picture.format().max_value() + std::size_t{1};
    refuse_unless(grid == tile_grid(grid.width, grid.height, options.tiles_x, options.tiles_y) &&
                      grid.width == picture.width() && options.tables->first_row >= 0 &&
                      picture.height() <= grid.height - options.tables->first_row &&
                      options.tables->maps.size() == clahe_planes(picture.format(), options) * grid.tiles() * levels,
                  "the tables are for another image");
  }
}

inline PixelFormat result_format(PixelFormat input, const ClaheOptions& /*options*/) { return input; }

}  // namespace gpuimg

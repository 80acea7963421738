// Counts the levels of selected pixels on the device, of the whole image or of tiles. Used by the histogram, by
// equalization and by thresholds.
#pragma once

#include "operations.hpp"

namespace gpuimg::opencl {

/// The level of a pixel that is counted: level_of in kernels/arithmetic.cl.
enum class Level {
  red,
  green,
  blue,
  alpha,
  luma_bt601,
  luma_bt601_trunc,
  luma_opencv,
  luma_bt709,
  luma_ycbcr,
  hsl_level,
  hue_bin,
  saturation_bin,
  lightness_bin,
};

Level level_of(Channel channel, Luma luma, PixelFormat format);
Level level_of(EqualizeColor color, Luma luma, PixelFormat format);
inline Choice choice_of(Level level) { return {"LEVEL", static_cast<int>(level)}; }

/// What to count: one table of levels or, if `is_rgb`, three tables of the red, green and blue samples.
struct CountRequest {
  Level level = Level::red;
  std::size_t bins = 0;
  bool is_rgb = false;
};

/// Returns 64-bit counts, `bins` per table. Does not wait for the device.
Memory count_levels(const DevicePointer& device, const Picture& picture, const Selection& selection,
                    const CountRequest& request);

/// Consecutive tiles of an image; tiles are numbered row by row.
struct TileRange {
  TileGrid grid;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Like count_levels, but counts each tile of a range separately. The image must have the grid's size. If
/// `request.bins` is below V + 1, every bin counts the same number of levels.
Memory count_tiles(const DevicePointer& device, const Picture& picture, const Selection& selection,
                   const CountRequest& request, const TileRange& tiles);

}  // namespace gpuimg::opencl

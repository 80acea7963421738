// Counting levels on the device, with the look-up table that follows from the counts where one is asked for.
// The rules stand in docs/operations.md, "Histogram" and "Equalization look-up table".
#pragma once

#include <cstdint>

#include "count/levels.cuh"
#include "operations.hpp"

namespace gpuimg::cuda {

/// The pixels to be counted.
struct CountedPixels {
  const std::byte* pixels = nullptr;
  PixelFormat format;
  int width = 0;
  int height = 0;
  Rect region;
  const std::uint8_t* mask = nullptr;  ///< of the whole image; nullptr = every pixel
  std::uint32_t least_alpha = 0;       ///< pixels with less are not counted

  [[nodiscard]] bool is_whole_image() const {
    return mask == nullptr && region.width == width && region.height == height;
  }
  [[nodiscard]] GPUIMG_HD std::uint64_t pixel_count() const {
    return static_cast<std::uint64_t>(region.width) * static_cast<std::uint64_t>(region.height);
  }
};

CountedPixels counted_pixels(const Picture& picture, const Selection& selection);

/// Look-up tables to be built from the counts: one after the other in `maps`, V + 1 entries each.
struct TableTarget {
  EqualizeFormula formula = EqualizeFormula::opencv;
  std::uint16_t* maps = nullptr;     ///< device memory; nullptr = no tables
  std::uint32_t* changes = nullptr;  ///< becomes 0 if the tables map every level to itself, else another number
};

/// Writes source.bins counts to `counts` in device memory. 8-bit levels of a whole image: one launch at the speed of
/// reading. With a table source.bins is V + 1.
void count_levels(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, std::uint64_t* counts,
                  const TableTarget& table = {});

/// Counts red, green and blue of an 8-bit image with colour in one pass: 3 × 256 counts, three tables.
void count_rgb8(Workspace& workspace, const CountedPixels& counted, std::uint64_t* counts,
                const TableTarget& table = {});

/// True where count_rgb8 can be used.
bool can_count_rgb8(const Workspace& workspace, const CountedPixels& counted);

/// Levels of more than 256 bins; called by count_levels.
void count_wide_levels(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                       std::uint64_t* counts, const TableTarget& table);

}  // namespace gpuimg::cuda

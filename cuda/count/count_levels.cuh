// Counts levels on the device, and builds the look-up tables from the counts if requested.
// Specified in docs/operations.md, "Histogram" and "The table".
#pragma once

#include <cstdint>

#include "device/levels.cuh"
#include "operations.hpp"

namespace gpuimg::cuda {

/// The pixels to count.
struct CountedPixels {
  const std::byte* pixels = nullptr;
  PixelFormat format;
  int width = 0;
  int height = 0;
  Rect region;
  const std::uint8_t* mask = nullptr;  ///< covers the whole image; nullptr = every pixel
  std::uint32_t min_alpha = 0;         ///< pixels with a smaller alpha do not count

  [[nodiscard]] bool is_whole_image() const {
    return mask == nullptr && region.width == width && region.height == height;
  }
  [[nodiscard]] GPUIMG_HD std::uint64_t pixel_count() const {
    return static_cast<std::uint64_t>(region.width) * static_cast<std::uint64_t>(region.height);
  }
};

CountedPixels counted_pixels(const Picture& picture, const Selection& selection);

/// Look-up tables to build from the counts, adjacent in `maps`, V + 1 entries each.
struct TableTarget {
  TableFormula formula;
  std::uint16_t* maps = nullptr;     ///< device memory; nullptr = no tables
  std::uint32_t* changes = nullptr;  ///< set to 0 if every table is the identity, else to another value
};

/// Writes source.bins counts to `counts` in device memory. 8-bit levels of a whole image take one launch that runs at
/// memory speed. Tables require source.bins = V + 1.
void count_levels(Workspace& workspace, const CountedPixels& counted, const LevelSource& source, std::uint64_t* counts,
                  const TableTarget& table = {});

/// Counts red, green and blue of an 8-bit color image in one pass: 3 × 256 counts, three tables.
void count_rgb8(Workspace& workspace, const CountedPixels& counted, std::uint64_t* counts,
                const TableTarget& table = {});

/// True if count_rgb8 supports these pixels on this device.
bool can_count_rgb8(const Workspace& workspace, const CountedPixels& counted);

/// Part of count_levels: more than 256 bins.
void histogram_65536(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                     std::uint64_t* counts, const TableTarget& table);

/// Part of histogram_65536, for a whole 16-bit image so small that starting the blocks and adding up their counters
/// takes longer than counting. Writes kPackedBins counts. Returns false for any other image. Requires kPackedBytes of
/// shared memory.
bool small_histogram_65536(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                           unsigned long long* counts);

/// Part of histogram_65536: adds to kPackedBins counts in global memory, for devices without kPackedBytes of shared
/// memory.
void histogram_in_memory(Workspace& workspace, const CountedPixels& counted, const LevelSource& source,
                         unsigned long long* counts);

/// Sets `level` to the level of pixel i of the region. Returns false if the selection excludes the pixel.
template <class T, int kChannels>
__device__ __forceinline__ bool selected_level(const CountedPixels& counted, const LevelSource& source, std::uint64_t i,
                                               std::uint32_t& level) {
  std::uint64_t index = i;
  if (counted.region.width != counted.width) {
    const auto row_length = static_cast<std::uint64_t>(counted.region.width);
    const std::uint64_t y = i / row_length;
    index = (y + static_cast<std::uint64_t>(counted.region.y)) * static_cast<std::uint64_t>(counted.width) +
            static_cast<std::uint64_t>(counted.region.x) + (i - y * row_length);
  } else {
    index += static_cast<std::uint64_t>(counted.region.y) * static_cast<std::uint64_t>(counted.width);
  }
  if (counted.mask != nullptr && counted.mask[index] == 0) {
    return false;
  }
  const auto pixel = load_pixel<T, kChannels>(counted.pixels + index * (kChannels * sizeof(T)));
  if constexpr (kHasAlpha<kChannels>) {
    if (pixel.get(kChannels - 1) < counted.min_alpha) {
      return false;
    }
  }
  level = level_of_pixel<T, kChannels>(pixel, source);
  return true;
}

}  // namespace gpuimg::cuda

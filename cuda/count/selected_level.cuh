// Reads the level of one pixel of a selection, for kernels that count any region, mask or channel.
#pragma once

#include "count/count_levels.cuh"

namespace gpuimg::cuda {

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

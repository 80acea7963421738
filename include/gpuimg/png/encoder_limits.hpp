// Which pixels the device's PNG encoder takes, and the memory it needs.
#pragma once

#include <cstddef>

#include "gpuimg/codec.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/png/strip_layout.hpp"

namespace gpuimg::png {

/// Level 2 remembers every position, and level 3 tries all filters: these are for the host.
inline bool can_encode(PixelFormat pixels, const PngDataFormat& format) {
  return pixels.is_photographic() && (format.level == 0 || format.level == 1);
}

/// What a device takes to encode a picture of that size, beside the picture: filtered rows, half as much for matches,
/// the chunks, and notes about each part, 5 % of it.
constexpr std::size_t encoding_bytes(std::size_t picture_bytes) {
  constexpr std::size_t kNotes = std::size_t{8} << 10;
  return picture_bytes * 51 / 20 + picture_bytes / 20 + kNotes;
}

inline StripLayout layout_of(int width, int height, PixelFormat format) {
  return {static_cast<std::uint64_t>(width) * format.bytes_per_pixel(), static_cast<std::uint32_t>(height)};
}

}  // namespace gpuimg::png

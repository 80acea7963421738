// EXIF orientation, read from data that may be hostile and applied tile by tile.
#include "files/exif_orientation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "files/byte_fields.hpp"

namespace gpuimg {

namespace {

/// Source index of destination pixel (x, y) is origin + x·along_x + y·along_y, in pixels.
struct Walk {
  std::ptrdiff_t origin = 0;
  std::ptrdiff_t along_x = 0;
  std::ptrdiff_t along_y = 0;
};

Walk walk_of(int orientation, std::ptrdiff_t width, std::ptrdiff_t height) {
  const std::ptrdiff_t right = width - 1;
  const std::ptrdiff_t bottom = (height - 1) * width;
  switch (orientation) {
    case 2: return {right, -1, width};
    case 3: return {bottom + right, -1, -width};
    case 4: return {bottom, 1, -width};
    case 5: return {0, width, 1};
    case 6: return {bottom, -width, 1};
    case 7: return {bottom + right, -width, -1};
    default: return {right, width, -1};
  }
}

/// Tiles keep both the rows read and the rows written in the cache when one of them is walked along columns.
template <std::size_t kPixelBytes>
void copy_pixels(ConstView from, View to, const Walk& walk) {
  constexpr int kTile = 32;
  const auto bytes = static_cast<std::ptrdiff_t>(kPixelBytes);
  for (int tile_y = 0; tile_y < to.height; tile_y += kTile) {
    const int end_y = std::min(to.height - tile_y, kTile) + tile_y;
    for (int tile_x = 0; tile_x < to.width; tile_x += kTile) {
      const int end_x = std::min(to.width - tile_x, kTile) + tile_x;
      for (int y = tile_y; y < end_y; ++y) {
        const std::byte* source = from.data + (walk.origin + tile_x * walk.along_x + y * walk.along_y) * bytes;
        std::byte* target = to.row_bytes(y) + static_cast<std::ptrdiff_t>(tile_x) * bytes;
        for (int x = tile_x; x < end_x; ++x, target += kPixelBytes) {
          std::memcpy(target, source + (x - tile_x) * walk.along_x * bytes, kPixelBytes);
        }
      }
    }
  }
}

}  // namespace

int exif_orientation(std::span<const std::byte> exif) noexcept {
  constexpr std::size_t kHeaderBytes = 8;
  constexpr std::size_t kEntryBytes = 12;
  if (exif.size() < kHeaderBytes) {
    return 1;
  }
  const bool big_endian = u16be_at(exif, 0) == 0x4D4D;
  if (!big_endian && u16be_at(exif, 0) != 0x4949) {
    return 1;
  }
  const auto u16 = [&](std::size_t at) { return big_endian ? u16be_at(exif, at) : u16le_at(exif, at); };
  const auto u32 = [&](std::size_t at) { return big_endian ? u32be_at(exif, at) : u32le_at(exif, at); };
  const std::size_t directory = u32(4);
  if (u16(2) != 42 || directory > exif.size() - 2) {
    return 1;
  }
  const std::size_t first = directory + 2;
  const std::size_t count = std::min<std::size_t>(u16(directory), (exif.size() - first) / kEntryBytes);
  for (std::size_t entry = first; entry < first + count * kEntryBytes; entry += kEntryBytes) {
    constexpr std::uint32_t kOrientationTag = 0x0112;
    constexpr std::uint32_t kShortType = 3;
    constexpr std::uint32_t kLongType = 4;
    if (u16(entry) != kOrientationTag || u32(entry + 4) != 1) {
      continue;
    }
    const std::uint32_t type = u16(entry + 2);
    const std::uint32_t value = type == kShortType ? u16(entry + 8) : type == kLongType ? u32(entry + 8) : 1;
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image apply_orientation(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) {
    return image;
  }
  const bool exchanged = orientation >= 5;
  Image turned(exchanged ? image.height() : image.width(), exchanged ? image.width() : image.height(), image.format());
  const ConstView from = std::as_const(image).view();
  const Walk walk = walk_of(orientation, image.width(), image.height());
  switch (image.format().bytes_per_pixel()) {
    case 1: copy_pixels<1>(from, turned.view(), walk); break;
    case 2: copy_pixels<2>(from, turned.view(), walk); break;
    case 3: copy_pixels<3>(from, turned.view(), walk); break;
    case 4: copy_pixels<4>(from, turned.view(), walk); break;
    case 6: copy_pixels<6>(from, turned.view(), walk); break;
    default: copy_pixels<8>(from, turned.view(), walk); break;
  }
  return turned;
}

}  // namespace gpuimg

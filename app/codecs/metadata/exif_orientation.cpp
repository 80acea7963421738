// Reads the EXIF orientation from untrusted data, and applies it tile by tile.
#include "codecs/metadata/exif_orientation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

namespace {

/// The source index of destination pixel (x, y) is origin + x·along_x + y·along_y, in pixels.
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

/// Tiles keep both the rows read and the rows written in the cache if one of them is walked along columns.
template <std::size_t kPixelBytes>
void copy_pixels(ConstView from, View to, const Walk& walk) {
  constexpr std::ptrdiff_t kTile = 32;
  const auto bytes = static_cast<std::ptrdiff_t>(kPixelBytes);
  for (std::ptrdiff_t tile_y = 0; tile_y < to.height; tile_y += kTile) {
    const std::ptrdiff_t end_y = std::min(to.height - tile_y, kTile) + tile_y;
    for (std::ptrdiff_t tile_x = 0; tile_x < to.width; tile_x += kTile) {
      const std::ptrdiff_t end_x = std::min(to.width - tile_x, kTile) + tile_x;
      for (std::ptrdiff_t y = tile_y; y < end_y; ++y) {
        const std::byte* source = from.data + (walk.origin + tile_x * walk.along_x + y * walk.along_y) * bytes;
        std::byte* target = to.row_bytes(static_cast<int>(y)) + tile_x * bytes;
        for (std::ptrdiff_t x = tile_x; x < end_x; ++x, target += kPixelBytes) {
          std::memcpy(target, source + (x - tile_x) * walk.along_x * bytes, kPixelBytes);
        }
      }
    }
  }
}

constexpr std::uint32_t kBigEndianMark = 0x4D4D;     // MM
constexpr std::uint32_t kLittleEndianMark = 0x4949;  // II

/// The value of one directory entry.
struct Field {
  std::size_t offset = 0;
  std::size_t size = 0;  ///< 2 or 4 bytes
  bool big_endian = false;

  [[nodiscard]] std::uint32_t value(ByteSpan exif) const {
    if (size == 2) {
      return big_endian ? u16be_at(exif, offset) : u16le_at(exif, offset);
    }
    return big_endian ? u32be_at(exif, offset) : u32le_at(exif, offset);
  }
};

/// Size in bytes of a value of a TIFF type; 0 if it is not a 16- or 32-bit integer.
std::size_t size_of_number(std::uint32_t type) {
  switch (type) {
    case 3: return 2;  // SHORT, as EXIF requires; the others also occur
    case 4: return 4;  // LONG
    case 8: return 2;  // SSHORT
    case 9: return 4;  // SLONG
    default: return 0;
  }
}

constexpr std::size_t kEntryBytes = 12;

/// An image file directory (IFD).
struct Directory {
  std::size_t first = 0;  ///< offset of its first entry
  std::size_t count = 0;  ///< entries declared; they may extend past the data
  bool big_endian = false;
};

std::optional<Directory> directory_at(ByteSpan exif, std::size_t offset, bool big_endian) {
  if (offset > exif.size() - 2) {
    return std::nullopt;
  }
  return Directory{offset + 2, Field{offset, 2, big_endian}.value(exif), big_endian};
}

std::optional<Directory> main_directory(ByteSpan exif) {
  if (!is_exif(exif)) {
    return std::nullopt;
  }
  const bool big_endian = u16be_at(exif, 0) == kBigEndianMark;
  return directory_at(exif, Field{4, 4, big_endian}.value(exif), big_endian);
}

/// Calls visit(field) for the orientation entries of the main image until it returns false.
template <class Visit>
void visit_orientations(ByteSpan exif, Visit visit) {
  const std::optional<Directory> directory = main_directory(exif);
  if (!directory) {
    return;
  }
  const auto [first, declared, big_endian] = *directory;
  const auto number = [&, big = big_endian](std::size_t offset, std::size_t size) {
    return Field{offset, size, big}.value(exif);
  };
  const std::size_t count = std::min(declared, (exif.size() - first) / kEntryBytes);
  for (std::size_t entry = first; entry < first + count * kEntryBytes; entry += kEntryBytes) {
    constexpr std::uint32_t kOrientationTag = 0x0112;
    const std::size_t size = size_of_number(number(entry + 2, 2));
    if (number(entry, 2) == kOrientationTag && size > 0 && number(entry + 4, 4) == 1 &&
        !visit(Field{entry + 8, size, big_endian})) {
      return;
    }
  }
}

}  // namespace

bool is_exif(std::span<const std::byte> data) noexcept {
  constexpr std::size_t kHeaderBytes = 8;
  return data.size() >= kHeaderBytes && ((u16be_at(data, 0) == kBigEndianMark && u16be_at(data, 2) == 42) ||
                                         (u16be_at(data, 0) == kLittleEndianMark && u16le_at(data, 2) == 42));
}

int exif_orientation(std::span<const std::byte> exif) noexcept {
  int orientation = 1;
  visit_orientations(exif, [&](const Field& field) {
    const std::uint32_t value = field.value(exif);
    orientation = value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    return false;
  });
  return orientation;
}

void reset_orientation(std::span<std::byte> exif) noexcept {
  visit_orientations(exif, [&](const Field& field) {
    const std::size_t last = field.size - 1;
    for (std::size_t i = 0; i < field.size; ++i) {
      exif[field.offset + i] = std::byte{i == (field.big_endian ? last : 0)};
    }
    return true;
  });
}

bool unlink_thumbnail(std::span<std::byte> exif) noexcept {
  constexpr std::size_t kLinkBytes = 4;
  const std::optional<Directory> main = main_directory(exif);
  if (!main) {
    return false;
  }
  const std::size_t link = main->first + main->count * kEntryBytes;
  if (link > exif.size() || exif.size() - link < kLinkBytes) {
    return false;
  }
  // Some programs omit the link. The value must lead to a directory, or it is something else.
  const std::size_t next = Field{link, kLinkBytes, main->big_endian}.value(exif);
  const auto thumbnail = next > 0 ? directory_at(exif, next, main->big_endian) : std::nullopt;
  if (!thumbnail || thumbnail->count == 0 || thumbnail->count > (exif.size() - thumbnail->first) / kEntryBytes) {
    return false;
  }
  std::fill_n(exif.begin() + static_cast<std::ptrdiff_t>(link), kLinkBytes, std::byte{0});
  return true;
}

Image apply_orientation(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) {
    return image;
  }
  const bool exchanged = orientation >= 5;
  Image upright(exchanged ? image.height() : image.width(), exchanged ? image.width() : image.height(), image.format());
  const ConstView from = std::as_const(image).view();
  const Walk walk = walk_of(orientation, image.width(), image.height());
  switch (image.format().bytes_per_pixel()) {
    case 1: copy_pixels<1>(from, upright.view(), walk); break;
    case 2: copy_pixels<2>(from, upright.view(), walk); break;
    case 3: copy_pixels<3>(from, upright.view(), walk); break;
    case 4: copy_pixels<4>(from, upright.view(), walk); break;
    case 6: copy_pixels<6>(from, upright.view(), walk); break;
    default: copy_pixels<8>(from, upright.view(), walk); break;
  }
  return upright;
}

}  // namespace gpuimg::codecs

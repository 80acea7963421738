// BITMAPCOREHEADER, BITMAPINFOHEADER and their successors, as Microsoft documents them; OS/2's stop at any field.
#include "codecs/bmp/bmp_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kFileHeaderBytes = 14;
constexpr std::uint32_t kCoreBytes = 12;
constexpr std::uint32_t kInfoBytes = 40;
constexpr std::uint32_t kOs2Bytes = 64;
constexpr std::uint32_t kVersion5 = 124;

enum Compression : std::uint32_t { kPlain = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3, kMasksWithAlpha = 6 };

/// Fields as stored. Those that a short header lacks are 0.
struct Fields {
  std::uint32_t bytes = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::uint32_t compression = kPlain;
  std::uint32_t colors_used = 0;

  [[nodiscard]] std::size_t end() const { return kFileHeaderBytes + bytes; }
};

bool is_known_length(std::uint32_t bytes) {
  constexpr std::uint32_t kMinOs2Bytes = 16;
  constexpr std::uint32_t kVersion4 = 108;
  return bytes == kCoreBytes || (bytes >= kMinOs2Bytes && bytes <= kOs2Bytes) || bytes == kVersion4 ||
         bytes == kVersion5;
}

void read_profile(ByteSpan bytes, const Fields& fields, BmpHeader& header) {
  constexpr std::uint32_t kEmbedded = 0x4D424544;
  constexpr std::uint32_t kLinked = 0x4C494E4B;
  if (fields.bytes < kVersion5) {
    return;
  }
  const std::uint32_t color_space = u32le_at(bytes, kFileHeaderBytes + 56);
  header.names_profile = color_space == kLinked;
  if (color_space == kEmbedded) {
    header.profile = std::uint64_t{kFileHeaderBytes} + u32le_at(bytes, kFileHeaderBytes + 112);
    header.profile_bytes = u32le_at(bytes, kFileHeaderBytes + 116);
  }
}

Fields read_fields(ByteSpan bytes, BmpHeader& header, const std::string& name) {
  require_bytes(bytes, kFileHeaderBytes + kCoreBytes, name);
  Fields fields;
  fields.bytes = u32le_at(bytes, 14);
  header.pixels = u32le_at(bytes, 10);
  if (!is_known_length(fields.bytes)) {
    refuse_unsupported(name, fmt::format("BMP with a {}-byte header", fields.bytes));
  }
  require_bytes(bytes, fields.end(), name);
  if (fields.bytes == kCoreBytes) {
    fields.width = static_cast<std::int32_t>(u16le_at(bytes, 18));
    fields.height = static_cast<std::int32_t>(u16le_at(bytes, 20));
    header.bits = u16le_at(bytes, 24);
    header.palette_entry_bytes = 3;
    return fields;
  }
  const auto field = [&](std::size_t offset) { return offset + 4 <= fields.end() ? u32le_at(bytes, offset) : 0; };
  fields.width = static_cast<std::int32_t>(u32le_at(bytes, 18));
  fields.height = static_cast<std::int32_t>(u32le_at(bytes, 22));
  header.bits = u16le_at(bytes, 28);
  fields.compression = field(30);
  fields.colors_used = field(46);
  header.x_per_meter = field(38);
  header.y_per_meter = field(42);
  read_profile(bytes, fields, header);
  return fields;
}

void check_kind(const BmpHeader& header, const Fields& fields, const std::string& name) {
  constexpr std::array<std::uint32_t, 7> kDepths = {1, 2, 4, 8, 16, 24, 32};
  if (std::find(kDepths.begin(), kDepths.end(), header.bits) == kDepths.end()) {
    refuse_unsupported(name, fmt::format("BMP with {} bits per pixel", header.bits));
  }
  const bool has_masks = fields.compression == kMasks || fields.compression == kMasksWithAlpha;
  const bool has_runs = fields.compression == kRuns8 || fields.compression == kRuns4;
  if ((fields.compression != kPlain && !has_masks && !has_runs) || (has_masks && fields.bytes == kOs2Bytes)) {
    refuse_unsupported(name, fmt::format("BMP with compression type {}", fields.compression));
  }
  if (has_masks && header.bits != 16 && header.bits != 32) {
    refuse_damaged(name, fmt::format("it has channel masks for {} bits per pixel", header.bits));
  }
  if (has_runs && header.bits != (fields.compression == kRuns8 ? 8 : 4)) {
    refuse_damaged(name, fmt::format("it has run-length coding for {} bits per pixel", header.bits));
  }
  if (fields.width < 0) {
    refuse_damaged(name, "its width is negative");
  }
}

bool is_one_run(std::uint32_t mask) {
  const std::uint32_t filled_below = mask | (mask - 1);
  return (filled_below & (filled_below + 1)) == 0;
}

void check_mask(std::uint32_t mask, bool is_color, const std::string& name) {
  if (std::popcount(mask) > 8) {
    refuse_unsupported(name, "BMP with more than 8 bits per channel");
  }
  if (is_color && mask == 0) {
    refuse_damaged(name, "a channel mask is empty");
  }
  if (!is_one_run(mask)) {
    refuse_damaged(name, "the bits of a channel mask are not contiguous");
  }
}

/// The masks that the file holds, or those of its depth. Returns the end of the header with the masks after it.
std::size_t read_masks(ByteSpan bytes, BmpHeader& header, const Fields& fields, const std::string& name) {
  if (fields.compression != kMasks && fields.compression != kMasksWithAlpha) {
    header.masks = header.bits == 16 ? std::array<std::uint32_t, 4>{0x7C00, 0x03E0, 0x001F, 0}
                                     : std::array<std::uint32_t, 4>{0xFF0000, 0x00FF00, 0x0000FF, 0};
    return fields.end();
  }
  constexpr std::uint32_t kWithRgbMasks = 52;
  constexpr std::uint32_t kWithAllMasks = 56;
  constexpr std::size_t kMasksAt = kFileHeaderBytes + kInfoBytes;  // inside a long header or after a short one
  const std::size_t count = fields.bytes >= kWithAllMasks || fields.compression == kMasksWithAlpha ? 4 : 3;
  const std::uint32_t pixel = header.bits == 16 ? 0xFFFF : 0xFFFFFFFF;  // ignores mask bits outside the pixel
  require_bytes(bytes, kMasksAt + 4 * count, name);
  for (std::size_t i = 0; i < count; ++i) {
    header.masks[i] = u32le_at(bytes, kMasksAt + 4 * i) & pixel;
    check_mask(header.masks[i], i < 3, name);
  }
  return std::max(fields.end(), fields.bytes < kWithRgbMasks ? kMasksAt + 4 * count : std::size_t{0});
}

/// How many entries of the palette the header declares and the space before the pixels holds.
std::size_t palette_size(const BmpHeader& header, std::uint32_t colors_used) {
  const std::size_t full = std::size_t{1} << header.bits;
  const std::size_t declared = colors_used != 0 ? colors_used : full;
  const std::size_t space = header.pixels - std::min(header.pixels, header.palette);
  return std::min({declared, full, space / header.palette_entry_bytes});
}

}  // namespace

BmpHeader read_bmp_header(ByteSpan bytes, const std::string& name) {
  BmpHeader header;
  const Fields fields = read_fields(bytes, header, name);
  check_kind(header, fields, name);
  const std::int64_t height = fields.height;
  header.width = static_cast<std::uint64_t>(fields.width);
  header.height = static_cast<std::uint64_t>(height < 0 ? -height : height);
  header.is_top_down = height < 0;
  header.packing = fields.compression == kRuns8   ? BmpHeader::Packing::runs8
                   : fields.compression == kRuns4 ? BmpHeader::Packing::runs4
                                                  : BmpHeader::Packing::plain;
  header.palette = read_masks(bytes, header, fields, name);
  header.colors = header.has_palette() ? palette_size(header, fields.colors_used) : 0;
  return header;
}

}  // namespace gpuimg::codecs

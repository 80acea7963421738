// BMP: Windows and OS/2 headers of all lengths, 1 to 32 bits per pixel, with or without channel masks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "codecs/refusals.hpp"
#include "codecs/stb/stb_input.hpp"
#include "codecs/stb/stb_reader.hpp"

namespace gpuimg::codecs {

namespace {

constexpr std::size_t kFileHeaderBytes = 14;
constexpr std::uint32_t kCoreHeaderBytes = 12;
constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kMasks = 3;
constexpr std::uint32_t kMasksWithAlpha = 6;

struct BmpHeader {
  std::uint32_t bytes = 0;
  std::uint32_t pixel_offset = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;  // negative: top row first
  std::uint32_t bits = 0;
  std::uint32_t compression = kPlain;
  std::uint32_t colors_used = 0;
  std::array<std::uint32_t, 4> masks{};
  std::size_t end = 0;  // of the header and the masks that follow it
};

void require(ByteSpan bytes, std::size_t size, const std::string& name) {
  if (bytes.size() < size) {
    refuse_truncated(name);
  }
}

std::size_t palette_entry_bytes(const BmpHeader& header) { return header.bytes == kCoreHeaderBytes ? 3 : 4; }

bool is_one_run(std::uint32_t mask) {
  const std::uint32_t filled_below = mask | (mask - 1);
  return (filled_below & (filled_below + 1)) == 0;
}

void read_masks(ByteSpan bytes, BmpHeader& header, const std::string& name) {
  if (header.compression != kMasks && header.compression != kMasksWithAlpha) {
    return;
  }
  constexpr std::uint32_t kWithRgbMasks = 52;
  constexpr std::uint32_t kWithAllMasks = 56;
  const std::size_t masks_at = kFileHeaderBytes + 40;  // inside a long header or after a short one
  const bool has_alpha_mask = header.bytes >= kWithAllMasks || header.compression == kMasksWithAlpha;
  const std::size_t count = has_alpha_mask ? 4 : 3;
  const std::uint32_t pixel = header.bits == 16 ? 0xFFFF : 0xFFFFFFFF;  // ignores mask bits outside the pixel
  require(bytes, masks_at + 4 * count, name);
  for (std::size_t i = 0; i < count; ++i) {
    header.masks[i] = u32le_at(bytes, masks_at + 4 * i) & pixel;
    if (std::popcount(header.masks[i]) > 8) {
      refuse_unsupported(name, "BMP with more than 8 bits per channel");
    }
    if (i < 3 && header.masks[i] == 0) {
      refuse_damaged(name, "a channel mask is empty");
    }
    if (!is_one_run(header.masks[i])) {
      refuse_damaged(name, "the bits of a channel mask are not contiguous");
    }
  }
  header.end = std::max(header.end, header.bytes < kWithRgbMasks ? masks_at + 4 * count : std::size_t{0});
}

BmpHeader read_header(ByteSpan bytes, const std::string& name) {
  require(bytes, kFileHeaderBytes + kCoreHeaderBytes, name);
  BmpHeader header;
  header.pixel_offset = u32le_at(bytes, 10);
  header.bytes = u32le_at(bytes, 14);
  header.end = kFileHeaderBytes + header.bytes;
  if (header.bytes == kCoreHeaderBytes) {
    header.width = u16le_at(bytes, 18);
    header.height = u16le_at(bytes, 20);
    header.bits = u16le_at(bytes, 24);
    return header;
  }
  constexpr std::array<std::uint32_t, 6> kKnownLengths = {40, 52, 56, 64, 108, 124};
  if (std::find(kKnownLengths.begin(), kKnownLengths.end(), header.bytes) == kKnownLengths.end()) {
    refuse_unsupported(name, fmt::format("BMP with a {}-byte header", header.bytes));
  }
  require(bytes, header.end, name);
  header.width = static_cast<std::int32_t>(u32le_at(bytes, 18));
  header.height = static_cast<std::int32_t>(u32le_at(bytes, 22));
  header.bits = u16le_at(bytes, 28);
  header.compression = u32le_at(bytes, 30);
  header.colors_used = u32le_at(bytes, 46);
  return header;
}

void check_kind(const BmpHeader& header, const std::string& name) {
  constexpr std::array<std::uint32_t, 6> kDepths = {1, 4, 8, 16, 24, 32};
  if (std::find(kDepths.begin(), kDepths.end(), header.bits) == kDepths.end()) {
    refuse_unsupported(name, fmt::format("BMP with {} bits per pixel", header.bits));
  }
  if (header.compression == 1 || header.compression == 2) {
    refuse_unsupported(name, "run-length encoded BMP");
  }
  const bool has_masks = header.compression == kMasks || header.compression == kMasksWithAlpha;
  if (header.compression != kPlain && !has_masks) {
    refuse_unsupported(name, fmt::format("BMP with compression type {}", header.compression));
  }
  if (has_masks && header.bits != 16 && header.bits != 32) {
    refuse_damaged(name, fmt::format("it has channel masks for {} bits per pixel", header.bits));
  }
  if (header.width < 0) {
    refuse_damaged(name, "its width is negative");
  }
}

/// Undeclared fourth bytes may be alpha.
bool is_plain_32(const BmpHeader& header) { return header.bits == 32 && header.compression == kPlain; }

/// Of the widest channel, or of an index.
int channel_bits(const BmpHeader& header) {
  constexpr int kPlain16 = 5;
  int widest = 0;
  for (const std::uint32_t mask : header.masks) {
    widest = std::max(widest, std::popcount(mask));
  }
  return widest != 0 ? widest : header.bits <= 8 ? static_cast<int>(header.bits) : header.bits == 16 ? kPlain16 : 8;
}

/// How many entries of the palette the header declares and the space before the pixels holds.
std::size_t palette_size(const BmpHeader& header) {
  const std::size_t full = std::size_t{1} << header.bits;
  const std::size_t declared = header.colors_used != 0 ? header.colors_used : full;
  const std::size_t space = header.pixel_offset - std::min<std::size_t>(header.pixel_offset, header.end);
  return std::min({declared, full, space / palette_entry_bytes(header)});
}

/// Appends the palette as 2^bits entries of 4 bytes. Returns how many the file really has.
std::size_t append_palette(ByteSpan bytes, const BmpHeader& header, std::vector<std::byte>& to) {
  const std::size_t entry_bytes = palette_entry_bytes(header);
  const std::size_t count = palette_size(header);
  for (std::size_t i = 0; i < std::size_t{1} << header.bits; ++i) {
    for (std::size_t c = 0; c < 4; ++c) {
      to.push_back(i < count && c < 3 ? bytes[header.end + i * entry_bytes + c] : std::byte{0});
    }
  }
  return count;
}

void check_indices(const StbInput& input, std::uint32_t bits, std::size_t row_bytes, std::size_t colors,
                   const std::string& name) {
  const std::uint32_t mask = (1U << bits) - 1;
  for (std::size_t y = 0; y < static_cast<std::size_t>(input.height); ++y) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(input.width); ++x) {
      const std::size_t bit = x * bits;
      const std::uint32_t value = u8_at(input.body, y * row_bytes + bit / 8) >> (8 - bits - bit % 8);
      if ((value & mask) >= colors) {
        refuse_damaged(name,
                       fmt::format("a pixel has color index {}, but its palette has size {}", value & mask, colors));
      }
    }
  }
}

/// Writes a 40-byte header, or a 108-byte one if there are masks; pixel data follows `palette_bytes` after it.
void append_header(const BmpHeader& header, std::size_t palette_bytes, std::vector<std::byte>& to) {
  const bool has_masks = header.compression != kPlain;
  const std::uint32_t info_bytes = has_masks ? 108 : 40;
  to = {std::byte{'B'}, std::byte{'M'}};
  append_le(to, 0, 4);
  append_le(to, 0, 4);
  append_le(to, static_cast<std::uint32_t>(kFileHeaderBytes + info_bytes + palette_bytes), 4);
  append_le(to, info_bytes, 4);
  append_le(to, static_cast<std::uint32_t>(header.width), 4);
  append_le(to, static_cast<std::uint32_t>(header.height), 4);
  append_le(to, 1, 2);
  append_le(to, header.bits, 2);
  append_le(to, has_masks ? kMasks : kPlain, 4);
  to.resize(to.size() + 20);
  if (has_masks) {
    for (const std::uint32_t mask : header.masks) {
      append_le(to, mask, 4);
    }
    to.resize(kFileHeaderBytes + info_bytes);
  }
}

}  // namespace

StbInput bmp_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  BmpHeader header = read_header(bytes, name);
  check_kind(header, name);
  StbInput input;
  set_checked_size(input, "BMP", name, static_cast<std::uint64_t>(header.width),
                   static_cast<std::uint64_t>(std::abs(header.height)), 4, max_pixels);
  read_masks(bytes, header, name);
  if (header.pixel_offset < header.end) {
    refuse_damaged(name, "its pixels start inside its header");
  }
  const std::size_t row_bytes = (static_cast<std::size_t>(header.width) * header.bits + 31) / 32 * 4;
  require(bytes, header.pixel_offset, name);
  input.body = bytes.subspan(header.pixel_offset);
  require(input.body, row_bytes * static_cast<std::size_t>(input.height), name);

  const bool has_palette = header.bits <= 8;
  append_header(header, has_palette ? std::size_t{4} << header.bits : 0, input.header);
  if (has_palette) {
    const std::size_t colors = append_palette(bytes, header, input.header);
    check_indices(input, header.bits, row_bytes, colors, name);
  }
  input.channels = is_plain_32(header) || header.masks[3] != 0 ? 4 : 3;
  input.alpha = is_plain_32(header) ? StbAlpha::drop_if_unused : StbAlpha::keep;
  return input;
}

DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name) {
  BmpHeader header = read_header(beginning, name);
  check_kind(header, name);
  read_masks(beginning, header, name);
  const bool has_palette = header.bits <= 8;
  DeclaredImage declared;
  declared.width = static_cast<std::uint64_t>(header.width);
  declared.height = static_cast<std::uint64_t>(std::abs(header.height));
  declared.color = has_palette ? "palette" : "RGB";
  declared.bits = channel_bits(header);
  declared.palette_colors = has_palette ? static_cast<int>(palette_size(header)) : 0;
  declared.decoded = {Sample::u8, header.masks[3] != 0 ? 4 : 3};
  declared.may_add_alpha = is_plain_32(header);
  declared.facts = {{"bits_per_pixel", std::uint64_t{header.bits}}};
  return declared;
}

}  // namespace gpuimg::codecs

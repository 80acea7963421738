// TGA: color-mapped, RGB and gray, each raw or run-length encoded.
#include "codecs/stb/tga_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "codecs/refusals.hpp"
#include "codecs/stb/tga_reader.hpp"

namespace gpuimg::codecs {

namespace {

constexpr std::size_t kHeaderBytes = 18;
constexpr std::uint32_t kMapped = 1;
constexpr std::uint32_t kColor = 2;
constexpr std::uint32_t kGray = 3;

struct TgaHeader {
  std::size_t id_bytes = 0;
  bool has_map = false;
  std::uint32_t kind = 0;
  bool is_run_length = false;
  std::uint32_t map_start = 0;
  std::uint32_t map_length = 0;
  std::uint32_t map_bits = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t bits = 0;
  std::uint32_t descriptor = 0;

  [[nodiscard]] std::size_t map_entry_bytes() const { return (map_bits + 7) / 8; }
  [[nodiscard]] std::size_t pixel_bytes() const { return (bits + 7) / 8; }
  [[nodiscard]] std::size_t map_offset() const { return kHeaderBytes + id_bytes; }
  [[nodiscard]] std::size_t map_bytes() const { return has_map ? map_length * map_entry_bytes() : 0; }
  [[nodiscard]] bool is_mirrored() const { return (descriptor & 16U) != 0; }
  [[nodiscard]] bool is_top_down() const { return (descriptor & 32U) != 0; }
};

TgaHeader read_header(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kHeaderBytes, name);
  TgaHeader header;
  header.id_bytes = u8_at(bytes, 0);
  header.has_map = u8_at(bytes, 1) == 1;
  header.kind = u8_at(bytes, 2) & ~8U;
  header.is_run_length = (u8_at(bytes, 2) & 8U) != 0;
  header.map_start = u16le_at(bytes, 3);
  header.map_length = u16le_at(bytes, 5);
  header.map_bits = u8_at(bytes, 7);
  header.width = u16le_at(bytes, 12);
  header.height = u16le_at(bytes, 14);
  header.bits = u8_at(bytes, 16);
  header.descriptor = u8_at(bytes, 17);
  return header;
}

bool is_map_depth(std::uint32_t bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; }

void check_kind(const TgaHeader& header, const std::string& name) {
  const bool is_sound_map = header.has_map && header.map_length > 0 && is_map_depth(header.map_bits);
  if (header.kind == kMapped && !is_sound_map) {
    refuse_damaged(name, "its color map is missing or has an unknown depth");
  }
  if (header.kind == kMapped && header.map_start + header.map_length > 0xFFFF) {
    refuse_damaged(name, "its color map is too long");
  }
  const bool is_known = (header.kind == kMapped && (header.bits == 8 || header.bits == 16)) ||
                        (header.kind == kColor && is_map_depth(header.bits)) ||
                        (header.kind == kGray && (header.bits == 8 || header.bits == 16));
  if (!is_known) {
    refuse_unsupported(name, fmt::format("TGA of type {} with {} bits per pixel", header.kind, header.bits));
  }
  if ((header.descriptor & 0xC0U) != 0) {
    refuse_unsupported(name, "interleaved TGA");
  }
}

int channels_of(const TgaHeader& header) {
  if (header.kind == kGray) {
    return header.bits == 8 ? 1 : 2;
  }
  return (header.kind == kMapped ? header.map_bits : header.bits) == 32 ? 4 : 3;
}

bool declares_alpha(const TgaHeader& header) { return (header.descriptor & 15U) != 0 || channels_of(header) == 2; }

/// Applies check_size and the limits of stb_image's 32-bit sizes.
void check_size_for_stb(const TgaHeader& header, const std::string& name, std::uint64_t max_pixels) {
  check_size(name, header.width, header.height, max_pixels);
  constexpr std::uint64_t kMaxBytes = std::numeric_limits<int>::max();
  if (std::uint64_t{header.width} * header.height > kMaxBytes / 4) {
    refuse_unsupported(name, "TGA with 2 GiB or more of pixels");
  }
}

void append_le(std::vector<std::byte>& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

void check_index(ByteSpan pixel, const TgaHeader& header, const std::string& name) {
  if (header.kind != kMapped) {
    return;
  }
  const std::uint32_t index = header.bits == 8 ? u8_at(pixel, 0) : u16le_at(pixel, 0);
  if (index < header.map_start || index - header.map_start >= header.map_length) {
    refuse_damaged(name, fmt::format("a pixel has color index {}, which is not in its color map", index));
  }
}

void check_raw(ByteSpan body, const TgaHeader& header, const std::string& name) {
  const std::size_t count = std::size_t{header.width} * header.height;
  if (body.size() < count * header.pixel_bytes()) {
    refuse_truncated(name);
  }
  if (header.kind == kMapped) {
    for (std::size_t i = 0; i < count; ++i) {
      check_index(body.subspan(i * header.pixel_bytes()), header, name);
    }
  }
}

void check_runs(ByteSpan body, const TgaHeader& header, const std::string& name) {
  std::size_t left = std::size_t{header.width} * header.height;
  while (left > 0) {
    if (body.empty()) {
      refuse_truncated(name);
    }
    const std::uint32_t packet = u8_at(body, 0);
    const std::size_t pixels = (packet & 127U) + 1;
    const std::size_t stored = (packet & 128U) != 0 ? 1 : pixels;
    if (pixels > left) {
      refuse_damaged(name, "a run extends past its last pixel");
    }
    body = body.subspan(1);
    if (body.size() < stored * header.pixel_bytes()) {
      refuse_truncated(name);
    }
    for (std::size_t i = 0; i < stored; ++i) {
      check_index(body.subspan(i * header.pixel_bytes()), header, name);
    }
    body = body.subspan(stored * header.pixel_bytes());
    left -= pixels;
  }
}

/// Writes a header without identification, and with a color map that starts at 0.
void append_header(const TgaHeader& header, ByteSpan map, std::vector<std::byte>& to) {
  const bool is_mapped = header.kind == kMapped;
  append_le(to, 0, 1);
  append_le(to, is_mapped ? 1 : 0, 1);
  append_le(to, header.kind | (header.is_run_length ? 8U : 0U), 1);
  append_le(to, 0, 2);
  append_le(to, is_mapped ? header.map_start + header.map_length : 0, 2);
  append_le(to, is_mapped ? header.map_bits : 0, 1);
  append_le(to, 0, 4);
  append_le(to, header.width, 2);
  append_le(to, header.height, 2);
  append_le(to, header.bits, 1);
  append_le(to, header.descriptor, 1);
  if (is_mapped) {
    to.resize(to.size() + header.map_start * header.map_entry_bytes());
    to.insert(to.end(), map.begin(), map.end());
  }
}

bool has_tga_ending(std::string_view name) {
  constexpr std::string_view kEnding = ".tga";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
  return name.size() >= kEnding.size() && std::equal(name.end() - kEnding.size(), name.end(), kEnding.begin(), same);
}

}  // namespace

TgaInput tga_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  const TgaHeader header = read_header(bytes, name);
  check_kind(header, name);
  TgaInput input;
  check_size_for_stb(header, name, max_pixels);
  input.width = static_cast<int>(header.width);
  input.height = static_cast<int>(header.height);
  require_bytes(bytes, header.map_offset() + header.map_bytes(), name);
  append_header(header, bytes.subspan(header.map_offset(), header.map_bytes()), input.header);
  input.body = bytes.subspan(header.map_offset() + header.map_bytes());
  if (header.is_run_length) {
    check_runs(input.body, header, name);
  } else {
    check_raw(input.body, header, name);
  }
  input.channels = channels_of(header);
  input.declares_alpha = declares_alpha(header);
  input.is_mirrored = header.is_mirrored();
  return input;
}

std::optional<TgaRows> stored_tga_rows(ByteSpan beginning, const std::string& name, std::uint64_t max_pixels) {
  const TgaHeader header = read_header(beginning, name);
  check_kind(header, name);
  check_size_for_stb(header, name, max_pixels);
  const int channels = channels_of(header);
  const bool has_channels = header.kind != kMapped && header.pixel_bytes() == static_cast<std::size_t>(channels);
  const bool may_drop_alpha = channels == 4 && !declares_alpha(header);
  if (header.is_run_length || !has_channels || may_drop_alpha) {
    return std::nullopt;
  }
  return TgaRows{
      static_cast<int>(header.width),
      static_cast<int>(header.height),
      channels,
      header.is_mirrored(),
      {header.map_offset() + header.map_bytes(), header.width * header.pixel_bytes(), !header.is_top_down()}};
}

DeclaredImage declared_tga(ByteSpan beginning, const std::string& name) {
  const TgaHeader header = read_header(beginning, name);
  check_kind(header, name);
  const bool is_mapped = header.kind == kMapped;
  const int channels = channels_of(header);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = is_mapped ? "palette" : header.kind == kGray ? "gray" : "RGB";
  declared.bits = is_mapped ? static_cast<int>(header.bits) : header.kind == kColor && header.bits < 24 ? 5 : 8;
  declared.palette_colors = is_mapped ? static_cast<int>(header.map_length) : 0;
  declared.may_add_alpha = !declares_alpha(header) && channels == 4;
  declared.decoded = {Sample::u8, declared.may_add_alpha ? 3 : channels};
  declared.facts = {{"bits_per_pixel", std::uint64_t{header.bits}}, {"run_length_coded", header.is_run_length}};
  return declared;
}

bool looks_like_tga(ByteSpan bytes, std::string_view name) {
  constexpr std::string_view kFooter("TRUEVISION-XFILE.\0", 18);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool is_named = has_tga_ending(name);
  if (!is_named && !(bytes.size() >= kHeaderBytes && text.ends_with(kFooter))) {
    return false;
  }
  if (bytes.size() < kHeaderBytes) {
    return is_named;
  }
  const std::uint32_t map_kind = u8_at(bytes, 1);
  const std::uint32_t image_kind = u8_at(bytes, 2) & ~8U;
  const std::uint32_t bits = u8_at(bytes, 16);
  return map_kind <= 1 && image_kind >= kMapped && image_kind <= kGray &&
         (bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32);
}

}  // namespace gpuimg::codecs

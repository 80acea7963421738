// Parses and writes Photoshop resources and raw profiles. The data can be hostile.
#include "codecs/metadata/iptc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "codecs/byte_fields.hpp"
#include "text/number_text.hpp"

namespace gpuimg::codecs {
namespace {

/// The member for a resource with this number; null for resources that gpuimg does not use.
ByteSpan PhotoshopResources::*member_of(std::uint32_t number) {
  switch (number) {
    case 0x0404: return &PhotoshopResources::iptc;
    case 0x03ED: return &PhotoshopResources::resolution;
    case 0x040F: return &PhotoshopResources::icc;
    case 0x0422: return &PhotoshopResources::exif;
    case 0x0424: return &PhotoshopResources::xmp;
    default: return nullptr;
  }
}

std::size_t even(std::size_t size) { return size + size % 2; }

int hex_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// Converts hexadecimal digits, two per byte. Line ends can be anywhere between digits.
std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  int high = -1;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ') {
      continue;
    }
    const int digit = hex_value(c);
    if (digit < 0) {
      return std::nullopt;
    }
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit));
      high = -1;
    }
  }
  return high < 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

/// Converts a raw profile to bytes. It consists of an empty line, a name, the size in decimal, and the digits, each on
/// separate lines.
std::optional<std::vector<std::byte>> raw_profile(std::string_view text) {
  if (!text.starts_with('\n')) {
    return std::nullopt;
  }
  const std::size_t name_end = text.find('\n', 1);
  const std::size_t size_begin = text.find_first_not_of(" \n", std::min(name_end, text.size()));
  if (size_begin == std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data() + size_begin, end, size);
  if (error != std::errc() || after == end || *after != '\n') {
    return std::nullopt;
  }
  auto bytes = from_hex({after, static_cast<std::size_t>(end - after)});
  return bytes && bytes->size() == size ? bytes : std::nullopt;
}

}  // namespace

bool is_iptc(ByteSpan data) noexcept {
  constexpr std::size_t kDatasetHeader = 5;
  constexpr std::uint32_t kTagMarker = 0x1C;
  constexpr std::uint32_t kLongSize = 0x8000;
  if (data.size() < kDatasetHeader || data.size() > kMaxIptcBytes || u8_at(data, 0) != kTagMarker) {
    return false;
  }
  const std::uint32_t size = u16be_at(data, 3);
  return size >= kLongSize || size <= data.size() - kDatasetHeader;
}

ByteSpan iptc_without_padding(ByteSpan data) noexcept {
  constexpr std::size_t kDatasetHeader = 5;
  constexpr std::uint32_t kLongSize = 0x8000;
  std::size_t end = 0;
  while (data.size() - end >= kDatasetHeader && u8_at(data, end) == 0x1C) {
    const std::size_t size = u16be_at(data, end + 3);
    if (size >= kLongSize || size > data.size() - end - kDatasetHeader) {
      return data;
    }
    end += kDatasetHeader + size;
  }
  const ByteSpan rest = data.subspan(end);
  const bool is_padding =
      rest.size() < 4 && std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; });
  return is_padding ? data.first(end) : data;
}

PhotoshopResources photoshop_resources(ByteSpan bytes) noexcept {
  constexpr std::size_t kMinBytes = 12;  // signature, number, empty name, size
  PhotoshopResources resources;
  while (bytes.size() >= kMinBytes) {
    const std::size_t name = even(1 + u8_at(bytes, 6));
    const std::size_t data = 6 + name + 4;
    if (data > bytes.size() || u32be_at(bytes, data - 4) > bytes.size() - data) {
      resources.is_damaged = true;
      break;
    }
    const std::size_t size = u32be_at(bytes, data - 4);
    const bool is_known = u32be_at(bytes, 0) == 0x3842494D;  // 8BIM
    const auto member = is_known ? member_of(u16be_at(bytes, 4)) : nullptr;
    if (member != nullptr && (resources.*member).empty() && size > 0) {
      resources.*member = bytes.subspan(data, size);
    } else {
      ++resources.others;
    }
    bytes = bytes.subspan(std::min(bytes.size(), data + even(size)));
  }
  return resources;
}

std::vector<std::byte> iptc_resource(ByteSpan iptc) {
  constexpr std::string_view kHeader("8BIM\x04\x04\0\0", 8);
  constexpr std::array kFill = {std::byte{0}};
  return joined(
      {letters(kHeader), u32be(static_cast<std::uint32_t>(iptc.size())), iptc, ByteSpan(kFill).first(iptc.size() % 2)});
}

std::vector<std::byte> iptc_text(ByteSpan iptc) {
  constexpr std::size_t kBytesPerLine = 36;
  const std::vector<std::byte> resource = iptc_resource(iptc);
  std::string text = fmt::format("\niptc\n{:8}", resource.size());
  text.reserve(text.size() + 2 * resource.size() + resource.size() / kBytesPerLine + 2);
  for (std::size_t i = 0; i < resource.size(); ++i) {
    append_format(text, "{}{:02x}", i % kBytesPerLine == 0 ? "\n" : "", std::to_integer<unsigned>(resource[i]));
  }
  text += '\n';
  const ByteSpan bytes = letters(text);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> raw_profile_in(ByteSpan text) {
  return raw_profile({reinterpret_cast<const char*>(text.data()), text.size()}).value_or(std::vector<std::byte>{});
}

std::vector<std::byte> iptc_in_text(ByteSpan text) {
  std::vector<std::byte> profile = raw_profile_in(text);
  if (is_iptc(profile)) {
    return profile;
  }
  const ByteSpan iptc = photoshop_resources(profile).iptc;
  return is_iptc(iptc) ? std::vector<std::byte>(iptc.begin(), iptc.end()) : std::vector<std::byte>{};
}

}  // namespace gpuimg::codecs

// Reads fields of ICC profiles from untrusted data.
#include "codecs/metadata/icc_profile.hpp"

#include <algorithm>

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kMaxCharacters = 80;

/// The range, or empty unless all of it lies inside the data.
ByteSpan part_of(ByteSpan bytes, std::size_t offset, std::size_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.subspan(offset, size) : ByteSpan{};
}

char letter_of(std::uint32_t code) { return code >= 0x20 && code < 0x7F ? static_cast<char>(code) : '?'; }

/// Data of the tag with this signature.
ByteSpan tag_of(ByteSpan profile, std::uint32_t signature) {
  constexpr std::size_t kEntryBytes = 12;
  const std::size_t most = (profile.size() - kIccHeaderBytes) / kEntryBytes;
  const std::size_t count = std::min<std::size_t>(u32be_at(profile, kIccHeaderBytes - 4), most);
  for (std::size_t entry = kIccHeaderBytes; entry < kIccHeaderBytes + count * kEntryBytes; entry += kEntryBytes) {
    if (u32be_at(profile, entry) == signature) {
      return part_of(profile, u32be_at(profile, entry + 4), u32be_at(profile, entry + 8));
    }
  }
  return {};
}

std::string ascii_text(ByteSpan text) {
  std::string letters;
  for (std::size_t i = 0; i < std::min(text.size(), kMaxCharacters) && u8_at(text, i) != 0; ++i) {
    letters += letter_of(u8_at(text, i));
  }
  return letters;
}

std::string utf16_text(ByteSpan text) {
  std::string letters;
  for (std::size_t i = 0; i + 1 < std::min(text.size(), 2 * kMaxCharacters) && u16be_at(text, i) != 0; i += 2) {
    letters += letter_of(u16be_at(text, i));
  }
  return letters;
}

}  // namespace

ByteSpan icc_profile_in(ByteSpan data) noexcept {
  constexpr std::uint32_t kSignature = 0x61637370;  // acsp
  if (data.size() < kIccHeaderBytes || u32be_at(data, 36) != kSignature) {
    return {};
  }
  const std::size_t size = u32be_at(data, 0);
  return size >= kIccHeaderBytes ? part_of(data, 0, size) : ByteSpan{};
}

std::uint32_t icc_color_space(ByteSpan profile) { return u32be_at(profile, 16); }

std::string icc_description(ByteSpan profile) {
  constexpr std::uint32_t kDescription = 0x64657363;  // desc, the tag and the type of version 2
  constexpr std::uint32_t kMultiLocalized = 0x6D6C7563;
  constexpr std::size_t kFirstRecord = 16;
  const ByteSpan tag = tag_of(profile, kDescription);
  if (tag.size() >= 12 && u32be_at(tag, 0) == kDescription) {
    return ascii_text(part_of(tag, 12, std::min<std::size_t>(u32be_at(tag, 8), tag.size() - 12)));
  }
  if (tag.size() >= kFirstRecord + 12 && u32be_at(tag, 0) == kMultiLocalized && u32be_at(tag, 8) > 0) {
    return utf16_text(part_of(tag, u32be_at(tag, kFirstRecord + 8), u32be_at(tag, kFirstRecord + 4)));
  }
  return {};
}

}  // namespace gpuimg::codecs

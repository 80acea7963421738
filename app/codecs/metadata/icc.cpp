// Reads fields of ICC profiles from untrusted data, limits inflated profiles to the size that the profile itself
// declares, and names color spaces other than sRGB.
#include "codecs/metadata/icc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kMaxCharacters = 80;

/// The bytes of this range; empty unless the whole range lies inside `bytes`.
ByteSpan part_of(ByteSpan bytes, std::size_t offset, std::size_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.subspan(offset, size) : ByteSpan{};
}

char letter_of(std::uint32_t code) { return code >= 0x20 && code < 0x7F ? static_cast<char>(code) : '?'; }

/// The data of the tag with this signature.
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

std::string foreign_cicp(const std::array<std::byte, 4>& cicp) {
  const auto primaries = std::to_integer<int>(cicp[0]);
  const auto transfer = std::to_integer<int>(cicp[1]);
  constexpr int kBt709Primaries = 1;
  constexpr int kSrgbTransfer = 13;
  const bool is_srgb = primaries == kBt709Primaries && transfer == kSrgbTransfer;
  return is_srgb ? "" : fmt::format("cICP {}/{}", primaries, transfer);
}

std::string foreign_profile(ByteSpan profile) {
  const std::string name = icc_description(profile);
  if (name.find("sRGB") != std::string::npos) {
    return {};
  }
  return name.empty() ? "an ICC profile without a name" : "ICC profile '" + name + "'";
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
  constexpr std::uint32_t kDescription = 0x64657363;  // desc: the tag, and its type in version 2
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

std::vector<std::byte> decompressed_icc(ByteSpan zlib) {
  constexpr std::size_t kSizeFieldBytes = 4;
  deflate::ZlibStream stream(zlib);
  const std::vector<std::byte> beginning = stream.inflate(kSizeFieldBytes);
  if (beginning.size() < kSizeFieldBytes) {
    return {};
  }
  const std::size_t size = u32be_at(beginning, 0);
  if (size < kIccHeaderBytes || size > kMaxIccBytes) {
    return {};
  }
  // Asks for one byte more than the profile has, because otherwise inflate would not reach the end of the stream.
  std::vector<std::byte> profile = stream.inflate(size + 1);
  if (profile.size() != size || !stream.ends_with_checksum_of(profile) || icc_profile_in(profile).empty()) {
    return {};
  }
  return profile;
}

std::vector<std::byte> compressed_icc(ByteSpan profile) {
  constexpr int kLevel = 2;
  std::vector<std::byte> deflated(deflate::deflate_bound(profile.size()));
  const std::size_t size = deflate::StripDeflater(kLevel).deflate(profile, deflated, true);
  return joined({std::as_bytes(std::span(deflate::kZlibHeader)), ByteSpan(deflated).first(size),
                 u32be(deflate::adler32_of(profile))});
}

std::string foreign_color_space(const Metadata& metadata) {
  constexpr std::uint32_t kSrgbGama = 45455;
  constexpr std::array<std::uint32_t, 8> kSrgbChrm = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
  if (metadata.cicp) {
    return foreign_cicp(*metadata.cicp);
  }
  if (!metadata.icc.empty()) {
    return foreign_profile(metadata.icc);
  }
  if (metadata.srgb) {
    return {};
  }
  if (metadata.gama && *metadata.gama != kSrgbGama) {
    return fmt::format("gAMA {}.{:05}", *metadata.gama / 100000, *metadata.gama % 100000);
  }
  return metadata.chrm && *metadata.chrm != kSrgbChrm ? "cHRM of other primaries" : "";
}

bool are_chromaticities(const std::array<std::uint32_t, 8>& numbers) {
  constexpr std::uint32_t kOne = 100000;
  constexpr std::uint32_t kMinWhiteY = 5;  // libpng's minimum
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    if (numbers[i] > kOne || numbers[i + 1] > kOne - numbers[i]) {
      return false;
    }
  }
  const auto between = [&](std::size_t from, std::size_t to) {
    return std::int64_t{numbers[to]} - std::int64_t{numbers[from]};
  };
  return numbers[1] >= kMinWhiteY && between(2, 4) * between(3, 7) != between(3, 5) * between(2, 6);
}

}  // namespace gpuimg::codecs

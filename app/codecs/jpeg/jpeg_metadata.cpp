// Converts JPEG segments to Metadata and back.
#include "codecs/jpeg/jpeg_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/xmp.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

constexpr std::size_t kXmpGuidBytes = 32;
constexpr std::size_t kXmpPartHeader = kXmpGuidBytes + 8;

/// Joins the parts in the order of their numbers. Returns an empty profile unless the numbers are 1 … count, each
/// exactly once.
std::vector<std::byte> joined_profile(std::span<const ByteSpan> parts) {
  constexpr std::size_t kMaxParts = 255;
  std::array<std::optional<ByteSpan>, kMaxParts + 1> by_number;
  for (const ByteSpan part : parts) {
    const std::size_t number = u8_at(part, 0);
    if (u8_at(part, 1) != parts.size() || number < 1 || number > parts.size() || by_number.at(number)) {
      return {};
    }
    by_number[number] = part.subspan(2);
  }
  std::vector<std::byte> profile;
  for (std::size_t number = 1; number <= parts.size(); ++number) {
    profile.insert(profile.end(), by_number[number]->begin(), by_number[number]->end());
  }
  profile.resize(icc_profile_in(profile).size());
  return profile;
}

/// Returns nullopt if the header states only that pixels are square.
std::optional<PixelDensity> density_in(ByteSpan jfif) {
  constexpr std::array kUnits = {DensityUnit::none, DensityUnit::inch, DensityUnit::centimeter};
  if (jfif.size() < 7 || u8_at(jfif, 2) >= kUnits.size()) {
    return std::nullopt;
  }
  const PixelDensity density{u16be_at(jfif, 3), u16be_at(jfif, 5), kUnits[u8_at(jfif, 2)]};
  const bool is_said = density.unit != DensityUnit::none || density.x != density.y;
  return density.x.numerator > 0 && density.y.numerator > 0 && is_said ? std::optional(density) : std::nullopt;
}

/// Joins the parts with this GUID. Each part holds the GUID, the total size and its offset. Returns an empty result if
/// the parts leave gaps. Allocates only the sum of the sizes of the parts, so a false declared size costs no memory.
std::vector<std::byte> joined_extension(std::vector<ByteSpan> parts, std::string_view guid) {
  constexpr std::size_t kOffsetAt = kXmpGuidBytes + 4;
  std::erase_if(parts, [&](ByteSpan part) {
    const ByteSpan wanted = letters(guid);
    return guid.empty() || !std::equal(wanted.begin(), wanted.end(), part.begin());
  });
  std::stable_sort(parts.begin(), parts.end(),
                   [](ByteSpan a, ByteSpan b) { return u32be_at(a, kOffsetAt) < u32be_at(b, kOffsetAt); });
  std::vector<std::byte> extension;
  for (const ByteSpan part : parts) {
    if (u32be_at(part, kOffsetAt) != extension.size()) {
      return {};
    }
    extension.insert(extension.end(), part.begin() + kXmpPartHeader, part.end());
  }
  return !parts.empty() && u32be_at(parts.front(), kXmpGuidBytes) == extension.size() && is_xmp(extension)
             ? extension
             : std::vector<std::byte>{};
}

void read_xmp(const JpegHeader& header, Metadata& metadata, std::vector<std::string>& details) {
  ByteSpan packet = header.xmp;
  while (!packet.empty() && packet.back() == std::byte{0}) {
    packet = packet.first(packet.size() - 1);  // some programs end the packet with a NUL
  }
  if (is_xmp(packet)) {
    metadata.xmp.assign(packet.begin(), packet.end());
  } else if (!header.xmp.empty()) {
    details.emplace_back("its XMP is damaged and is left out");
  }
  if (!header.xmp_extension_parts.empty()) {
    metadata.xmp_extension = joined_extension(header.xmp_extension_parts, xmp_extension_guid(metadata.xmp));
    if (metadata.xmp_extension.empty()) {
      blank_xmp_extension(metadata.xmp);
      details.emplace_back("its extended XMP is damaged and is left out");
    }
  }
}

void read_iptc(const JpegHeader& header, Metadata& metadata, std::vector<std::string>& details) {
  std::vector<std::byte> bytes;
  for (const ByteSpan part : header.photoshop_parts) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  const PhotoshopResources resources = photoshop_resources(bytes);
  if (is_iptc(resources.iptc)) {
    metadata.iptc.assign(resources.iptc.begin(), resources.iptc.end());
  } else if (!resources.iptc.empty()) {
    details.emplace_back("its IPTC data is damaged and is left out");
  }
  if (resources.is_damaged) {
    details.emplace_back("the rest of its Photoshop data is damaged and is left out");
  }
  if (resources.has_more_than_iptc()) {
    metadata.not_kept.emplace_back("Photoshop data other than IPTC");
  }
}

void name_others(const JpegHeader& header, Metadata& metadata) {
  constexpr unsigned kComment = 16;
  for (unsigned n = 0; n <= kComment; ++n) {
    if ((header.other_segments >> n & 1U) != 0) {
      metadata.not_kept.push_back(n == kComment ? "the COM segment" : fmt::format("the APP{} segment", n));
    }
  }
}

void add_xmp_extension(const Metadata& metadata, std::vector<JpegMetadataSegment>& segments) {
  constexpr std::size_t kMaxPart = 65400;
  const ByteSpan extension = metadata.xmp_extension;
  for (std::size_t offset = 0; offset < extension.size(); offset += kMaxPart) {
    segments.push_back(
        {jpeg_marker::kApp1,
         joined({letters(kJpegXmpExtensionSignature), letters(xmp_extension_guid(metadata.xmp)),
                 u32be(static_cast<std::uint32_t>(extension.size())), u32be(static_cast<std::uint32_t>(offset)),
                 extension.subspan(offset, std::min(kMaxPart, extension.size() - offset))})});
  }
}

}  // namespace

Metadata read_jpeg_metadata(const JpegHeader& header, std::vector<std::string>& details) {
  Metadata metadata;
  if (is_exif(header.exif)) {
    metadata.exif.assign(header.exif.begin(), header.exif.end());
  } else if (!header.exif.empty()) {
    details.emplace_back("its EXIF data is damaged and is left out");
  }
  if (!header.icc_parts.empty()) {
    metadata.icc = joined_profile(header.icc_parts);
    if (metadata.icc.empty()) {
      details.emplace_back("its ICC profile is damaged and is left out");
    }
  }
  metadata.density = density_in(header.jfif);
  read_xmp(header, metadata, details);
  read_iptc(header, metadata, details);
  name_others(header, metadata);
  return metadata;
}

std::vector<JpegMetadataSegment> jpeg_metadata_segments(const Metadata& metadata) {
  using namespace std::string_view_literals;
  std::vector<JpegMetadataSegment> segments;
  if (!metadata.exif.empty()) {
    segments.push_back({jpeg_marker::kApp1, joined({letters("Exif\0\0"sv), metadata.exif})});
  }
  if (!metadata.xmp.empty()) {
    segments.push_back({jpeg_marker::kApp1, joined({letters(kJpegXmpSignature), metadata.xmp})});
    add_xmp_extension(metadata, segments);
  }
  const std::size_t count = (metadata.icc.size() + kMaxIccSegmentBytes - 1) / kMaxIccSegmentBytes;
  for (std::size_t i = 0; i < count; ++i) {
    const ByteSpan left = ByteSpan(metadata.icc).subspan(i * kMaxIccSegmentBytes);
    const std::array numbers = {static_cast<std::byte>(i + 1), static_cast<std::byte>(count)};
    segments.push_back({jpeg_marker::kApp2, joined({letters("ICC_PROFILE\0"sv), numbers,
                                                    left.first(std::min(left.size(), kMaxIccSegmentBytes))})});
  }
  if (!metadata.iptc.empty()) {
    segments.push_back({jpeg_marker::kApp13, joined({letters(kJpegPhotoshopSignature), iptc_resource(metadata.iptc)})});
  }
  return segments;
}

void fit_jpeg_metadata(Metadata& metadata, MetadataFilter& filter) {
  filter.drop_png_chunks(metadata, "JPEG has no place for it");
  if (metadata.exif.size() > kMaxJpegExifBytes) {
    filter.drop(metadata.exif, "the EXIF data", fmt::format("JPEG holds at most {} bytes of it", kMaxJpegExifBytes));
  }
  if (metadata.density) {
    filter.fit_density(metadata, density_for_jfif(*metadata.density), "JPEG holds 1 to 65535 pixels per inch");
  }
  if (metadata.xmp.size() > kMaxJpegXmpBytes) {
    const std::string why = fmt::format("JPEG holds at most {} bytes of it", kMaxJpegXmpBytes);
    filter.drop(metadata.xmp, "the XMP", why);
    filter.drop(metadata.xmp_extension, "the extended XMP", why);
  }
  if (metadata.iptc.size() > kMaxJpegIptcBytes) {
    filter.drop(metadata.iptc, "the IPTC data", fmt::format("JPEG holds at most {} bytes of it", kMaxJpegIptcBytes));
  }
}

}  // namespace gpuimg::codecs::jpeg

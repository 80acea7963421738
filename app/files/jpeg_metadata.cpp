// Segments to Metadata and back: app/files/jpeg_metadata.hpp.
#include "files/jpeg_metadata.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "files/exif_orientation.hpp"
#include "files/icc_profile.hpp"
#include "files/joined_bytes.hpp"

namespace gpuimg {
namespace {

constexpr int kApp1 = 0xE1;
constexpr int kApp2 = 0xE2;

/// The parts in the order of their numbers, which must be 1 … count, each once. Empty if they are not.
std::vector<std::byte> joined_profile(std::span<const ByteSpan> parts) {
  constexpr std::size_t kMostParts = 255;
  std::array<std::optional<ByteSpan>, kMostParts + 1> by_number;
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

/// Nothing where the header says no more than that pixels are square.
std::optional<PixelDensity> density_in(ByteSpan jfif) {
  constexpr std::array kUnits = {DensityUnit::none, DensityUnit::inch, DensityUnit::centimeter};
  if (jfif.size() < 7 || u8_at(jfif, 2) >= kUnits.size()) {
    return std::nullopt;
  }
  const PixelDensity density{u16be_at(jfif, 3), u16be_at(jfif, 5), kUnits[u8_at(jfif, 2)]};
  const bool is_said = density.unit != DensityUnit::none || density.x != density.y;
  return density.x > 0 && density.y > 0 && is_said ? std::optional(density) : std::nullopt;
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
  return metadata;
}

std::vector<JpegSegment> jpeg_metadata_segments(const Metadata& metadata) {
  using namespace std::string_view_literals;
  std::vector<JpegSegment> segments;
  if (!metadata.exif.empty()) {
    segments.push_back({kApp1, joined({letters("Exif\0\0"sv), metadata.exif})});
  }
  const std::size_t count = (metadata.icc.size() + kMaxIccSegmentBytes - 1) / kMaxIccSegmentBytes;
  for (std::size_t i = 0; i < count; ++i) {
    const ByteSpan left = ByteSpan(metadata.icc).subspan(i * kMaxIccSegmentBytes);
    const std::array numbers = {static_cast<std::byte>(i + 1), static_cast<std::byte>(count)};
    segments.push_back(
        {kApp2, joined({letters("ICC_PROFILE\0"sv), numbers, left.first(std::min(left.size(), kMaxIccSegmentBytes))})});
  }
  return segments;
}

}  // namespace gpuimg

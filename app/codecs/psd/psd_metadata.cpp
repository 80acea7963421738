// Resources are taken as they are if they are what they claim to be. Adobe Photoshop File Formats, "Image Resources".
#include "codecs/psd/psd_metadata.hpp"

#include <optional>

#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/xmp_packet.hpp"
#include "codecs/psd/psd_header.hpp"

namespace gpuimg::codecs {
namespace {

/// Keeps `found`, a part of `resource` or nothing.
void keep(std::vector<std::byte>& to, ByteSpan found, ByteSpan resource, const char* what,
          std::vector<std::string>& details) {
  to.assign(found.begin(), found.end());
  if (found.empty() && !resource.empty()) {
    details.push_back("its " + std::string(what) + " is damaged and is left out");
  }
}

/// Fixed-point numbers of pixels per inch, whatever the unit that the program shows.
std::optional<PixelDensity> density_in(ByteSpan resolution) {
  constexpr std::size_t kBytes = 16;
  constexpr std::size_t kVerticalAt = 8;
  if (resolution.size() < kBytes) {
    return std::nullopt;
  }
  const auto rounded = [](std::uint32_t fixed) { return (fixed >> 16) + (fixed >> 15 & 1U); };
  const PixelDensity density{rounded(u32be_at(resolution, 0)), rounded(u32be_at(resolution, kVerticalAt)),
                             DensityUnit::inch};
  return density.x > 0 && density.y > 0 ? std::optional(density) : std::nullopt;
}

}  // namespace

Metadata read_psd_metadata(ByteSpan resources, std::vector<std::string>& details) {
  const PhotoshopResources found = photoshop_resources(resources);
  Metadata metadata;
  keep(metadata.icc, icc_profile_in(found.icc), found.icc, "ICC profile", details);
  keep(metadata.exif, is_exif(found.exif) ? found.exif : ByteSpan{}, found.exif, "EXIF data", details);
  keep(metadata.xmp, is_xmp(found.xmp) ? found.xmp : ByteSpan{}, found.xmp, "XMP", details);
  keep(metadata.iptc, is_iptc(found.iptc) ? found.iptc : ByteSpan{}, found.iptc, "IPTC data", details);
  metadata.density = density_in(found.resolution);
  if (found.is_damaged) {
    details.emplace_back("the rest of its Photoshop data is damaged and is left out");
  }
  if (found.others > 0) {
    metadata.not_kept.emplace_back("other Photoshop data");
  }
  return metadata;
}

Metadata psd_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_psd_metadata(psd_resources(beginning, name), details);
}

}  // namespace gpuimg::codecs

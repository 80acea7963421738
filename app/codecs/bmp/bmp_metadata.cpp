// BITMAPINFOHEADER and BITMAPV5HEADER, as Microsoft documents them.
#include "codecs/bmp/bmp_metadata.hpp"

#include <limits>

#include "codecs/metadata/icc_profile.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

/// The fields are signed.
bool is_density(std::uint32_t per_meter) {
  return per_meter > 0 && per_meter <= static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Metadata read_bmp_metadata(ByteSpan bytes, const BmpHeader& header, std::vector<std::string>& details) {
  Metadata metadata;
  if (is_density(header.x_per_meter) && is_density(header.y_per_meter)) {
    metadata.density = PixelDensity{header.x_per_meter, header.y_per_meter, DensityUnit::meter};
  }
  if (header.names_profile) {
    metadata.not_kept.emplace_back("the name of the file with its ICC profile");
  }
  if (header.profile_bytes > 0) {
    const bool is_inside = header.profile + header.profile_bytes <= bytes.size();
    const ByteSpan profile = is_inside ? icc_profile_in(bytes.subspan(static_cast<std::size_t>(header.profile),
                                                                      static_cast<std::size_t>(header.profile_bytes)))
                                       : ByteSpan{};
    metadata.icc.assign(profile.begin(), profile.end());
    if (profile.empty()) {
      details.emplace_back("its ICC profile is damaged and is left out");
    }
  }
  return metadata;
}

Metadata bmp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  const BmpHeader header = read_bmp_header(beginning, name);
  require_bytes(beginning, static_cast<std::size_t>(header.profile + header.profile_bytes), name);
  return read_bmp_metadata(beginning, header, details);
}

}  // namespace gpuimg::codecs

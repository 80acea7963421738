// Metadata of PSD: the image resources for profile, resolution, EXIF, XMP and IPTC.
#pragma once

#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

/// Adds a clause to `details` for each damaged piece.
Metadata read_psd_metadata(ByteSpan resources, std::vector<std::string>& details);

/// Codec::metadata of PSD.
Metadata psd_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

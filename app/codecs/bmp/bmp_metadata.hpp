// Metadata of BMP: resolution, and the ICC profile of version 5.
#pragma once

#include <string>
#include <vector>

#include "codecs/bmp/bmp_header.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

/// Adds a clause to `details` if the profile is damaged.
Metadata read_bmp_metadata(ByteSpan bytes, const BmpHeader& header, std::vector<std::string>& details);

/// Codec::metadata of BMP. The profile is after the pixels.
Metadata bmp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

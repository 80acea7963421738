// Metadata of HEIF: color profile, EXIF and XMP items.
#pragma once

#include <string>
#include <vector>

#include "codecs/heif/heif_file.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

/// Of the primary image. Colors that are declared by numbers become cICP. Adds a clause to `details` for each damaged
/// piece.
Metadata read_heif_metadata(const HeifFile& file, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

// Detects whether metadata declare a color space other than sRGB.
#pragma once

#include <string>

#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

/// Names the declared color space, for example "ICC profile 'Display P3'" or "gAMA 1.00000"; empty for sRGB and if none
/// is declared. The first present counts, in the order of the PNG specification: cICP, ICC profile, sRGB, then gAMA and
/// cHRM. A profile counts as sRGB by its name.
std::string foreign_color_space(const Metadata& metadata);

}  // namespace gpuimg::codecs

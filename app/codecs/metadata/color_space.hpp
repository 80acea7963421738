// Whether the metadata of a file say that its colors are not sRGB's.
#pragma once

#include <string>

#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

/// What names another color space than sRGB, as "ICC profile 'Display P3'" or "gAMA 1.00000"; empty for sRGB and where
/// nothing is said. One statement counts, in the order of the PNG specification: cICP, ICC profile, sRGB, then gAMA and
/// cHRM. A profile is taken for sRGB by its name.
std::string foreign_color_space(const Metadata& metadata);

}  // namespace gpuimg::codecs

// Detects whether metadata declare a color space other than sRGB.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

/// Names the declared color space, for example "ICC profile 'Display P3'" or "gAMA 1.00000"; empty for sRGB and if none
/// is declared. The first present counts, in the order of the PNG specification: cICP, ICC profile, sRGB, then gAMA and
/// cHRM. A profile counts as sRGB by its name.
std::string foreign_color_space(const Metadata& metadata);

/// False for numbers of a cHRM chunk (Metadata::chrm) that no color space has: x + y above 1, white without light, or
/// primaries on a line.
bool are_chromaticities(const std::array<std::uint32_t, 8>& numbers);

}  // namespace gpuimg::codecs

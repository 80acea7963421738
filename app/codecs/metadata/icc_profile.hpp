// The few fields of an ICC profile that gpuimg uses: validity, color space, name. ICC.1:2022, section 7.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// Color space signatures of photographic profiles, at byte 16.
inline constexpr std::uint32_t kIccGray = 0x47524159;
inline constexpr std::uint32_t kIccRgb = 0x52474220;
inline constexpr std::uint32_t kIccCmyk = 0x434D594B;

inline constexpr std::size_t kIccHeaderBytes = 132;  ///< including the number of tags

/// The profile at the beginning of `data`, as long as its header declares; empty if it is invalid or truncated.
ByteSpan icc_profile_in(ByteSpan data) noexcept;

/// `profile` comes from icc_profile_in.
std::uint32_t icc_color_space(ByteSpan profile);

/// The profile's name ("sRGB IEC61966-2.1") from its description tag, which is ASCII (version 2) or UTF-16 (version 4).
/// Other characters become '?', and at most 80 are used. Empty if there is none.
std::string icc_description(ByteSpan profile);

}  // namespace gpuimg::codecs

// The few fields of an ICC profile that decide whether it is carried and what it is called. ICC.1:2022, section 7.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The color spaces of profiles for photographs, as they stand at byte 16.
inline constexpr std::uint32_t kIccGray = 0x47524159;
inline constexpr std::uint32_t kIccRgb = 0x52474220;
inline constexpr std::uint32_t kIccCmyk = 0x434D594B;

inline constexpr std::size_t kIccHeaderBytes = 132;  ///< with the number of tags behind it

/// The profile at the beginning of `data`, as long as its header says; empty if it is none or is cut off.
ByteSpan icc_profile_in(ByteSpan data) noexcept;

/// Of a profile that icc_profile_in gave.
std::uint32_t icc_color_space(ByteSpan profile);

/// The name of the profile ("sRGB IEC61966-2.1") from its description tag, which is ASCII (version 2) or UTF-16
/// (version 4): other characters become '?', and at most 80 are taken. Empty where there is none.
std::string icc_description(ByteSpan profile);

}  // namespace gpuimg::codecs

// Reads color information from metadata: the few fields of an ICC profile that gpuimg uses (ICC.1:2022, section 7),
// compressed profiles of PNG, and the names of color spaces other than sRGB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Color space signatures of photographic profiles, at byte 16.
inline constexpr std::uint32_t kIccGray = 0x47524159;
inline constexpr std::uint32_t kIccRgb = 0x52474220;
inline constexpr std::uint32_t kIccCmyk = 0x434D594B;

inline constexpr std::size_t kIccHeaderBytes = 132;  ///< includes the number of tags

/// The maximum size of an ICC profile that gpuimg carries over: the capacity of a JPEG's 255 segments, 16.7 MB.
inline constexpr std::size_t kMaxIccSegmentBytes = 65519;
inline constexpr std::size_t kMaxIccBytes = 255 * kMaxIccSegmentBytes;

/// The profile at the beginning of `data`, with the size that its header declares. Empty if it is invalid or truncated.
ByteSpan icc_profile_in(ByteSpan data) noexcept;

/// `profile` must be a result of icc_profile_in.
std::uint32_t icc_color_space(ByteSpan profile);

/// The profile's name ("sRGB IEC61966-2.1") from its description tag, which is ASCII (version 2) or UTF-16 (version 4).
/// Non-ASCII characters become '?', and the name is limited to 80 characters. Empty if the profile has no name.
std::string icc_description(ByteSpan profile);

/// Inflates the profile in a zlib stream, as PNG stores it. Returns an empty profile if the stream or the profile is
/// damaged, if the profile is larger than kMaxIccBytes, or if the stream holds more than the profile. Allocates no more
/// than the profile's own header declares, plus 1 KB.
std::vector<std::byte> decompressed_icc(ByteSpan zlib);

/// Compresses the profile to a zlib stream. The same profile gives the same bytes on every machine.
std::vector<std::byte> compressed_icc(ByteSpan profile);

/// Names the declared color space, for example "ICC profile 'Display P3'" or "gAMA 1.00000"; empty for sRGB and if no
/// color space is declared. The first declaration wins, in the order of the PNG specification: cICP, ICC profile, sRGB,
/// then gAMA and cHRM. A profile is recognized as sRGB by its name.
std::string foreign_color_space(const Metadata& metadata);

/// False if the numbers of a cHRM chunk (Metadata::chrm) are invalid for every color space: x + y is above 1, white has
/// no light, or the primaries lie on a line.
bool are_chromaticities(const std::array<std::uint32_t, 8>& numbers);

}  // namespace gpuimg::codecs

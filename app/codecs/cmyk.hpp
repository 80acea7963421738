// CMYK to RGB without color management: docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpuimg::codecs {

inline constexpr std::string_view kCmykNote = "CMYK is converted to RGB without color management";

/// Converts `count` pixels of 8 or 16 bits. `cmyk` holds the light that each ink lets through, as Adobe stores it: V
/// without ink. R = C·K / V, rounded to nearest, and so on.
template <class T>
void cmyk_to_rgb(const T* cmyk, T* rgb, std::size_t count);

extern template void cmyk_to_rgb(const std::uint8_t*, std::uint8_t*, std::size_t);
extern template void cmyk_to_rgb(const std::uint16_t*, std::uint16_t*, std::size_t);

}  // namespace gpuimg::codecs

// CMYK to RGB without color management: docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuimg::codecs {

/// Converts `count` pixels. `cmyk` holds the light that the ink lets through, 255 without ink, as Adobe stores it:
/// R = C·K / 255, rounded to nearest, and so on. With `is_ink` it holds the ink itself and is
/// subtracted from 255 first.
void cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t count, bool is_ink);

}  // namespace gpuimg::codecs

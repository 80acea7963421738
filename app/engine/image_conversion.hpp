// Converts a result's alpha and bit depth for its output. docs/operations.md, "Conversions".
#pragma once

#include <cstdint>
#include <optional>

#include "cli/option_values.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

struct ImageConversion {
  std::optional<RgbColor> background = std::nullopt;  ///< alpha is flattened onto this color
  std::optional<Sample> depth = std::nullopt;         ///< u8 or u16
};

/// The format that convert() returns for pixels of `format`, u8 or u16. Gray with alpha on a colored background becomes
/// RGB.
PixelFormat converted_format(PixelFormat format, const ImageConversion& conversion);

/// Bytes per pixel that convert() needs in addition to pixels of `input_bytes`; 0 if it returns them unchanged.
std::uint64_t converted_bytes(std::uint64_t input_bytes, const ImageConversion& conversion);

/// Flattens alpha, then changes the bit depth of u8 or u16 pixels. Returns an image unchanged if it has the format
/// already. Throws Error{out_of_memory}.
Image convert(Image image, const ImageConversion& conversion);

}  // namespace gpuimg

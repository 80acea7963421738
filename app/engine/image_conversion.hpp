// Alpha and bit depth of a result as its output is to have them. docs/operations.md, "Conversions".
#pragma once

#include <cstdint>
#include <optional>

#include "cli/rgb_color.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

struct ImageConversion {
  std::optional<RgbColor> background = std::nullopt;  ///< alpha is flattened onto it
  std::optional<Sample> depth = std::nullopt;         ///< u8 or u16
};

/// The format that convert() gives pixels of `format`, u8 or u16. Gray with alpha on a background that is not gray
/// becomes RGB.
PixelFormat converted_format(PixelFormat format, const ImageConversion& conversion);

/// The most bytes that a pixel of `input_bytes` may take from the operation on to the end of the conversion.
std::uint64_t most_converted_bytes(std::uint64_t input_bytes, const ImageConversion& conversion);

/// Flattens, then changes the depth: u8 or u16 pixels. An image that has the format already is returned as it is.
/// Throws Error{out_of_memory}.
Image convert(Image image, const ImageConversion& conversion);

}  // namespace gpuimg

// Recognizes the quantization tables of libjpeg's quality scale.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace gpuimg::codecs {

/// Quantization steps in the order of the file: zigzag.
using JpegSteps = std::array<std::uint16_t, 64>;

/// The quality 1 … 100 at which libjpeg writes exactly these tables; nullopt if there is none. Null `chroma`: gray.
std::optional<int> jpeg_quality(const JpegSteps& luma, const JpegSteps* chroma);

}  // namespace gpuimg::codecs

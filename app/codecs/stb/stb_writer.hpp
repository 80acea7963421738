// Encodes BMP and TGA with stb_image_write.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Both functions require an image that passes check_holds, and throw Error{out_of_memory}.

/// RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal channels.
void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// 1 to 4 channels, run-length encoded.
void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

inline constexpr std::uint64_t kMaxStbBytes = std::numeric_limits<int>::max();  ///< stb computes sizes in int

}  // namespace gpuimg::codecs

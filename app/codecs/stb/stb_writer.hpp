// Encodes BMP and TGA with stb_image_write.
#pragma once

#include <string>

#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Both functions require an image that passes check_holds (format_limits.hpp), and throw Error{out_of_memory}.

/// RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal channels.
Bytes encode_bmp(ConstView pixels, const std::string& name);

/// 1 to 4 channels, run-length encoded.
Bytes encode_tga(ConstView pixels, const std::string& name);

}  // namespace gpuimg::codecs

// Pixels to BMP and TGA through stb_image_write.
#pragma once

#include <string>

#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg {

/// Both take what check_holds (format_limits.hpp) lets pass, and throw Error{out_of_memory}.

/// RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal channels.
Bytes encode_bmp(ConstView pixels, const std::string& name);

/// 1 to 4 channels as they are, run-length encoded.
Bytes encode_tga(ConstView pixels, const std::string& name);

}  // namespace gpuimg

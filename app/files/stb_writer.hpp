// Pixels to BMP and TGA through stb_image_write.
#pragma once

#include <string>

#include "files/bytes.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// Both throw Error{unsupported} for 16-bit samples and for images whose size passes what stb counts in (32 bits,
/// signed), and Error{out_of_memory}.

/// RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal channels. Refuses gray with alpha.
Bytes encode_bmp(ConstView pixels, const std::string& name);

/// 1 to 4 channels as they are, run-length encoded; at most 65535 pixels a side.
Bytes encode_tga(ConstView pixels, const std::string& name);

}  // namespace gpuimg

// GIF: the GIF89a specification, and that of 1987.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/image_reader.hpp"

namespace gpuimg {

/// The first frame on its screen: RGB or, where a pixel is transparent, RGBA; what the frame leaves uncovered is
/// transparent, and transparent pixels are black. Every block is walked to the trailer. `bytes` begins with the
/// signature, `name` is printable. Throws as decode_image does.
DecodedImage read_gif(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg

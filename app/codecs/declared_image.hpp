// The header of an image file, without decoding the image.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// `bytes` may be only the beginning of a file. `name` matters for TGA, which has no signature.
DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name);

/// The same for the file at `path`; declares nothing if the file cannot be read.
DeclaredImage declared_image_in(const std::string& path);

}  // namespace gpuimg::codecs

// Decodes an image file of any format in the list (codecs.cpp). Strictness and limits: docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Identifies the format by content. `name` appears in messages, and matters for TGA, which has no signature. Checks
/// the header against the limits before decoding. Throws Error{decode} for a file that is damaged, truncated or not an
/// image, Error{unsupported} for a format or feature that gpuimg does not read, and Error{out_of_memory}.
DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg::codecs

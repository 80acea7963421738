// Identifies a file by its content: one of the list of formats, or a refusal that says what it is instead.
#pragma once

#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Only a format without signature (TGA) needs the name, which is printable. Throws Error{decode} for an empty file,
/// for text and for anything that is not an image, and Error{unsupported} for a known format that gpuimg does not read.
const Codec& detected_codec(ByteSpan bytes, std::string_view name);

}  // namespace gpuimg::codecs

// Reads GIF, versions 87a and 89a. Why gpuimg has its own reader: docs/decisions/0011-own-gif-reader.md.
// Only the list of formats (../codecs.cpp) includes this header: it hides how the format works.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Returns the first frame placed on its screen, as RGB, or as RGBA if any pixel is transparent. The screen grows to
/// hold the frame. Parts of it that the frame does not cover are transparent, and transparent pixels are black. Notes
/// say whether more frames or damage follow. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_gif(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of GIF.
DeclaredImage declared_gif(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs

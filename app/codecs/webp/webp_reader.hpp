// Reads WebP with libwebp.
// To read this folder, start here, then webp_file.hpp for the container.
#pragma once

#include <string>
#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Lossy and lossless, as RGB, or as RGBA if the image has alpha. The first frame of an animation is placed on its
/// canvas; pixels that it leaves uncovered are transparent. `name` is printable. Throws like decode_image.
DecodedImage read_webp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::recognizes of WebP: files that are cut off before their signature, and its form of RIFF.
bool looks_like_webp(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of WebP.
DeclaredImage declared_webp(ByteSpan beginning, const std::string& name);
Metadata webp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

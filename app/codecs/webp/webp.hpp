// Reads and writes WebP with libwebp; lossless with WriteOptions::webp_lossless.
// Only the list of formats (../codecs.cpp) includes this header: it hides how the format works.
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

/// Codec::fit_metadata of WebP.
void fit_webp_metadata(Metadata& metadata, MetadataFilter& filter);

/// WebP holds no more pixels per side.
inline constexpr int kMaxWebpSide = 16383;

/// 1 to 4 channels of 8 bits; gray becomes RGB. Alpha that is opaque everywhere is left out. Lossless data keep the
/// colors of transparent pixels. Throws Error{out_of_memory}, and Error{usage} for an image that this quality makes too
/// large for the format, or a quality out of range.
void encode_webp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs

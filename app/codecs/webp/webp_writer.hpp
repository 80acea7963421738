// Writes WebP with libwebp: lossy, or lossless with WriteOptions::webp_lossless.
#pragma once

#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// WebP holds no more pixels per side.
inline constexpr int kMaxWebpSide = 16383;

/// 1 to 4 channels of 8 bits; gray becomes RGB. Alpha that is opaque everywhere is left out. Lossless data keep the
/// colors of transparent pixels. Throws Error{out_of_memory}, and Error{usage} for an image that this quality makes too
/// large for the format, or a quality out of range.
void encode_webp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs

// Reads the merged image of PSD and PSB.
// To read this folder, start here, then psd_header.hpp for the sections and psd_planes.hpp for the pixels.
#pragma once

#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Gray, RGB, CMYK and duotone of 8 or 16 bits, indexed of 8, bitmaps; with alpha if the merged image has
/// transparency, and colors as stored beside it. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of PSD.
DeclaredImage declared_psd(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs

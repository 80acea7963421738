// Reads the merged image of PSD and PSB.
// Only the list of formats (../codecs.cpp) includes this header: it hides how the format works.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Gray, RGB, CMYK and duotone of 8 or 16 bits, indexed of 8, bitmaps; with alpha if the merged image has
/// transparency, and colors as stored beside it. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of PSD.
DeclaredImage declared_psd(ByteSpan beginning, const std::string& name);

/// Codec::metadata of PSD.
Metadata psd_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

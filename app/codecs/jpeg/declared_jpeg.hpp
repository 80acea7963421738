// What a JPEG declares before its first scan, for plans and for `gpuimg info`.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Codec::declared of JPEG.
DeclaredImage declared_jpeg(ByteSpan beginning, const std::string& name);

/// Codec::metadata of JPEG.
Metadata jpeg_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

// ICC profiles as zlib streams, as PNG stores them.
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// Returns an empty profile if the stream or the profile is damaged, if the profile is larger than kMaxIccBytes, or if
/// the stream holds more than the profile. Allocates no more than the profile's own header declares, plus 1 KB.
std::vector<std::byte> decompressed_icc(ByteSpan zlib);

/// The same bytes for the same profile on every machine.
std::vector<std::byte> compressed_icc(ByteSpan profile);

}  // namespace gpuimg::codecs

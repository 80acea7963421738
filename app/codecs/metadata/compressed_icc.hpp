// ICC profiles as zlib streams, as PNG stores them.
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

/// Returns the profile, or empty if the stream or the profile is damaged, the profile is larger than kMaxIccBytes, or
/// the stream holds more than the profile. Allocates no more than the profile's header declares.
std::vector<std::byte> unpacked_profile(ByteSpan zlib);

/// The same profile gives the same bytes on every machine.
std::vector<std::byte> packed_profile(ByteSpan profile);

}  // namespace gpuimg

// ICC profiles as zlib streams, the form they have in PNG.
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

/// The profile, or nothing if the stream or the profile is damaged, the profile is larger than kMaxIccBytes, or the
/// stream holds more than it. No more memory is taken than the profile's own header asks for.
std::vector<std::byte> unpacked_profile(ByteSpan zlib);

/// The same bytes for the same profile on every machine.
std::vector<std::byte> packed_profile(ByteSpan profile);

}  // namespace gpuimg

// What the boxes of a HEIF declare, read without libheif: libheif decodes what remains of a file that is cut off, and
// decoders of AV1 believe the sizes in their data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs::heif {

/// Throws TruncatedFile if a box extends past the end of the file, and Error{decode} if a box has an impossible size.
/// `name` is printable.
void check_boxes(ByteSpan file, const std::string& name);

struct CodedSize {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

/// The sizes that the AV1 data in a file declare themselves. AV1 decoders use them, whatever the boxes say.
std::vector<CodedSize> av1_sizes(ByteSpan file);

}  // namespace gpuimg::codecs::heif

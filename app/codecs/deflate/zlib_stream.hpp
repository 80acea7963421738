// Inflates small zlib streams of metadata into memory of a bounded size, through ISA-L. Pixels:
// app/codecs/deflate/inflate.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

struct Inflated {
  std::size_t size = 0;
  bool sound = false;     ///< as far as it was looked at
  bool complete = false;  ///< and its checksum is right
};

/// Stops where `to` is full. A byte more than the stream has is needed to see that it is complete.
Inflated inflate_zlib(ByteSpan zlib, std::span<std::byte> to);

/// The whole stream; nothing if it is damaged or has more than `most` bytes. Takes little more memory than it has bytes
/// times 16, and never more than `most`.
std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t most);

}  // namespace gpuimg

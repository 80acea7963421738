// Keyword and text of the three text chunks of PNG: tEXt, zTXt and iTXt. PNG specification, third edition,
// section 11.3.3.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/png/png_chunks.hpp"

namespace gpuimg::codecs {

bool is_png_text(std::uint32_t chunk_type);

/// What precedes the first NUL; empty if there is none. Borrows from the chunk.
std::string_view png_keyword(ByteSpan payload);

/// The text, inflated if it is compressed; nullopt if it is damaged or longer than `max_size` bytes.
std::optional<std::vector<std::byte>> png_text(std::uint32_t chunk_type, ByteSpan payload, std::size_t max_size);

}  // namespace gpuimg::codecs

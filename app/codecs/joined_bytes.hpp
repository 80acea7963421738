// Builds chunks and segments from their fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

inline std::vector<std::byte> joined(std::initializer_list<ByteSpan> parts) {
  std::size_t size = 0;
  for (const ByteSpan part : parts) {
    size += part.size();
  }
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  for (const ByteSpan part : parts) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

inline ByteSpan letters(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::array<std::byte, 4> u32be(std::uint32_t value) {
  return {static_cast<std::byte>(value >> 24), static_cast<std::byte>(value >> 16), static_cast<std::byte>(value >> 8),
          static_cast<std::byte>(value)};
}

}  // namespace gpuimg::codecs

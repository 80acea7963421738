// Reads little- and big-endian numbers from file headers, at any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuimg::codecs {

using ByteSpan = std::span<const std::byte>;

/// All functions require that the field lies inside `bytes`.
inline std::uint32_t u8_at(ByteSpan bytes, std::size_t offset) { return std::to_integer<std::uint32_t>(bytes[offset]); }
inline std::uint32_t u16le_at(ByteSpan bytes, std::size_t offset) {
  return u8_at(bytes, offset) | (u8_at(bytes, offset + 1) << 8);
}
inline std::uint32_t u16be_at(ByteSpan bytes, std::size_t offset) {
  return (u8_at(bytes, offset) << 8) | u8_at(bytes, offset + 1);
}
inline std::uint32_t u32le_at(ByteSpan bytes, std::size_t offset) {
  return u16le_at(bytes, offset) | (u16le_at(bytes, offset + 2) << 16);
}
inline std::uint32_t u32be_at(ByteSpan bytes, std::size_t offset) {
  return (u16be_at(bytes, offset) << 16) | u16be_at(bytes, offset + 2);
}

}  // namespace gpuimg::codecs

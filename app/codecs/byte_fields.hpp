// Bytes of files: reads numbers from headers, joins chunks and segments, and collects what C libraries write.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/bytes.hpp"

namespace gpuimg::codecs {

using ByteSpan = std::span<const std::byte>;

// --- Fields: little- and big-endian numbers at any alignment. The field must lie inside `bytes` ---------------------

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

// --- Joining: builds chunks and segments from their fields ----------------------------------------------------------

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

// --- Growing buffers for C libraries --------------------------------------------------------------------------------

/// A buffer that grows while a C library writes to it. Never throws: an exception must not pass through C code.
class GrowingBytes {
 public:
  /// Returns false if memory runs out in this call or ran out in an earlier one.
  bool append(std::span<const std::byte> part) noexcept {
    if (failed_ || (part.size() > capacity_ - bytes_.size && !grow(bytes_.size + part.size()))) {
      return false;
    }
    if (!part.empty()) {
      std::memcpy(bytes_.data.get() + bytes_.size, part.data(), part.size());
      bytes_.size += part.size();
    }
    return true;
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }

  Bytes take() noexcept { return std::move(bytes_); }

 private:
  bool grow(std::size_t min_capacity) noexcept {
    constexpr std::size_t kInitial = std::size_t{64} << 10;
    const std::size_t capacity = std::max({kInitial, min_capacity, capacity_ * 2});
    std::unique_ptr<std::byte[]> larger(new (std::nothrow) std::byte[capacity]);
    if (larger == nullptr) {
      failed_ = true;
      return false;
    }
    if (bytes_.size > 0) {
      std::memcpy(larger.get(), bytes_.data.get(), bytes_.size);
    }
    bytes_.data = std::move(larger);
    capacity_ = capacity;
    return true;
  }

  Bytes bytes_;
  std::size_t capacity_ = 0;
  bool failed_ = false;
};

}  // namespace gpuimg::codecs

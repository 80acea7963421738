// The bytes of a file, read where they are needed: from memory, or from an open file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

namespace gpuimg {

struct RandomAccess {
  std::uint64_t size = 0;
  /// Copies the bytes at `offset`, as many as fit; returns how many there were. Throws nothing.
  std::function<std::size_t(std::uint64_t offset, std::span<std::byte> to)> read;
};

/// `bytes` must outlive the result.
inline RandomAccess in_memory(std::span<const std::byte> bytes) {
  return {bytes.size(), [bytes](std::uint64_t offset, std::span<std::byte> to) {
            const std::uint64_t left = bytes.size() - std::min<std::uint64_t>(offset, bytes.size());
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size()));
            if (count > 0) {
              std::memcpy(to.data(), bytes.data() + offset, count);
            }
            return count;
          }};
}

}  // namespace gpuimg

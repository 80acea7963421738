// Bytes read from or written to a file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace gpuimg {

/// Uninitialized memory, unlike std::vector.
struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// Receives the bytes of a file in order, in blocks of any size. An exception aborts the encoder.
using ByteSink = std::function<void(std::span<const std::byte>)>;

}  // namespace gpuimg

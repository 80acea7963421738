// Bytes read from or bound for a file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace gpuimg {

/// A block that is not cleared on construction, unlike std::vector.
struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// Takes the bytes of a file as they come, in order. What it throws ends the encoding.
using ByteSink = std::function<void(std::span<const std::byte>)>;

}  // namespace gpuimg

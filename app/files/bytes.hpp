// A block of bytes read from or bound for a file: not cleared on construction, unlike std::vector.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace gpuimg {

struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {data.get(), size}; }
};

}  // namespace gpuimg

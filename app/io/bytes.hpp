// Bytes read from or written to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace gpuimg {

/// Frees memory from new[]; memory that has an owner goes back to it.
class ByteDeleter {
 public:
  ByteDeleter() = default;
  ByteDeleter(std::default_delete<std::byte[]>) noexcept {}
  explicit ByteDeleter(std::shared_ptr<const void> owner) noexcept : owner_(std::move(owner)) {}

  void operator()(std::byte* memory) noexcept {
    if (owner_ == nullptr) {
      delete[] memory;
    }
    owner_.reset();
  }

 private:
  std::shared_ptr<const void> owner_;
};
using ByteMemory = std::unique_ptr<std::byte[], ByteDeleter>;

/// Uninitialized memory, unlike std::vector.
struct Bytes {
  ByteMemory data;
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// Receives the bytes of a file in order, in blocks of any size. An exception aborts the encoder.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Receives a part of a file for its place there. Parts may come in any order; what is in none is zero.
using BytePlacer = std::function<void(std::uint64_t offset, std::span<const std::byte> part)>;

/// Where a file is written: from its beginning, or by parts.
struct FileParts {
  ByteSink append;
  BytePlacer place;  ///< in place of `append`
};

}  // namespace gpuimg

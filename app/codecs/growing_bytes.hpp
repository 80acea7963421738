// A byte buffer that grows while a C library writes to it. Never throws: an exception must not pass through C code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "io/bytes.hpp"

namespace gpuimg::codecs {

class GrowingBytes {
 public:
  /// Returns false if memory has run out, now or earlier.
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

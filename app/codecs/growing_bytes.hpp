// A block of bytes that grows as a C library hands over its output; never throws, since nothing may be thrown through
// C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "io/bytes.hpp"

namespace gpuimg {

class GrowingBytes {
 public:
  /// False if memory ran out, now or before.
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
  bool grow(std::size_t least) noexcept {
    constexpr std::size_t kFirst = std::size_t{64} << 10;
    const std::size_t capacity = std::max({kFirst, least, capacity_ * 2});
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

}  // namespace gpuimg

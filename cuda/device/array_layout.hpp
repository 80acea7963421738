// Divides one block of device memory into arrays.
#pragma once

#include <cstddef>

namespace gpuimg::cuda {

/// Used twice: without memory it only adds up the sizes of the arrays.
class ArrayLayout {
 public:
  explicit ArrayLayout(std::byte* memory) : memory_(memory) {}

  template <class T>
  T* take(std::size_t count) {
    constexpr std::size_t kAlignment = 256;
    T* array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return array;
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace gpuimg::cuda

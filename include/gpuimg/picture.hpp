// Pixels in a backend's memory. The header of each operation's options also declares check(). Every backend calls it
// first, so that all backends report the same errors. detail:: holds the parts that several checks share, here and in
// selection.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "gpuimg/image.hpp"

namespace gpuimg {

/// Pixels in a backend's memory: host memory for the CPU, device memory for CUDA and OpenCL. Only the backend that made
/// a Picture can read it. Move-only.
class Picture {
 public:
  /// Backend-specific storage. Each backend derives its own class from this.
  class Storage {
   public:
    Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    virtual ~Storage() = default;
  };

  Picture(int width, int height, PixelFormat format, std::unique_ptr<Storage> storage)
      : storage_(std::move(storage)), width_(width), height_(height), format_(format) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] PixelFormat format() const { return format_; }
  [[nodiscard]] std::size_t pixel_count() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  [[nodiscard]] Storage& storage() const { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
  int width_ = 0;
  int height_ = 0;
  PixelFormat format_;
};

namespace detail {

inline std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

inline void check_photographic(const Picture& picture, const std::string& what) {
  if (!picture.format().is_photographic()) {
    throw Error(ErrorKind::unsupported, what + ": only 8- and 16-bit images of 1 to 4 channels are supported");
  }
}

}  // namespace detail

}  // namespace gpuimg

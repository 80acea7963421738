// A Picture of the CUDA backend: device memory. Rows have no padding, so an image is one array. Only summed-area
// tables, which no operation reads, have padded rows.
#pragma once

#include <memory>
#include <utility>

#include "device/cuda_check.hpp"
#include "device/device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

class CudaPixels final : public Picture::Storage {
 public:
  /// The first row starts `first_byte` bytes into the memory.
  CudaPixels(DeviceMemory memory, std::size_t pitch_bytes, std::size_t first_byte = 0)
      : memory_(std::move(memory)), pitch_bytes_(pitch_bytes), first_byte_(first_byte) {}
  [[nodiscard]] std::byte* data() const { return memory_.data() + first_byte_; }
  [[nodiscard]] std::size_t pitch_bytes() const { return pitch_bytes_; }

 private:
  DeviceMemory memory_;
  std::size_t pitch_bytes_;
  std::size_t first_byte_;
};

inline std::size_t row_bytes(const Picture& picture) {
  return static_cast<std::size_t>(picture.width()) * picture.format().bytes_per_pixel();
}

inline std::size_t size_bytes(const Picture& picture) {
  return picture.pixel_count() * picture.format().bytes_per_pixel();
}

/// The Picture must come from the CUDA backend.
inline std::byte* pixels_of(const Picture& picture) { return static_cast<CudaPixels&>(picture.storage()).data(); }
inline std::size_t pitch_bytes(const Picture& picture) {
  return static_cast<CudaPixels&>(picture.storage()).pitch_bytes();
}

/// A Picture with uninitialized pixels.
inline Picture new_picture(const std::shared_ptr<Device>& device, int width, int height, PixelFormat format) {
  const std::size_t row = static_cast<std::size_t>(width) * format.bytes_per_pixel();
  return {width, height, format,
          std::make_unique<CudaPixels>(DeviceMemory(device, row * static_cast<std::size_t>(height)), row)};
}

/// Initializes the bytes after a picture. Kernels that read whole words read these bytes, but do not use them.
inline void clear_tail(const Picture& picture, cudaStream_t stream) {
  cuda_check(cudaMemsetAsync(pixels_of(picture) + size_bytes(picture), 0, kReadablePastEnd, stream),
             "clearing the end of a picture");
}

}  // namespace gpuimg::cuda

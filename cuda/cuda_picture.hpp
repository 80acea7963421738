// How the CUDA backend keeps a Picture: rows without padding in device memory, so that an image is one array.
#pragma once

#include <memory>
#include <utility>

#include "cuda_check.hpp"
#include "device.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

class CudaPixels final : public Picture::Storage {
 public:
  explicit CudaPixels(DeviceMemory memory) : memory_(std::move(memory)) {}
  [[nodiscard]] std::byte* data() const { return memory_.data(); }

 private:
  DeviceMemory memory_;
};

inline std::size_t size_bytes(const Picture& picture) {
  return picture.pixel_count() * picture.format().bytes_per_pixel();
}

/// The Picture must come from this backend.
inline std::byte* pixels_of(const Picture& picture) { return static_cast<CudaPixels&>(picture.storage()).data(); }

/// A Picture whose pixels are still to be written.
inline Picture new_picture(const std::shared_ptr<Device>& device, int width, int height, PixelFormat format) {
  const std::size_t bytes =
      static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * format.bytes_per_pixel();
  return {width, height, format, std::make_unique<CudaPixels>(DeviceMemory(device, bytes))};
}

/// Gives the bytes behind a new picture a value: kernels that read whole words read them, and use none of them.
inline void clear_behind(const Picture& picture, cudaStream_t stream) {
  cuda_check(cudaMemsetAsync(pixels_of(picture) + size_bytes(picture), 0, kReadableBeyondEnd, stream),
             "clearing the end of a picture");
}

}  // namespace gpuimg::cuda

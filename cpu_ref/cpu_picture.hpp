// A Picture of the CPU backend: an Image in host memory.
#pragma once

#include <memory>
#include <utility>

#include "gpuimg/backend.hpp"

namespace gpuimg::cpu {

class CpuPixels final : public Picture::Storage {
 public:
  explicit CpuPixels(Image image) : image_(std::move(image)) {}
  [[nodiscard]] Image& image() { return image_; }

 private:
  Image image_;
};

inline Picture picture_of(Image image) {
  const int width = image.width();
  const int height = image.height();
  const PixelFormat format = image.format();
  return {width, height, format, std::make_unique<CpuPixels>(std::move(image))};
}

/// The Picture must come from the CPU backend.
inline Image& image_of(const Picture& picture) { return static_cast<CpuPixels&>(picture.storage()).image(); }

inline ConstView pixels_of(const Picture& picture) { return std::as_const(image_of(picture)).view(); }

}  // namespace gpuimg::cpu

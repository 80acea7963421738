// What an operation computes with: pixels on the host, or on the backend that decoded them, and a mask.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

struct OperationInput {
  explicit OperationInput(Image pixels) : image(std::move(pixels)) {}
  explicit OperationInput(codecs::DecodedImage&& decoded, std::optional<Image> chosen = std::nullopt)
      : image(std::move(decoded.image)), picture(std::move(decoded.picture)), mask(std::move(chosen)) {}

  [[nodiscard]] int width() const { return picture ? picture->width() : image.width(); }
  [[nodiscard]] int height() const { return picture ? picture->height() : image.height(); }
  [[nodiscard]] PixelFormat format() const { return picture ? picture->format() : image.format(); }

  /// True if an operation has taken the pixels over.
  [[nodiscard]] bool is_consumed() const { return !picture && image.empty(); }

  /// Only for pixels on the host.
  [[nodiscard]] OperationInput clone() const {
    OperationInput copy(image.clone());
    if (mask) {
      copy.mask = mask->clone();
    }
    return copy;
  }

  Image image;
  std::optional<Picture> picture;  ///< in place of `image`
  std::optional<Image> mask;       ///< u8, 1 channel
};

}  // namespace gpuimg

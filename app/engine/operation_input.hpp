// What an operation computes with: pixels on the host, on the backend that decoded them, or in a file, and a
// mask.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "codecs/codec.hpp"
#include "codecs/row_reader.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

struct OperationInput {
  explicit OperationInput(Image pixels) : image(std::move(pixels)) {}
  explicit OperationInput(codecs::DecodedImage&& decoded, std::optional<Image> chosen = std::nullopt)
      : image(std::move(decoded.image)),
        picture(std::move(decoded.picture)),
        rows(std::move(decoded.rows)),
        mask(std::move(chosen)) {}

  [[nodiscard]] int width() const { return picture ? picture->width() : rows ? rows->width() : image.width(); }
  [[nodiscard]] int height() const { return picture ? picture->height() : rows ? rows->height() : image.height(); }
  [[nodiscard]] PixelFormat format() const {
    return picture ? picture->format() : rows ? rows->format() : image.format();
  }

  /// True if an operation has taken the pixels over.
  [[nodiscard]] bool is_consumed() const { return !picture && !rows && image.empty(); }

  /// Only for pixels on the host.
  [[nodiscard]] OperationInput clone() const {
    OperationInput copy(image.clone());
    if (mask) {
      copy.mask = mask->clone();
    }
    return copy;
  }

  Image image;
  std::optional<Picture> picture;           ///< in place of `image`
  std::shared_ptr<codecs::RowReader> rows;  ///< in place of `image`: pixels that are still in their file
  std::optional<Image> mask;                ///< u8, 1 channel
};

}  // namespace gpuimg

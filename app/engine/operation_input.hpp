// What an operation computes with: pixels on the host, on the backend that decoded them, or in a file, and a mask.
// An attempt to compute only reads it, unless no other attempt can follow.
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

/// u8, 1 channel. All images of a run share it, so nothing may change it. Null: there is none.
using SharedMask = std::shared_ptr<const Image>;

struct OperationInput {
  explicit OperationInput(Image pixels) : image(std::move(pixels)) {}
  explicit OperationInput(codecs::DecodedImage&& decoded, SharedMask chosen = nullptr)
      : image(std::move(decoded.image)),
        picture(std::move(decoded.picture)),
        rows(std::move(decoded.rows)),
        mask(std::move(chosen)) {}

  [[nodiscard]] int width() const { return picture ? picture->width() : rows ? rows->width() : image.width(); }
  [[nodiscard]] int height() const { return picture ? picture->height() : rows ? rows->height() : image.height(); }
  [[nodiscard]] PixelFormat format() const {
    return picture ? picture->format() : rows ? rows->format() : image.format();
  }

  /// Only for pixels on the host.
  [[nodiscard]] OperationInput clone() const {
    OperationInput copy(image.clone());
    copy.mask = mask;
    return copy;
  }

  Image image;
  std::optional<Picture> picture;           ///< in place of `image`
  std::shared_ptr<codecs::RowReader> rows;  ///< in place of `image`: pixels that are still in their file
  SharedMask mask;
};

/// The input of one attempt to compute. What is given as const is needed again if the attempt fails.
class AttemptInput {
 public:
  explicit AttemptInput(const OperationInput& kept) : input_(kept) {}
  explicit AttemptInput(OperationInput&& last) : input_(last), last_(&last) {}

  [[nodiscard]] const OperationInput* operator->() const { return &input_; }

  /// Takes the pixels on the host out of the input of the last attempt; nullopt if another attempt may follow.
  [[nodiscard]] std::optional<Image> take_image() const {
    return last_ != nullptr ? std::optional<Image>(std::move(last_->image)) : std::nullopt;
  }

 private:
  const OperationInput& input_;
  OperationInput* last_ = nullptr;
};

/// The Picture that an operation gets: the attempt's own, whose memory the result may take, or one that another attempt
/// may need.
class AttemptPicture {
 public:
  explicit AttemptPicture(const Picture& kept) : picture_(kept) {}
  explicit AttemptPicture(Picture&& own) : picture_(own), own_(&own) {}

  operator const Picture&() const { return picture_; }  // NOLINT: most operations only read

  /// Null if another attempt may need the Picture.
  [[nodiscard]] Picture* own() const { return own_; }

 private:
  const Picture& picture_;
  Picture* own_ = nullptr;
};

}  // namespace gpuimg

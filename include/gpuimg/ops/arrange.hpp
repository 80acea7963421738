// Crop, rotate and flip: pixels move, but their values do not change. Specified in docs/operations.md, "Crop, rotate,
// flip".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpuimg/ops/limits.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

/// Which part of the image is kept when CropOptions gives only a size.
enum class Gravity : std::uint8_t {
  northwest,
  north,
  northeast,
  west,
  center,
  east,
  southwest,
  south,
  southeast,
};

/// The part of the image to keep: either a box, or a size and a gravity.
struct CropOptions {
  std::optional<Rect> box;
  int width = 0;  ///< with `height`: the size to keep, each ≥ 1; ignored if `box` is set
  int height = 0;
  Gravity gravity = Gravity::center;
};

enum class Turn : std::uint8_t {
  rotate90,  ///< clockwise
  rotate180,
  rotate270,        ///< 90 degrees counterclockwise
  flip_horizontal,  ///< left becomes right
  flip_vertical,    ///< top becomes bottom
};

struct TurnOptions {
  Turn turn = Turn::rotate90;
};

constexpr bool swaps_sides(Turn turn) { return turn == Turn::rotate90 || turn == Turn::rotate270; }

/// Throws Error{usage} for options that are invalid for every image.
inline void validate(const CropOptions& options) {
  const int width = options.box ? options.box->width : options.width;
  const int height = options.box ? options.box->height : options.height;
  detail::reject_unless(width >= 1 && height >= 1, "crop: the result must have at least one pixel");
}

/// The box that validated options keep of an image of this size. If the margin is odd, `center` rounds x and y down.
/// Throws Error{usage} if the box is not inside the image.
inline Rect crop_box(int width, int height, const CropOptions& options) {
  Rect box = options.box.value_or(Rect{0, 0, options.width, options.height});
  if (!options.box) {
    const auto first = [](int rest, int third) { return third == 0 || rest < 0 ? 0 : third == 1 ? rest / 2 : rest; };
    box.x = first(width - box.width, static_cast<int>(options.gravity) % 3);
    box.y = first(height - box.height, static_cast<int>(options.gravity) / 3);
  }
  const bool is_inside = box.x >= 0 && box.y >= 0 && box.width <= width && box.height <= height &&
                         box.x <= width - box.width && box.y <= height - box.height;
  detail::reject_unless(is_inside, "crop: " + detail::size_text(box.width, box.height) + " pixels from " +
                                       std::to_string(box.x) + "," + std::to_string(box.y) +
                                       " are not inside the image of " + detail::size_text(width, height) +
                                       " pixels; use a smaller box");
  return box;
}

inline Size result_size(int width, int height, const CropOptions& options) {
  const Rect box = crop_box(width, height, options);
  return {box.width, box.height};
}

constexpr Size result_size(int width, int height, const TurnOptions& options) {
  return swaps_sides(options.turn) ? Size{height, width} : Size{width, height};
}

inline void check(const Picture& picture, const CropOptions& options) {
  detail::check_photographic(picture, "crop");
  validate(options);
  (void)crop_box(picture.width(), picture.height(), options);
}

inline void check(const Picture& picture, const TurnOptions& options) {
  detail::check_photographic(picture, swaps_sides(options.turn) ? "rotate" : "flip");
}

constexpr PixelFormat result_format(PixelFormat input, const CropOptions& /*options*/) { return input; }
constexpr PixelFormat result_format(PixelFormat input, const TurnOptions& /*options*/) { return input; }

}  // namespace gpuimg

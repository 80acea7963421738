// Selects the pixels that an operation counts: by region, by mask and by transparency.
#pragma once

#include <optional>
#include <string>

#include "gpuimg/picture.hpp"

namespace gpuimg {

/// A pixel counts if it lies inside `region`, its mask value is not 0, and it is not fully transparent.
struct Selection {
  std::optional<Rect> region;      ///< must lie inside the image; nullopt = the whole image
  const Picture* mask = nullptr;   ///< must be u8, 1 channel, of the same size and backend; borrowed for the call
  bool count_transparent = false;  ///< also count pixels whose alpha is 0
};

namespace detail {

inline void check_selection(const Picture& picture, const Selection& selection, const std::string& what) {
  if (selection.region) {
    const Rect& r = *selection.region;
    const bool inside = r.x >= 0 && r.y >= 0 && r.width >= 1 && r.height >= 1 && r.x < picture.width() &&
                        r.y < picture.height() && r.width <= picture.width() - r.x &&
                        r.height <= picture.height() - r.y;
    if (!inside) {
      throw Error(ErrorKind::usage, what + ": the region " + std::to_string(r.x) + "," + std::to_string(r.y) + "," +
                                        std::to_string(r.width) + "," + std::to_string(r.height) +
                                        " is not inside the image of " + size_text(picture.width(), picture.height()) +
                                        " pixels; use a smaller region");
    }
  }
  if (selection.mask != nullptr) {
    const Picture& mask = *selection.mask;
    if (mask.format() != PixelFormat{Sample::u8, 1}) {
      throw Error(ErrorKind::usage, what + ": a mask must be 8-bit with one channel");
    }
    if (mask.width() != picture.width() || mask.height() != picture.height()) {
      throw Error(ErrorKind::usage, what + ": the mask is " + size_text(mask.width(), mask.height()) +
                                        ", but the image is " + size_text(picture.width(), picture.height()) +
                                        "; use a mask of the same size");
    }
  }
}

}  // namespace detail

}  // namespace gpuimg

// Parts of the argument checks. Each operation has its check() beside its options; every backend runs it first, so that
// all backends report the same errors.
#pragma once

#include <string>

#include "gpuimg/picture.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

namespace detail {

inline std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

inline void check_photographic(const Picture& picture, const std::string& what) {
  if (!picture.format().is_photographic()) {
    throw Error(ErrorKind::unsupported, what + ": only 8- and 16-bit images of 1 to 4 channels are supported");
  }
}

inline void check_selection(const Picture& picture, const Selection& selection, const std::string& what) {
  if (selection.region) {
    const Rect& r = *selection.region;
    const bool inside = r.x >= 0 && r.y >= 0 && r.width >= 1 && r.height >= 1 && r.x < picture.width() &&
                        r.y < picture.height() && r.width <= picture.width() - r.x &&
                        r.height <= picture.height() - r.y;
    if (!inside) {
      throw Error(ErrorKind::usage, what + ": the region " + std::to_string(r.x) + "," + std::to_string(r.y) + "," +
                                        std::to_string(r.width) + "," + std::to_string(r.height) +
                                        " is not inside the image, which is " +
                                        size_text(picture.width(), picture.height()));
    }
  }
  if (selection.mask != nullptr) {
    const Picture& mask = *selection.mask;
    if (mask.format() != PixelFormat{Sample::u8, 1}) {
      throw Error(ErrorKind::usage, what + ": a mask must be 8-bit with one channel");
    }
    if (mask.width() != picture.width() || mask.height() != picture.height()) {
      throw Error(ErrorKind::usage, what + ": the mask is " + size_text(mask.width(), mask.height()) +
                                        " and the image " + size_text(picture.width(), picture.height()) +
                                        "; they must have the same size");
    }
  }
}

}  // namespace detail

}  // namespace gpuimg

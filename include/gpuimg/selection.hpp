// Which pixels of an image an operation counts: region, mask and transparency.
#pragma once

#include <optional>

#include "gpuimg/image.hpp"

namespace gpuimg {

class Picture;

/// A pixel is counted if it is inside `region`, its mask value is not 0, and it is not fully transparent.
struct Selection {
  std::optional<Rect> region;      ///< must lie inside the image; nothing = the whole image
  const Picture* mask = nullptr;   ///< u8, 1 channel, same size, on the same backend; borrowed for the call
  bool count_transparent = false;  ///< count pixels whose alpha is 0 too
};

}  // namespace gpuimg

// Selects the pixels that an operation counts: by region, mask and transparency.
#pragma once

#include <optional>

#include "gpuimg/image.hpp"

namespace gpuimg {

class Picture;

/// A pixel counts if it is inside `region`, its mask value is not 0, and it is not fully transparent.
struct Selection {
  std::optional<Rect> region;      ///< must lie inside the image; nullopt = the whole image
  const Picture* mask = nullptr;   ///< u8, 1 channel, same size, on the same backend; borrowed for the call
  bool count_transparent = false;  ///< also count pixels whose alpha is 0
};

}  // namespace gpuimg

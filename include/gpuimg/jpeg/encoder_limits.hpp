// Which pixels the device's JPEG encoder takes, and the memory it needs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gpuimg/codec.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/jpeg/forward_dct.hpp"

namespace gpuimg::jpeg {

/// Packed codes of a block, on average: photographs take less. An image of noise at high quality takes up to 208, and
/// then more memory.
constexpr std::size_t kUsualBlockBytes = 64;

inline bool can_encode(PixelFormat pixels, const JpegScanFormat& format) {
  const bool fits = pixels.sample == Sample::u8 && pixels.channels == format.component_count &&
                    (pixels.channels == 1 || pixels.channels == 3);
  const bool is_sampled = format.horizontal_sampling >= 1 && format.horizontal_sampling <= 2 &&
                          format.vertical_sampling >= 1 && format.vertical_sampling <= 2 &&
                          (format.component_count == 3 || format.horizontal_sampling * format.vertical_sampling == 1);
  return fits && is_sampled &&
         std::all_of(format.components.begin(), format.components.begin() + format.component_count,
                     [](const EncodedJpegComponent& component) {
                       return std::all_of(component.steps.begin(), component.steps.end(),
                                          [](std::uint32_t step) { return step >= 1 && step <= kMaxStep; });
                     });
}

}  // namespace gpuimg::jpeg

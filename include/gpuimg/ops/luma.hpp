// The formulas for luma Y′, and the default that all operations share. Specified in docs/operations.md, "Luma"; the
// arithmetic is in core/ops/luma.hpp.
#pragma once

#include <cstdint>

namespace gpuimg {

enum class Luma : std::uint8_t {
  bt601,        ///< ITU-R BT.601 weights in 1/65536, rounded; equals Pillow's convert("L")
  bt601_trunc,  ///< 0.299 r + 0.587 g + 0.114 b in float32, left to right, without FMA, truncated
  opencv,       ///< BT.601 weights in 1/32768, rounded; equals cvtColor of OpenCV 4.6
  bt709,        ///< ITU-R BT.709 weights in 1/65536, rounded
};

/// The default for every operation that counts, sums or maps luma.
inline constexpr Luma kDefaultLuma = Luma::bt601;

}  // namespace gpuimg

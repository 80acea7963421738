// Luma Y′ of encoded RGB, at 8 and 16 bits, for every operation and backend. Specified in docs/operations.md, "Luma".
#pragma once

#include <cstdint>

#include "gpuimg/ops/luma.hpp"
#include "host_device.hpp"

namespace gpuimg {

/// The luma of one pixel. r, g, b and the result are in 0 … V (255 or 65535). Exact: computed in integers, or in
/// float32 without contraction.
template <Luma kind>
GPUIMG_HD constexpr std::uint32_t luma_of(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  if constexpr (kind == Luma::bt601) {
    return (19595U * r + 38470U * g + 7471U * b + 32768U) >> 16;
  } else if constexpr (kind == Luma::opencv) {
    return (9798U * r + 19235U * g + 3735U * b + 16384U) >> 15;
  } else if constexpr (kind == Luma::bt709) {
    return (13933U * r + 46871U * g + 4732U * b + 32768U) >> 16;
  } else {
    const float red = 0.299f * static_cast<float>(r);
    const float green = 0.587f * static_cast<float>(g);
    const float blue = 0.114f * static_cast<float>(b);
    return static_cast<std::uint32_t>((red + green) + blue);
  }
}

/// As above, for a kind known only at run time. Inner loops use the template instead.
GPUIMG_HD constexpr std::uint32_t luma_of(Luma kind, std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  switch (kind) {
    case Luma::bt601: return luma_of<Luma::bt601>(r, g, b);
    case Luma::bt601_trunc: return luma_of<Luma::bt601_trunc>(r, g, b);
    case Luma::opencv: return luma_of<Luma::opencv>(r, g, b);
    case Luma::bt709: return luma_of<Luma::bt709>(r, g, b);
  }
  return 0;
}

/// Calls body.template operator()<kind>() for a kind known only at run time.
template <class Body>
void with_luma_kind(Luma kind, const Body& body) {
  switch (kind) {
    case Luma::bt601: return body.template operator()<Luma::bt601>();
    case Luma::bt601_trunc: return body.template operator()<Luma::bt601_trunc>();
    case Luma::opencv: return body.template operator()<Luma::opencv>();
    case Luma::bt709: return body.template operator()<Luma::bt709>();
  }
}

}  // namespace gpuimg

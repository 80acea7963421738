// From a run-time pixel format to code compiled for one sample type and channel count.
#pragma once

#include <cstdint>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "gpuimg/ops/luma.hpp"

namespace gpuimg::cpu {

template <class T>
inline constexpr std::uint32_t kMaxOf = sizeof(T) == 1 ? 255U : 65535U;

/// One pixel of an array of `channels` interleaved values; gray stands for r = g = b.
template <int channels, class T>
constexpr Rgb rgb_at(const T* row, std::size_t x) {
  const T* pixel = row + x * channels;
  if constexpr (channels >= 3) {
    return {pixel[0], pixel[1], pixel[2]};
  } else {
    return {pixel[0], pixel[0], pixel[0]};
  }
}

/// Calls body.template operator()<T, channels>() for the format of a photographic picture.
template <class Body>
void with_format(PixelFormat format, const Body& body) {
  const auto with_channels = [&]<class T>() {
    switch (format.channels) {
      case 1: return body.template operator()<T, 1>();
      case 2: return body.template operator()<T, 2>();
      case 3: return body.template operator()<T, 3>();
      default: return body.template operator()<T, 4>();
    }
  };
  if (format.sample == Sample::u8) {
    with_channels.template operator()<std::uint8_t>();
  } else {
    with_channels.template operator()<std::uint16_t>();
  }
}

/// Calls body.template operator()<kind>().
template <class Body>
void with_luma_kind(Luma kind, const Body& body) {
  switch (kind) {
    case Luma::bt601: return body.template operator()<Luma::bt601>();
    case Luma::bt601_trunc: return body.template operator()<Luma::bt601_trunc>();
    case Luma::opencv: return body.template operator()<Luma::opencv>();
    case Luma::bt709: return body.template operator()<Luma::bt709>();
  }
}

}  // namespace gpuimg::cpu

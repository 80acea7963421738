// Dispatches a run-time pixel format to code compiled for one sample type and channel count.
#pragma once

#include <cstdint>

#include "gpuimg/image.hpp"
#include "ops/hsl.hpp"

namespace gpuimg::cpu {

/// Pixel x of a row of interleaved samples. A gray pixel yields r = g = b.
template <int channels, class T>
constexpr Rgb rgb_at(const T* row, std::size_t x) {
  const T* pixel = row + x * channels;
  if constexpr (channels >= 3) {
    return {pixel[0], pixel[1], pixel[2]};
  } else {
    return {pixel[0], pixel[0], pixel[0]};
  }
}

/// Calls body.template operator()<T, channels>() for a photographic format.
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

}  // namespace gpuimg::cpu

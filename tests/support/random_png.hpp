// PNG pictures with random samples.
#pragma once

#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

inline PngPicture random_picture(Random& random, PngKind kind, std::uint32_t width, std::uint32_t height) {
  PngPicture picture;
  picture.kind = kind;
  picture.width = width;
  picture.height = height;
  const std::uint32_t levels = 1U << kind.bit_depth;
  picture.samples.resize(std::size_t{width} * height * static_cast<std::size_t>(kind.channels()));
  for (std::uint32_t& sample : picture.samples) {
    sample = random.below(levels);
  }
  if (kind.color_type == 3) {
    for (std::uint32_t i = 0; i < 3 * levels; ++i) {
      add_le(picture.palette, random.below(256), 1);
    }
  }
  return picture;
}

inline PngPicture small_picture(PngKind kind = {2, 8}) {
  Random random;
  return random_picture(random, kind, 5, 4);
}

}  // namespace gpuimg::test

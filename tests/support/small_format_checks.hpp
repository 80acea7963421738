// Test data and checks shared by the tests of BMP, TGA, GIF, PSD and PNM.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

using Values = std::vector<std::uint32_t>;

constexpr PixelFormat kRgb{Sample::u8, 3};
constexpr PixelFormat kRgba{Sample::u8, 4};

inline const Values kFour = {0x112233, 0x445566, 0x778899, 0xAABBCC};  ///< a color table, 0xRRGGBB

inline Values random_values(Random& random, std::size_t count, std::uint32_t bound) {
  Values values(count);
  for (std::uint32_t& value : values) {
    value = random.below(bound);
  }
  return values;
}

inline void expect_pixels(const FileBytes& file, const Image& expected, const std::string& type,
                          const std::string& name) {
  const codecs::DecodedImage decoded = decode(file, name);
  EXPECT_EQ(codecs::codec_of(decoded.file_format).name, type);
  EXPECT_TRUE(same_pixels(decoded.image.view(), expected.view()));
}

}  // namespace gpuimg::test

// Oracle of PNG decoding, pixel by pixel from the stored samples.
#include "support/oracle_png.hpp"

#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

std::uint32_t number_at(const FileBytes& bytes, std::size_t offset) {
  return std::to_integer<std::uint32_t>(bytes[offset]);
}

/// The expected channels of pixel i.
std::vector<std::uint32_t> expected_pixel(const PngPicture& picture, std::size_t i) {
  const auto channels = static_cast<std::size_t>(picture.kind.channels());
  const std::uint32_t* stored = &picture.samples[i * channels];
  std::vector<std::uint32_t> pixel;
  if (picture.kind.color_type == 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      pixel.push_back(number_at(picture.palette, 3 * stored[0] + c));
    }
    if (!picture.transparency.empty()) {
      pixel.push_back(stored[0] < picture.transparency.size() ? number_at(picture.transparency, stored[0]) : 255);
    }
    return pixel;
  }
  const std::uint32_t stored_max = (1U << picture.kind.bit_depth) - 1;
  const std::uint32_t full = picture.kind.bit_depth == 16 ? 65535 : 255;
  bool is_transparent = true;
  for (std::size_t c = 0; c < channels; ++c) {
    pixel.push_back(stored[c] * full / stored_max);
    if (!picture.transparency.empty()) {
      const std::uint32_t named =
          (number_at(picture.transparency, 2 * c) << 8) | number_at(picture.transparency, 2 * c + 1);
      is_transparent = is_transparent && named == stored[c];
    }
  }
  if (!picture.transparency.empty()) {
    pixel.push_back(is_transparent ? 0 : full);
  }
  return pixel;
}

}  // namespace

Image expected_image(const PngPicture& picture) {
  const PixelFormat format{picture.kind.bit_depth == 16 ? Sample::u16 : Sample::u8,
                           static_cast<int>(expected_pixel(picture, 0).size())};
  return image_of_pixels(static_cast<int>(picture.width), static_cast<int>(picture.height), format,
                         [&](std::size_t i) { return expected_pixel(picture, i); });
}

}  // namespace gpuimg::test

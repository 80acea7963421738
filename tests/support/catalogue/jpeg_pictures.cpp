// The small pictures in the JPEG files of the catalogue: jpeg_pictures.hpp.
#include "support/catalogue/jpeg_pictures.hpp"

#include "support/catalogue/fixed_numbers.hpp"
#include "support/catalogue/jpeg_segments.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

Image small_photo(int channels) {
  FixedNumbers numbers(static_cast<std::uint32_t>(channels));
  return image_of_pixels(19, 11, {Sample::u8, channels}, [&](std::size_t i) {
    std::vector<std::uint32_t> pixel;
    for (int c = 0; c < channels; ++c) {
      pixel.push_back(static_cast<std::uint32_t>(i % 19) * 9 + numbers.below(60));
    }
    return pixel;
  });
}

FileBytes plain_jpeg() {
  JpegChoices choices;
  choices.quality = 60;
  choices.restart_interval = 1;
  return make_jpeg(small_photo(3).view(), choices);
}

FileBytes part_of_plain_jpeg(std::uint32_t marker) {
  std::vector<JpegPart> parts = jpeg_parts(plain_jpeg());
  return part_of(parts, marker).payload;
}

}  // namespace gpuimg::test

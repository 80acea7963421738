// Reading PSD: the merged image, and unsupported features.
#include <gtest/gtest.h>

#include "support/small_format_checks.hpp"

namespace gpuimg {
namespace {

using namespace test;

TEST(PsdReader, ReadsTheMergedImage) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int bits : {8, 16}) {
    for (int channels = 3; channels <= 5; ++channels) {
      for (const bool run_length : {false, true}) {
        const int width = random.between(1, 30);
        const int height = random.between(1, 9);
        const auto count = static_cast<std::size_t>(width * height);
        const Values planes =
            random_values(random, count * static_cast<std::size_t>(channels), run_length ? 3 : 1U << bits);
        const FileBytes file = make_psd(width, height, channels, bits, planes, run_length);
        if (bits == 16 && run_length) {
          EXPECT_TRUE(refuses(file, ErrorKind::unsupported, "16-bit PSD"));
          continue;
        }
        const PixelFormat format{bits == 16 ? Sample::u16 : Sample::u8, 3};
        expect_pixels(file,
                      image_of_pixels(width, height, format,
                                      [&](std::size_t i) {
                                        return Values{planes[i], planes[count + i], planes[2 * count + i]};
                                      }),
                      "PSD", "merged.psd");
        EXPECT_EQ(decode(file).notes.size(), channels > 3 ? 1U : 0U);
      }
    }
  }
}

TEST(PsdReader, NamesUnsupportedFeatures) {
  EXPECT_TRUE(refuses(make_psd(1, 1, 3, 32, Values(3, 0), false), ErrorKind::unsupported, "32-bit PSD"));
  EXPECT_TRUE(refuses(make_psd(1, 1, 4, 8, Values(4, 0), false, 4), ErrorKind::unsupported, "CMYK"));
  EXPECT_TRUE(refuses(make_psd(1, 1, 1, 8, Values(1, 0), false, 1), ErrorKind::unsupported, "grayscale"));
  EXPECT_TRUE(refuses(make_psd(1, 1, 2, 8, Values(2, 0), false), ErrorKind::decode, "2 channels"));
  FileBytes large = make_psd(1, 1, 3, 8, Values(3, 0), false);
  large[5] = std::byte{2};
  EXPECT_TRUE(refuses(large, ErrorKind::unsupported, "PSB"));
}

}  // namespace
}  // namespace gpuimg

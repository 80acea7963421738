// Reading PNM: gray and color with any maximum value, and broken headers.
#include <gtest/gtest.h>

#include "support/small_format_checks.hpp"

namespace gpuimg {
namespace {

using namespace test;

TEST(PnmReader, ReadsGrayAndColorWithAnyMaximumValue) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::uint32_t maximum : {1U, 2U, 100U, 254U, 255U, 256U, 1023U, 4095U, 65534U, 65535U}) {
    for (const int channels : {1, 3}) {
      const int width = random.between(1, 9);
      const int height = random.between(1, 9);
      const auto each = static_cast<std::size_t>(channels);
      const Values values = random_values(random, static_cast<std::size_t>(width * height) * each, maximum + 1);
      const std::string header = std::string(channels == 3 ? "P6" : "P5") + "\n# a comment\n" + std::to_string(width) +
                                 " " + std::to_string(height) + "#another\n \t" + std::to_string(maximum) + "\n";
      const PixelFormat format{maximum > 255 ? Sample::u16 : Sample::u8, channels};
      const std::uint64_t full = format.max_value();
      const int bytes_each = maximum > 255 ? 2 : 1;
      expect_pixels(make_pnm(header, values, bytes_each),
                    image_of_pixels(width, height, format,
                                    [&](std::size_t i) {
                                      Values pixel;
                                      for (std::size_t c = 0; c < each; ++c) {
                                        pixel.push_back(static_cast<std::uint32_t>(
                                            (values[i * each + c] * full * 2 + maximum) / (2 * maximum)));
                                      }
                                      return pixel;
                                    }),
                    "PNM", "any.pnm");
      if (maximum != 255 && maximum != 65535) {
        Values beyond = values;
        beyond.back() = maximum + 1;
        if (maximum + 1 < 256 || bytes_each == 2) {
          EXPECT_TRUE(refuses(make_pnm(header, beyond, bytes_each), ErrorKind::decode, "maximum"));
        }
      }
    }
  }
}

TEST(PnmReader, RefusesBrokenHeaders) {
  for (const char* header : {"P5\n0 1\n255\n", "P5\n1 0\n255\n", "P5\n1 1\n0\n", "P5\n1 1\n65536\n", "P5\nx 1\n255\n",
                             "P5\n-1 1\n255\n", "P5\n99999999999999999999 1\n255\n", "P5\n1 1\n255x"}) {
    EXPECT_TRUE(refuses(make_pnm(header, {1, 2, 3, 4}, 1), ErrorKind::decode)) << header;
  }
  EXPECT_TRUE(refuses(make_pnm("P5\n40000 40000\n255\n", {1}, 1), ErrorKind::unsupported, "--max-pixels"));
}

}  // namespace
}  // namespace gpuimg

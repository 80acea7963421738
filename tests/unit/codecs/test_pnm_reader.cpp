// Reading PNM: gray and color with any maximum value, and broken headers. Writing PNM.
#include <gtest/gtest.h>

#include "codecs/image_writer.hpp"
#include "support/small_format_checks.hpp"

namespace gpuimg::test_pnm_reader {
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
          EXPECT_TRUE(rejects(make_pnm(header, beyond, bytes_each), ErrorKind::decode, "maximum"));
        }
      }
    }
  }
}

TEST(PnmReader, RejectsBrokenHeaders) {
  for (const char* header : {"P5\n0 1\n255\n", "P5\n1 0\n255\n", "P5\n1 1\n0\n", "P5\n1 1\n65536\n", "P5\nx 1\n255\n",
                             "P5\n-1 1\n255\n", "P5\n99999999999999999999 1\n255\n", "P5\n1 1\n255x"}) {
    EXPECT_TRUE(rejects(make_pnm(header, {1, 2, 3, 4}, 1), ErrorKind::decode)) << header;
  }
  EXPECT_TRUE(rejects(make_pnm("P5\n40000 40000\n255\n", {1}, 1), ErrorKind::unsupported, "--max-pixels"));
}

TEST(PnmWriter, WritesEveryFormatExactly) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    for (const int width : {1, 13, 200000}) {
      const Image image = random_image(random, width, 3, format);
      const FileBytes file = codecs::encode_image(image.view(), codecs::FileFormat::pnm, "a.pnm", {});
      EXPECT_EQ(file[1], static_cast<std::byte>(format.has_alpha() ? '7' : format.channels == 3 ? '6' : '5'));
      expect_pixels(file, image, "PNM", "a.pnm");
    }
  }
}

TEST(PnmWriter, WritesRowsWithoutTheirPadding) {
  const std::vector<std::uint16_t> samples = {0x0102, 0x0304, 0xFFFF, 0x0506, 0x0708, 0xFFFF};
  const ConstView padded{reinterpret_cast<const std::byte*>(samples.data()), 2, 2, 6, {Sample::u16, 1}};
  FileBytes expected = bytes_of("P5\n2 2\n65535\n");
  add_be(expected, 0x0102030405060708, 8);
  EXPECT_EQ(codecs::encode_image(padded, codecs::FileFormat::pnm, "a.pgm", {}), expected);
}

}  // namespace
}  // namespace gpuimg::test_pnm_reader

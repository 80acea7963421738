// The size that a file declares, before it is read. A batch plans its memory with it.
#include <gtest/gtest.h>

#include "codecs/declared_image.hpp"
#include "support/jpeg_maker.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
using namespace codecs;

namespace {

TEST(DeclaredImage, ReadsTheSizeOfEveryFormat) {
  const std::vector<std::uint32_t> values(6 * 3, 1);
  const auto pixels = [](const test::FileBytes& bytes, const std::string& name = "x") {
    return declared_image(std::as_bytes(std::span(bytes)), name).pixels();
  };
  test::BmpChoices bmp;
  bmp.top_down = true;
  EXPECT_EQ(pixels(test::make_bmp(3, 2, 24, values, bmp)), 6U);
  bmp.top_down = false;
  for (const int header : {12, 40, 124}) {
    bmp.header_bytes = header;
    EXPECT_EQ(pixels(test::make_bmp(3, 2, 24, values, bmp)), 6U) << header;
  }
  test::GifFrame frame;
  frame.indices = {0};
  EXPECT_EQ(pixels(test::make_tga(2, 3, 2, 24, values), "x.tga"), 6U);
  EXPECT_EQ(pixels(test::make_gif(3, 2, {0, 1}, {frame})), 6U);
  EXPECT_EQ(pixels(test::make_psd(3, 2, 3, 8, values, false)), 6U);
  EXPECT_EQ(pixels(test::make_pnm("P6\n# a comment\n3 # another\n2\n255\n", values, 1)), 6U);
  EXPECT_EQ(pixels(test::make_pnm("P5\v3\f2#\r255 ", values, 1)), 6U);
  EXPECT_EQ(pixels(test::make_pnm("P6\n3", {}, 1)), 0U);
  EXPECT_EQ(pixels(test::make_tga(3, 1, 1, 8, {1}), "x.tga"), 1U);  // shorter than the headers of other formats
  EXPECT_EQ(declared_image({}, "x").pixels(), 0U);
  EXPECT_EQ(declared_image_in("/dev/null").pixels(), 0U);
  EXPECT_EQ(declared_image_in("/nowhere").pixels(), 0U);
}

/// With several scans, the decoder keeps all coefficients.
TEST(DeclaredImage, CountsCoefficientsThatJpegKeeps) {
  const Image color = test::constant_image(20, 10, {Sample::u8, 3}, 77);
  const Image gray = test::constant_image(20, 10, {Sample::u8, 1}, 77);
  const auto kept = [](const Image& image, const test::JpegChoices& choices) {
    return declared_image(test::make_jpeg(image.view(), choices), "x").decoder_bytes_per_pixel;
  };
  EXPECT_EQ(kept(color, {}), 0U);
  EXPECT_EQ(kept(gray, {}), 0U);
  EXPECT_EQ(kept(color, {.progressive = true}), 6U);
  EXPECT_EQ(kept(color, {.separate_scans = true}), 6U);
}

TEST(DeclaredImage, FindsTheSizeAfterLongMetadata) {
  const test::TemporaryFolder folder;
  const test::FileBytes jpeg = test::make_jpeg(test::constant_image(20, 10, {Sample::u8, 3}, 77).view());
  for (const int segments : {0, 1, 10, 70, 200}) {
    test::FileBytes file(jpeg.begin(), jpeg.begin() + 2);
    for (int i = 0; i < segments; ++i) {
      test::add_be(file, 0xFFEFFFFF, 4);
      file.resize(file.size() + 65533);
    }
    test::add_bytes(file, std::span(jpeg).subspan(2));
    test::put_text(folder / "in", std::string(reinterpret_cast<const char*>(file.data()), file.size()));
    EXPECT_EQ(declared_image_in(folder / "in").pixels(), 200U) << segments;
  }
  const std::string comment = "P5\n#" + std::string(std::size_t{6} << 20, 'x') + "\n3 2\n255\n123456";
  test::put_text(folder / "in", comment);
  EXPECT_EQ(declared_image_in(folder / "in").pixels(), 6U);
}

}  // namespace
}  // namespace gpuimg

// The writers of JPEG, BMP and TGA. libjpeg decodes the JPEG files; simple decoders in this test decode BMP and TGA.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "codecs/image_writer.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_writer {
using namespace codecs;

namespace {

using test::Random;

std::vector<std::byte> encoded(ConstView pixels, FileFormat type, int quality = 90) {
  WriteOptions options;
  options.jpeg_quality = quality;
  return encode_image(pixels, type, "t", options);
}

struct JpegContent {
  Image image;
  int luma_sampling = 1;           ///< 2: chroma has half the width
  int luma_vertical_sampling = 1;  ///< 2: chroma has half the height
};

/// libjpeg's default error handler exits, which fails the test.
JpegContent decoded_jpeg(const std::vector<std::byte>& bytes) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  JpegContent content{Image(static_cast<int>(info.output_width), static_cast<int>(info.output_height),
                            {Sample::u8, info.output_components}),
                      info.comp_info[0].h_samp_factor, info.comp_info[0].v_samp_factor};
  while (info.output_scanline < info.output_height) {
    JSAMPLE* row = content.image.view().row<JSAMPLE>(static_cast<int>(info.output_scanline));
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  EXPECT_EQ(errors.num_warnings, 0);
  jpeg_destroy_decompress(&info);
  return content;
}

double mean_difference(ConstView a, ConstView b) {
  double sum = 0;
  for (int y = 0; y < a.height; ++y) {
    for (std::size_t i = 0; i < a.tight_pitch_bytes(); ++i) {
      sum += std::abs(int{a.row<std::uint8_t>(y)[i]} - int{b.row<std::uint8_t>(y)[i]});
    }
  }
  return sum / static_cast<double>(a.tight_pitch_bytes() * static_cast<std::size_t>(a.height));
}

std::uint32_t number_at(const std::vector<std::byte>& file, std::size_t offset, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::to_integer<std::uint32_t>(file[offset + i]) << (8 * i);
  }
  return value;
}

/// Files store the bottom row first, and blue before red. One or two channels are gray, without or with alpha.
void set_pixel(Image& image, int x, int y_from_bottom, std::span<const std::byte> pixel) {
  const int channels = image.format().channels;
  for (int c = 0; c < channels; ++c) {
    const int from = channels >= 3 && c < 3 ? 2 - c : c;
    test::set_sample(image.view(), x, image.height() - 1 - y_from_bottom, c,
                     std::to_integer<std::uint32_t>(pixel[static_cast<std::size_t>(from)]));
  }
}

/// Decodes 24 bits per pixel, or 32 bits with masks in the order of set_pixel.
Image decoded_bmp(const std::vector<std::byte>& file) {
  const int channels = static_cast<int>(number_at(file, 28, 2)) / 8;
  Image image(static_cast<int>(number_at(file, 18, 4)), static_cast<int>(number_at(file, 22, 4)),
              {Sample::u8, channels});
  EXPECT_EQ(number_at(file, 2, 4), file.size());
  EXPECT_EQ(number_at(file, 30, 4), channels == 4 ? 3U : 0U);
  const std::size_t start = number_at(file, 10, 4);
  const std::size_t pitch = (image.pitch_bytes() + 3) / 4 * 4;
  EXPECT_EQ(file.size(), start + pitch * static_cast<std::size_t>(image.height()));
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      set_pixel(image, x, y,
                std::span(file).subspan(start + static_cast<std::size_t>(y) * pitch +
                                        static_cast<std::size_t>(x * channels)));
    }
  }
  return image;
}

/// Decodes a run-length encoded file, gray (kind 11) or color (kind 10).
Image decoded_tga(const std::vector<std::byte>& file) {
  const std::size_t pixel_bytes = number_at(file, 16, 1) / 8;
  EXPECT_EQ(number_at(file, 2, 1), pixel_bytes <= 2 ? 11U : 10U);
  EXPECT_EQ(number_at(file, 17, 1), pixel_bytes % 2 == 0 ? 8U : 0U);
  Image image(static_cast<int>(number_at(file, 12, 2)), static_cast<int>(number_at(file, 14, 2)),
              {Sample::u8, static_cast<int>(pixel_bytes)});
  std::size_t at = 18;
  std::uint32_t packet = 0;
  std::uint32_t left = 0;
  for (int i = 0; i < image.width() * image.height(); ++i, --left) {
    if (left == 0) {
      packet = number_at(file, at++, 1);
      left = (packet & 127) + 1;
    } else if (packet < 128) {
      at += pixel_bytes;
    }
    set_pixel(image, i % image.width(), i / image.width(), std::span(file).subspan(at, pixel_bytes));
    at += left == 1 ? pixel_bytes : 0;
  }
  EXPECT_EQ(at, file.size());
  return image;
}

/// A copy of the pixels with `gap` bytes between the rows.
struct WideRows {
  std::vector<std::byte> memory;
  ConstView view;

  WideRows(ConstView pixels, std::size_t gap)
      : memory((pixels.tight_pitch_bytes() + gap) * static_cast<std::size_t>(pixels.height)),
        view{memory.data(), pixels.width, pixels.height, pixels.tight_pitch_bytes() + gap, pixels.format} {
    for (int y = 0; y < pixels.height; ++y) {
      std::memcpy(memory.data() + static_cast<std::size_t>(y) * view.pitch_bytes, pixels.row_bytes(y),
                  pixels.tight_pitch_bytes());
    }
  }
};

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(JpegWriter, GrayAndColorRoundTripClosely) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(17, 15), std::pair(1, 300), std::pair(640, 401)}) {
      const Image image = test::constant_image(width, height, {Sample::u8, channels}, random.below(256));
      const JpegContent content = decoded_jpeg(encoded(image.view(), FileFormat::jpeg));
      ASSERT_EQ(content.image.format(), image.format());
      ASSERT_EQ(content.image.width(), width);
      ASSERT_EQ(content.image.height(), height);
      EXPECT_LE(mean_difference(content.image.view(), image.view()), 2.0);
      EXPECT_EQ(content.luma_sampling, channels == 1 ? 1 : 2);
    }
  }
}

TEST(JpegWriter, QualityTradesSizeForFidelity) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::smooth_image(random, 600, 500, {Sample::u8, 1});
  const std::vector<std::byte> low = encoded(image.view(), FileFormat::jpeg, 10);
  const std::vector<std::byte> high = encoded(image.view(), FileFormat::jpeg, 100);
  EXPECT_LT(low.size(), high.size());
  EXPECT_LT(mean_difference(decoded_jpeg(high).image.view(), image.view()), 1.0);
  EXPECT_LE(mean_difference(decoded_jpeg(high).image.view(), image.view()),
            mean_difference(decoded_jpeg(low).image.view(), image.view()));
  for (const int quality : {0, 101}) {
    EXPECT_THROW(encoded(image.view(), FileFormat::jpeg, quality), Error);
  }
}

TEST(JpegWriter, SubsamplesAsAsked) {
  Random random;
  SCOPED_TRACE(random.trace());
  const struct {
    ChromaSubsampling subsampling;
    int width, height;
  } cases[] = {{ChromaSubsampling::s444, 1, 1},
               {ChromaSubsampling::s422, 2, 1},
               {ChromaSubsampling::s440, 1, 2},
               {ChromaSubsampling::s420, 2, 2}};
  for (const auto& expected : cases) {
    for (const int channels : {1, 3}) {
      const Image image = test::any_image(random, 37, 29, {Sample::u8, channels});
      WriteOptions options;
      options.jpeg_subsampling = expected.subsampling;
      const JpegContent content = decoded_jpeg(encode_image(image.view(), FileFormat::jpeg, "t", options));
      EXPECT_EQ(content.luma_sampling, channels == 1 ? 1 : expected.width);
      EXPECT_EQ(content.luma_vertical_sampling, channels == 1 ? 1 : expected.height);
    }
  }
}

TEST(StbWriter, BmpAndTgaRoundTripExactly) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(1, 9), std::pair(17, 16), std::pair(301, 200)}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image image = test::any_image(random, width, height, {Sample::u8, channels});
      EXPECT_TRUE(test::same_pixels(decoded_tga(encoded(image.view(), FileFormat::tga)).view(), image.view()));
      if (channels >= 3) {
        EXPECT_TRUE(test::same_pixels(decoded_bmp(encoded(image.view(), FileFormat::bmp)).view(), image.view()));
      }
    }
    const Image gray = test::any_image(random, width, height, {Sample::u8, 1});
    const Image back = decoded_bmp(encoded(gray.view(), FileFormat::bmp));
    ASSERT_EQ(back.format().channels, 3);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < 3; ++c) {
          ASSERT_EQ(test::sample_at(back.view(), x, y, c), test::sample_at(gray.view(), x, y, 0));
        }
      }
    }
  }
}

TEST(EveryWriter, PitchDoesNotMatter) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = test::any_image(random, 131, 70, {Sample::u8, 3});
  const WideRows wide(image.view(), 1 + random.below(50));
  for (const Codec& codec : codecs::codecs()) {
    if (codec.is_written()) {
      EXPECT_EQ(text_of(encoded(wide.view, codec.format)), text_of(encoded(image.view(), codec.format))) << codec.name;
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_jpeg_writer

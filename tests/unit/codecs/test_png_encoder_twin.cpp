// Runs the device's PNG encoder on the host. Its files must equal the host's, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "codecs/deflate/rfc1951.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/png/png_filter.hpp"
#include "png/checksums.hpp"
#include "png/row_filter.hpp"
#include "support/png_encoder_twin.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_encoder_twin {
using namespace codecs;
using namespace codecs::deflate;
using namespace codecs::png;

namespace {

using namespace test;

constexpr PixelFormat kFormats[] = {{Sample::u8, 1},  {Sample::u8, 2},  {Sample::u8, 3},  {Sample::u8, 4},
                                    {Sample::u16, 1}, {Sample::u16, 2}, {Sample::u16, 3}, {Sample::u16, 4}};

void expect_same(const Image& image, int level, bool one_bit = false) {
  WriteOptions options;
  options.png_level = level;
  options.one_bit = one_bit;
  ASSERT_EQ(difference_of_png_encoder_twin(image.view(), options), "")
      << image.width() << "x" << image.height() << "x" << image.format().channels << " of "
      << 8 * sample_bytes(image.format().sample) << " bits, level " << level;
}

void expect_same(const Image& image) {
  for (const int level : {0, 1}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(image, level));
  }
}

/// Rectangles of one color, with edges that repeat from row to row.
Image drawing(Random& random, int width, int height, PixelFormat format) {
  Image image = constant_image(width, height, format, 200);
  const std::size_t pixel = format.bytes_per_pixel();
  for (int i = 0; i < 40; ++i) {
    const int left = random.between(0, width - 1);
    const int top = random.between(0, height - 1);
    const int right = random.between(left, width - 1);
    const int bottom = random.between(top, height - 1);
    const Image color = random_image(random, 1, 1, format);
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        std::memcpy(image.view().row_bytes(y) + static_cast<std::size_t>(x) * pixel, color.view().data, pixel);
      }
    }
  }
  return image;
}

/// A repeated tile with noise: matches at many distances.
Image tiled(Random& random, int width, int height, PixelFormat format) {
  const Image tile = random_image(random, random.between(5, 60), random.between(1, 20), format);
  Image image(width, height, format);
  const std::size_t pixel = format.bytes_per_pixel();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::byte* from =
          tile.view().row_bytes(y % tile.height()) + static_cast<std::size_t>(x % tile.width()) * pixel;
      std::memcpy(image.view().row_bytes(y) + static_cast<std::size_t>(x) * pixel, from, pixel);
      if (random.below(90) == 0) {
        image.view().row_bytes(y)[static_cast<std::size_t>(x) * pixel] ^= std::byte{1};
      }
    }
  }
  return image;
}

TEST(PngEncoderTwin, MatchesTheHostForSmallSizesOfEveryFormat) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : kFormats) {
    for (int width = 1; width <= 40; width += random.between(1, 3)) {
      for (int height = 1; height <= 40; height += random.between(1, 9)) {
        ASSERT_NO_FATAL_FAILURE(expect_same(any_image(random, width, height, format)));
      }
    }
  }
}

TEST(PngEncoderTwin, MatchesTheHostForSeveralPartsAndStripsOfEveryFormat) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : kFormats) {
    const int width = random.between(300, 1200);
    const int height = 700000 / (width * static_cast<int>(format.bytes_per_pixel())) + 1;
    ASSERT_NO_FATAL_FAILURE(expect_same(any_image(random, width, height, format)));
    ASSERT_NO_FATAL_FAILURE(expect_same(drawing(random, width, height, format)));
    ASSERT_NO_FATAL_FAILURE(expect_same(tiled(random, width, height, format)));
  }
}

TEST(PngEncoderTwin, MatchesTheHostForOneBit) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int width : {1, 7, 8, 9, 63, 64, 65, 1001, 16385}) {
    const Image image = black_and_white_image(random, width, width > 1000 ? 300 : 20, {Sample::u8, 1});
    ASSERT_NO_FATAL_FAILURE(expect_same(image, 1, true));
    ASSERT_NO_FATAL_FAILURE(expect_same(image, 0, true));
  }
}

TEST(PngEncoderTwin, MatchesTheHostForPhotosNoiseAndFlatImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(photo_like_image(random, 911, 400, channels)));
  }
  for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, {Sample::u16, 4}}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(random_image(random, 700, 300, format)));  // becomes stored blocks
    ASSERT_NO_FATAL_FAILURE(expect_same(constant_image(700, 300, format, 77)));    // becomes blocks of one part
    ASSERT_NO_FATAL_FAILURE(expect_same(black_and_white_image(random, 500, 200, format)));
  }
}

/// A row forms a strip of several blocks; the last strip can be shorter.
TEST(PngEncoderTwin, MatchesTheHostForLongRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int width : {43687, 43688, 87375, 87376, 131072, 200001}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(tiled(random, width, 3, {Sample::u8, 3})));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(random_image(random, 600001, 1, {Sample::u8, 1})));
  ASSERT_NO_FATAL_FAILURE(expect_same(drawing(random, 300000, 2, {Sample::u8, 1}), 1));
  ASSERT_NO_FATAL_FAILURE(expect_same(tiled(random, 1, 140000, {Sample::u8, 3})));
}

TEST(PngEncoderTwin, LeavesOtherLevelsToTheHost) {
  WriteOptions options;
  for (const int level : {2, 3}) {
    options.png_level = level;
    EXPECT_FALSE(codecs::backend_encoding(9, 9, {Sample::u8, 3}, FileFormat::png, options));
  }
  EXPECT_FALSE(encode_with_twin(constant_image(9, 9, {Sample::u8, 3}, 7).view(), {.level = 2}));
}

/// Compares the device's filters, which process words of four bytes, with the host's, which process vectors.
TEST(PngEncoderTwin, FiltersMatchTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 20000; ++round) {
    std::uint8_t current[5];
    std::uint8_t above[5];
    for (int i = 0; i < 5; ++i) {
      const bool is_extreme = random.below(3) == 0;
      current[i] = static_cast<std::uint8_t>(is_extreme ? 255 * random.below(2) : random.below(256));
      above[i] = static_cast<std::uint8_t>(random.below(4) == 0 ? current[i] : random.below(256));
    }
    gpuimg::png::Neighbors n{};
    std::memcpy(&n.value, current + 1, 4);
    std::memcpy(&n.left, current, 4);
    std::memcpy(&n.up, above + 1, 4);
    std::memcpy(&n.corner, above, 4);
    for (int filter = 0; filter < gpuimg::png::kFilterCount; ++filter) {
      std::uint8_t expected[5];
      filter_row(static_cast<PngFilter>(filter), {current, above, 5, 1}, expected);
      const std::uint32_t found = gpuimg::png::residues(filter, n);
      ASSERT_EQ(std::memcmp(&found, expected + 1, 4), 0) << filter;
    }
  }
}

TEST(PngEncoderTwin, CostsAreRightForAllResidues) {
  for (std::uint32_t value = 0; value < 256; ++value) {
    const std::uint32_t size = std::min(value, 256 - value);
    EXPECT_EQ(gpuimg::png::cost_of(value << 16 | 0xFFU), std::min(size, 8U) + 1);
  }
}

/// Compares the arithmetic of the encoders with the tables of the decoder.
TEST(DeflateFormat, CodedValuesAgreeWithTheRanges) {
  for (std::uint32_t i = 0; i < kLengthRanges.size(); ++i) {
    const std::uint32_t symbol = kFirstLengthSymbol + i;
    EXPECT_EQ(literal_extra_bits(symbol), kLengthRanges[i].extra_bits);
    const std::uint32_t last =
        i + 1 < kLengthRanges.size() ? std::min(kLengthRanges[i].last(), kMaxMatchLength - 1) : kMaxMatchLength;
    for (std::uint32_t length = kLengthRanges[i].base; length <= last; ++length) {
      EXPECT_EQ(coded_length(length).symbol, symbol) << length;
      EXPECT_EQ(coded_length(length).extra, length - kLengthRanges[i].base) << length;
    }
  }
  for (std::uint32_t symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    EXPECT_EQ(distance_extra_bits(symbol), kDistanceRanges[symbol].extra_bits);
    for (const std::uint32_t distance : {kDistanceRanges[symbol].base, kDistanceRanges[symbol].last()}) {
      EXPECT_EQ(coded_distance(distance).symbol, symbol) << distance;
      EXPECT_EQ(coded_distance(distance).extra, distance - kDistanceRanges[symbol].base) << distance;
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_png_encoder_twin

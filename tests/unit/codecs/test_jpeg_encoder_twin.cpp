// Runs the device's JPEG encoder on the host. Its files must equal libjpeg-turbo's, byte for byte.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "support/jpeg_encoder_twin.hpp"
#include "support/metadata_maker.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_encoder_twin {
using namespace codecs;

namespace {

using namespace test;

constexpr ChromaSubsampling kSubsamplings[] = {ChromaSubsampling::s444, ChromaSubsampling::s422,
                                               ChromaSubsampling::s440, ChromaSubsampling::s420};

EncoderTwinChoices any_choices(Random& random) {
  return {.tile_blocks = static_cast<std::uint32_t>(random.between(1, 9)), .piece_bytes = 16U << random.below(4)};
}

void expect_taken(const Image& image, const WriteOptions& options, const EncoderTwinChoices& choices = {}) {
  int taken = 0;
  ASSERT_EQ(difference_of_jpeg_encoder_twin(image.view(), options, choices, &taken), "")
      << image.width() << "x" << image.height() << "x" << image.format().channels << ", quality "
      << options.jpeg_quality;
  ASSERT_EQ(taken, 1);
}

TEST(JpegEncoderTwin, MatchesLibjpegForEveryQualityAndSampling) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int quality = 1; quality <= 100; ++quality) {
    for (const ChromaSubsampling subsampling : kSubsamplings) {
      const int width = random.between(1, 70);
      const int height = random.between(1, 50);
      const int channels = random.below(5) == 0 ? 1 : 3;
      WriteOptions options;
      options.jpeg_quality = quality;
      options.jpeg_subsampling = subsampling;
      ASSERT_NO_FATAL_FAILURE(expect_taken(any_image(random, width, height, {Sample::u8, channels}), options));
      ASSERT_NO_FATAL_FAILURE(expect_taken(black_and_white_image(random, width, height, {Sample::u8, channels}),
                                           options, any_choices(random)));
      ASSERT_NO_FATAL_FAILURE(expect_taken(photo_like_image(random, width, height, channels), options));
    }
  }
}

TEST(JpegEncoderTwin, MatchesLibjpegForEverySmallSize) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int width = 1; width <= 40; ++width) {
    for (int height = 1; height <= 40; ++height) {
      WriteOptions options;
      options.jpeg_quality = random.between(1, 100);
      for (const ChromaSubsampling subsampling : kSubsamplings) {
        options.jpeg_subsampling = subsampling;
        const Image image = random_image(random, width, height, {Sample::u8, 3});
        ASSERT_NO_FATAL_FAILURE(expect_taken(image, options, any_choices(random)));
      }
      ASSERT_NO_FATAL_FAILURE(expect_taken(random_image(random, width, height, {Sample::u8, 1}), options));
    }
  }
}

TEST(JpegEncoderTwin, MatchesLibjpegForFlatImagesOfEveryLevel) {
  for (std::uint32_t level = 0; level < 256; ++level) {
    WriteOptions options;
    options.jpeg_quality = 100;
    for (const int channels : {1, 3}) {
      ASSERT_NO_FATAL_FAILURE(expect_taken(constant_image(19, 18, {Sample::u8, channels}, level), options));
    }
  }
}

TEST(JpegEncoderTwin, MatchesLibjpegForKeptEncodings) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 300; ++round) {
    const int channels = random.below(4) == 0 ? 1 : 3;
    JpegEncoding encoding = any_encoding(random, channels);
    if (round % 10 == 0) {
      encoding.components.front().horizontal_sampling = 4;  // 4:1:1 is left to the host
    }
    ASSERT_TRUE(is_writable_sampling(encoding));
    WriteOptions options;
    options.source_encoding = std::make_shared<JpegEncoding>(encoding);
    const Image image = any_image(random, random.between(1, 60), random.between(1, 60), {Sample::u8, channels});
    ASSERT_EQ(difference_of_jpeg_encoder_twin(image.view(), options, any_choices(random), &taken), "") << round;
  }
  EXPECT_GT(taken, 250);
  EXPECT_LT(taken, 300);
}

TEST(JpegEncoderTwin, MatchesLibjpegForMetadataAndRestartMarkers) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const Image image = smooth_image(random, 50, 40, {Sample::u8, channels});
    WriteOptions options;
    options.metadata = full_metadata(image.format(), 200000);
    ASSERT_NO_FATAL_FAILURE(expect_taken(image, options));
    options.jpeg_restart_interval = 2;
    EXPECT_FALSE(backend_encoding(50, 40, image.format(), FileFormat::jpeg, options));
    EXPECT_FALSE(backend_encoding(50, 40, image.format(), FileFormat::bmp, WriteOptions()));
  }
}

TEST(JpegEncoderTwin, MatchesLibjpegForManyTiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const ChromaSubsampling subsampling : kSubsamplings) {
    WriteOptions options;
    options.jpeg_subsampling = subsampling;
    options.jpeg_quality = random.between(50, 100);
    const Image image = photo_like_image(random, random.between(500, 700), random.between(300, 500), 3);
    ASSERT_NO_FATAL_FAILURE(expect_taken(image, options));
  }
}

TEST(JpegEncoderTwin, LeavesOtherPixelsToTheHost) {
  const JpegScanFormat gray;
  for (const PixelFormat format : {PixelFormat{Sample::u16, 1}, {Sample::u8, 2}, {Sample::u8, 3}, {Sample::u8, 4}}) {
    EXPECT_FALSE(encode_with_twin(constant_image(9, 9, format, 7).view(), gray));
  }
  EXPECT_FALSE(encode_with_twin(constant_image(9, 9, {Sample::u8, 1}, 7).view(), gray)) << "steps of 0";
}

}  // namespace
}  // namespace gpuimg::test_jpeg_encoder_twin

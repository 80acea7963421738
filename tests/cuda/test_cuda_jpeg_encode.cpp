// JPEG files encoded on the device equal libjpeg-turbo's files, byte for byte.
// tests/unit/codecs/test_jpeg_encoder_twin.cpp tests the same functions on the host.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backends.hpp"
#include "codecs/image_writer.hpp"
#include "gpuimg/error.hpp"
#include "support/encoded_bytes.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using codecs::ChromaSubsampling;
using codecs::WriteOptions;

constexpr ChromaSubsampling kSubsamplings[] = {ChromaSubsampling::s444, ChromaSubsampling::s422,
                                               ChromaSubsampling::s440, ChromaSubsampling::s420};

WriteOptions options_of(int quality, ChromaSubsampling subsampling) {
  WriteOptions options;
  options.jpeg_quality = quality;
  options.jpeg_subsampling = subsampling;
  return options;
}

/// Describes how the backend's file differs from the host's; empty if they are equal.
std::string difference_on(Backend& backend, const Picture& picture, ConstView pixels, const WriteOptions& options) {
  const std::optional<Encoding> as =
      codecs::backend_encoding(pixels.width, pixels.height, pixels.format, codecs::FileFormat::jpeg, options);
  const std::optional<Encoded> encoded = as ? backend.encode(picture, *as) : std::nullopt;
  return encoded ? difference_of_encoded(encoded->span(), pixels, codecs::FileFormat::jpeg, options)
                 : "left to the host";
}

class CudaJpegEncode : public CudaTest {
 protected:
  static void expect_same(const Image& image, const WriteOptions& options) {
    ASSERT_EQ(difference_on(gpu(), gpu().upload(image.view()), image.view(), options), "")
        << image.width() << "x" << image.height() << "x" << image.format().channels << ", quality "
        << options.jpeg_quality << ", subsampling "
        << static_cast<int>(options.jpeg_subsampling.value_or(ChromaSubsampling::s420));
  }
};

/// Has few cases, because compute-sanitizer also runs this test. The images are two tiles wide; the first tile is
/// loaded in words.
TEST_F(CudaJpegEncode, OneOfEverySampling) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const ChromaSubsampling subsampling : kSubsamplings) {
    ASSERT_NO_FATAL_FAILURE(expect_same(photo_like_image(random, 157, 43, 3), options_of(90, subsampling)));
    ASSERT_NO_FATAL_FAILURE(
        expect_same(black_and_white_image(random, 61, 50, {Sample::u8, 3}), options_of(100, subsampling)));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(photo_like_image(random, 145, 61, 1), options_of(90, ChromaSubsampling::s420)));
}

TEST_F(CudaJpegEncode, EveryQuality) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int quality = 1; quality <= 100; ++quality) {
    for (const ChromaSubsampling subsampling : kSubsamplings) {
      const PixelFormat format{Sample::u8, random.below(5) == 0 ? 1 : 3};
      const Image image = any_image(random, random.between(1, 300), random.between(1, 60), format);
      ASSERT_NO_FATAL_FAILURE(expect_same(image, options_of(quality, subsampling)));
    }
  }
}

TEST_F(CudaJpegEncode, SmallSizes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int width = 1; width <= 40; ++width) {
    for (int height = 1; height <= 40; height += random.between(1, 4)) {
      for (const ChromaSubsampling subsampling : kSubsamplings) {
        const PixelFormat format{Sample::u8, random.below(8) == 0 ? 1 : 3};
        const Image image = random_image(random, width, height, format);
        ASSERT_NO_FATAL_FAILURE(expect_same(image, options_of(random.between(1, 100), subsampling)));
      }
    }
  }
}

/// Rows that begin at each byte of a word, and last tiles of every width.
TEST_F(CudaJpegEncode, WidthsAroundTiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int width = 120; width <= 270; ++width) {
    for (const ChromaSubsampling subsampling : kSubsamplings) {
      for (const int channels : {1, 3}) {
        const Image image = random_image(random, width, random.between(1, 40), {Sample::u8, channels});
        ASSERT_NO_FATAL_FAILURE(expect_same(image, options_of(random.between(1, 100), subsampling)));
      }
    }
  }
}

TEST_F(CudaJpegEncode, KeptEncodings) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 200; ++round) {
    const int channels = random.below(4) == 0 ? 1 : 3;
    WriteOptions options;
    options.source_encoding = std::make_shared<codecs::JpegEncoding>(any_encoding(random, channels));
    const Image image = any_image(random, random.between(1, 500), random.between(1, 90), {Sample::u8, channels});
    ASSERT_NO_FATAL_FAILURE(expect_same(image, options));
  }
}

/// More tiles than the kernel that sums their sizes handles in one iteration.
TEST_F(CudaJpegEncode, LargePhotos) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const ChromaSubsampling subsampling : kSubsamplings) {
    const int width = random.between(5000, 5400);
    ASSERT_NO_FATAL_FAILURE(
        expect_same(photo_like_image(random, width, 3111, 3), options_of(random.between(40, 95), subsampling)));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(constant_image(5120, 2880, {Sample::u8, 3}, 200), WriteOptions()));
}

/// More bits than the first allocation holds, and more than a tile's buffer in shared memory holds.
TEST_F(CudaJpegEncode, NoiseNeedsMoreRoom) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const ChromaSubsampling subsampling : kSubsamplings) {
    ASSERT_NO_FATAL_FAILURE(
        expect_same(black_and_white_image(random, 1500, 1100, {Sample::u8, 3}), options_of(100, subsampling)));
  }
  // Noise in only some of the tiles.
  Image image = constant_image(1600, 1200, {Sample::u8, 3}, 90);
  const Image noise = black_and_white_image(random, 1600, 100, {Sample::u8, 3});
  std::copy_n(noise.view().data, noise.size_bytes(), image.view().row_bytes(random.between(0, 1100)));
  ASSERT_NO_FATAL_FAILURE(expect_same(image, options_of(100, ChromaSubsampling::s444)));
}

TEST_F(CudaJpegEncode, ResultsOfOperations) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const Image image = photo_like_image(random, 333, 222, channels);
    const Picture equalized = gpu().equalize(gpu().upload(image.view()), {});
    const Image expected = cpu().download(cpu().equalize(cpu().upload(image.view()), {}));
    EXPECT_EQ(difference_on(gpu(), equalized, expected.view(), WriteOptions()), "");
    EXPECT_TRUE(same_pixels(gpu().download(equalized).view(), expected.view())) << "the picture is unchanged";
  }
}

TEST_F(CudaJpegEncode, OtherPixelsAreLeftToTheHost) {
  const Encoding as = codecs::backend_encoding(9, 9, {Sample::u8, 3}, codecs::FileFormat::jpeg, {}).value();
  for (const PixelFormat format : {PixelFormat{Sample::u16, 3}, {Sample::u8, 1}, {Sample::u8, 4}}) {
    EXPECT_FALSE(gpu().encode(gpu().upload(constant_image(9, 9, format, 7).view()), as));
  }
  EXPECT_FALSE(cpu().encode(cpu().upload(constant_image(9, 9, {Sample::u8, 3}, 7).view()), as));
}

void encode_by_turns(const std::vector<Image>& images, std::string& failure) {
  try {
    const std::unique_ptr<Backend> backend = make_tested_backend();
    for (int round = 0; round < 10 && failure.empty(); ++round) {
      for (const Image& image : images) {
        failure += difference_on(*backend, backend->upload(image.view()), image.view(), WriteOptions());
      }
    }
  } catch (const Error& error) {
    failure = error.what();
  }
}

TEST_F(CudaJpegEncode, FourBackendsOnFourThreads) {
  constexpr std::size_t kThreads = 4;
  Random random;
  SCOPED_TRACE(random.trace());
  std::array<std::vector<Image>, kThreads> images;
  for (std::vector<Image>& own : images) {
    for (int i = 0; i < 6; ++i) {
      own.push_back(photo_like_image(random, random.between(1, 900), random.between(1, 900), 3));
    }
  }
  std::array<std::string, kThreads> failures;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back(encode_by_turns, std::cref(images[i]), std::ref(failures[i]));
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& failure : failures) {
    EXPECT_EQ(failure, "");
  }
}

}  // namespace
}  // namespace gpuimg::test

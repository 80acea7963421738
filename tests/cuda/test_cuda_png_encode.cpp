// PNG files encoded on the device equal the host's files, byte for byte. tests/unit/codecs/test_png_encoder_twin.cpp
// tests the same functions on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
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

using codecs::FileFormat;
using codecs::WriteOptions;

constexpr PixelFormat kFormats[] = {{Sample::u8, 1},  {Sample::u8, 2},  {Sample::u8, 3},  {Sample::u8, 4},
                                    {Sample::u16, 1}, {Sample::u16, 2}, {Sample::u16, 3}, {Sample::u16, 4}};

WriteOptions options_of(int level, bool one_bit) {
  WriteOptions options;
  options.png_level = level;
  options.one_bit = one_bit;
  return options;
}

/// Describes how the backend's file differs from the host's; empty if they are equal.
std::string difference_on(Backend& backend, const Picture& picture, ConstView pixels, int level, bool one_bit = false) {
  const WriteOptions options = options_of(level, one_bit);
  const std::optional<Encoding> as =
      codecs::backend_encoding(pixels.width, pixels.height, pixels.format, FileFormat::png, options);
  const std::optional<Encoded> encoded = as ? backend.encode(picture, *as) : std::nullopt;
  return encoded ? difference_of_encoded(encoded->span(), pixels, FileFormat::png, options) : "left to the host";
}

/// Noise with few values, and rows that repeat earlier rows: gives many short matches at all distances.
Image repeating_image(Random& random, int width, int height, PixelFormat format) {
  Image image = posterized_image(random, width, height, format);
  for (int y = 1; y < height; ++y) {
    if (random.below(3) != 0) {
      std::memcpy(image.view().row_bytes(y), image.view().row_bytes(random.between(0, y - 1)),
                  image.view().tight_pitch_bytes());
    }
    image.view().row_bytes(y)[random.between(0, static_cast<int>(image.view().tight_pitch_bytes()) - 1)] ^=
        std::byte{1};
  }
  return image;
}

class CudaPngEncode : public CudaTest {
 protected:
  static void expect_same(const Image& image) {
    const Picture picture = gpu().upload(image.view());
    for (const int level : {0, 1}) {
      ASSERT_EQ(difference_on(gpu(), picture, image.view(), level), "")
          << image.width() << "x" << image.height() << "x" << image.format().channels << " of "
          << 8 * sample_bytes(image.format().sample) << " bits, level " << level;
    }
  }
};

/// Has few cases, because compute-sanitizer also runs this test. The images have several parts and more than one strip.
TEST_F(CudaPngEncode, OneOfEveryFormat) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : kFormats) {
    const int width = random.between(200, 300);
    const int height = 300000 / (width * static_cast<int>(format.bytes_per_pixel())) + 1;
    ASSERT_NO_FATAL_FAILURE(expect_same(smooth_image(random, width, height, format)));
    ASSERT_NO_FATAL_FAILURE(expect_same(repeating_image(random, width, height, format)));
  }
}

TEST_F(CudaPngEncode, SmallSizes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : kFormats) {
    for (int width = 1; width <= 40; ++width) {
      for (int height = 1; height <= 40; height += random.between(1, 6)) {
        ASSERT_NO_FATAL_FAILURE(expect_same(any_image(random, width, height, format)));
      }
    }
  }
}

/// Rows that end on a byte boundary and rows that do not; one strip and several strips.
TEST_F(CudaPngEncode, OneBit) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int width : {1, 7, 8, 9, 63, 64, 65, 1001, 16385}) {
    const Image image = black_and_white_image(random, width, width > 1000 ? 300 : 20, {Sample::u8, 1});
    const Picture picture = gpu().upload(image.view());
    for (const int level : {0, 1}) {
      ASSERT_EQ(difference_on(gpu(), picture, image.view(), level, true), "") << width;
    }
  }
  const Image image = constant_image(9, 9, {Sample::u8, 3}, 7);
  EXPECT_FALSE(gpu().encode(gpu().upload(image.view()), PngDataFormat{.one_bit = true}));
}

/// Image sizes around the sizes of parts, strips and blocks.
TEST_F(CudaPngEncode, SizesAroundSeams) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int bytes : {32768, 65535, 65536, 131064, 131072, 196600, 262128, 262144, 524256}) {
    for (int more = -3; more <= 3; ++more) {
      ASSERT_NO_FATAL_FAILURE(expect_same(repeating_image(random, bytes + more - 1, 1, {Sample::u8, 1})));
      ASSERT_NO_FATAL_FAILURE(expect_same(any_image(random, (bytes + more) / 8, 8, {Sample::u8, 1})));
    }
  }
}

TEST_F(CudaPngEncode, StoredFixedAndWholeBlocks) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : kFormats) {
    ASSERT_NO_FATAL_FAILURE(expect_same(random_image(random, 997, 500, format)));
    ASSERT_NO_FATAL_FAILURE(expect_same(constant_image(1001, 700, format, 201)));
    Image image = constant_image(1001, 700, format, 9);  // with few changes, so that a block has one part and matches
    for (int i = 0; i < 30; ++i) {
      image.view().row_bytes(random.between(0, 699))[random.between(0, 1000)] ^= std::byte{5};
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(image));
  }
}

TEST_F(CudaPngEncode, LongRowsAndColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int width : {43688, 87376, 100001, 262143, 600000}) {
    ASSERT_NO_FATAL_FAILURE(expect_same(repeating_image(random, width, 3, {Sample::u8, 3})));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(random_image(random, 3000001, 1, {Sample::u16, 1})));
  ASSERT_NO_FATAL_FAILURE(expect_same(repeating_image(random, 1, 200000, {Sample::u8, 3})));
}

/// More strips than the kernel that computes their offsets handles in one iteration.
TEST_F(CudaPngEncode, LargePhotosAndManyStrips) {
  Random random;
  SCOPED_TRACE(random.trace());
  ASSERT_NO_FATAL_FAILURE(expect_same(photo_like_image(random, random.between(5000, 5400), 3111, 3)));
  ASSERT_NO_FATAL_FAILURE(expect_same(smooth_image(random, 200001, 1100, {Sample::u8, 2})));
}

TEST_F(CudaPngEncode, ResultsOfOperations) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const Image image = photo_like_image(random, 333, 222, channels);
    const Picture equalized = gpu().equalize(gpu().upload(image.view()), {});
    const Image expected = cpu().download(cpu().equalize(cpu().upload(image.view()), {}));
    EXPECT_EQ(difference_on(gpu(), equalized, expected.view(), 1), "");
    EXPECT_TRUE(same_pixels(gpu().download(equalized).view(), expected.view())) << "the picture is unchanged";
  }
}

TEST_F(CudaPngEncode, OtherPixelsAndLevelsAreLeftToTheHost) {
  const Image image = constant_image(9, 9, {Sample::u8, 3}, 7);
  EXPECT_FALSE(gpu().encode(gpu().upload(image.view()), PngDataFormat{.level = 2}));
  EXPECT_FALSE(gpu().encode(gpu().upload(constant_image(9, 9, {Sample::f32, 3}, 7).view()), PngDataFormat{}));
  EXPECT_FALSE(cpu().encode(cpu().upload(image.view()), PngDataFormat{}));
}

void encode_by_turns(const std::vector<Image>& images, std::string& failure) {
  try {
    const std::unique_ptr<Backend> backend = make_tested_backend();
    for (int round = 0; round < 5 && failure.empty(); ++round) {
      for (const Image& image : images) {
        failure += difference_on(*backend, backend->upload(image.view()), image.view(), 1);
      }
    }
  } catch (const Error& error) {
    failure = error.what();
  }
}

TEST_F(CudaPngEncode, FourBackendsOnFourThreads) {
  constexpr std::size_t kThreads = 4;
  Random random;
  SCOPED_TRACE(random.trace());
  std::array<std::vector<Image>, kThreads> images;
  for (std::vector<Image>& own : images) {
    for (int i = 0; i < 6; ++i) {
      own.push_back(repeating_image(random, random.between(1, 900), random.between(1, 900), {Sample::u8, 3}));
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

// PNG decoded on the device: it returns libpng's pixels, or leaves the file to the host.
// tests/unit/codecs/test_png_twin.cpp tests the same functions on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backends.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/png/png.hpp"
#include "codecs/png/simple_png.hpp"
#include "gpuimg/error.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/png_twin.hpp"
#include "support/random_png.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using codecs::FileFormat;
using codecs::png::PngPath;

/// The pixels; nullopt if the backend leaves the file to the host.
std::optional<Image> decode_on(Backend& backend, std::span<const std::byte> file) {
  const std::optional<EncodedPng> png = codecs::png::describe_png_data(file);
  const std::optional<Picture> picture = png ? backend.decode(*png) : std::nullopt;
  return picture ? std::optional(backend.download(*picture)) : std::nullopt;
}

class CudaPngDecode : public CudaTest {
 protected:
  static void expect_taken(const FileBytes& file, const Image& image) {
    const std::optional<Image> found = decode_on(gpu(), file);
    ASSERT_TRUE(found);
    ASSERT_TRUE(same_pixels(found->view(), image.view()));
  }

  /// Increments `taken` if the device decodes the file. The device must decode exactly the files that the twin decodes.
  static void expect_same_or_left(const FileBytes& file, int& taken) {
    const std::optional<Image> found = decode_on(gpu(), file);
    const std::optional<EncodedPng> png = codecs::png::describe_png_data(file);
    ASSERT_EQ(found.has_value(), png && decode_with_twin(*png).image);
    if (!found) {
      return;
    }
    ++taken;
    try {
      const Image expected = codecs::png::read_png_pixels(file, "file", {.threads = 1}, PngPath::libpng_only);
      ASSERT_TRUE(same_pixels(found->view(), expected.view()));
    } catch (const Error& error) {
      FAIL() << "the device decodes a file that libpng rejects: " << error.what();
    }
  }
};

/// Has few cases, because compute-sanitizer also runs this test. The images have several windows, tiles and bands of
/// rows.
TEST_F(CudaPngDecode, OneOfEveryFormat) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    const Image image = smooth_image(random, random.between(150, 250), random.between(70, 130), format);
    ASSERT_NO_FATAL_FAILURE(expect_taken(deflated_png(random, image.view()), image)) << name_of(format);
  }
}

TEST_F(CudaPngDecode, EverySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : photographic_formats()) {
    for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 100}) {
      for (const int height : {1, 2, 31, 32, 33, 64, 65}) {
        const Image image = any_image(random, width, height, format);
        ASSERT_NO_FATAL_FAILURE(expect_taken(deflated_png(random, image.view()), image))
            << name_of(format) << " " << width << "x" << height;
      }
    }
  }
}

/// Several supertiles; some matches refer to data before their supertile.
TEST_F(CudaPngDecode, LargeImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int level : {0, 1, 6, 9}) {
    for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, {Sample::u8, 4}, {Sample::u16, 3}}) {
      const Image image = smooth_image(random, 1900, 1300, format);
      PngDeflating deflating;
      deflating.level = level;
      deflating.chunk_bytes = 8192;
      ASSERT_NO_FATAL_FAILURE(expect_taken(deflated_png(random, image.view(), deflating), image));
    }
  }
  const Image flat = constant_image(3000, 2000, {Sample::u8, 3}, 77);
  ASSERT_NO_FATAL_FAILURE(expect_taken(deflated_png(random, flat.view()), flat));
}

TEST_F(CudaPngDecode, FilesOfOurEncoder) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int level : {0, 1, 2, 3}) {
    const Image image = smooth_image(random, 900, 700, {Sample::u8, 3});
    codecs::WriteOptions writing;
    writing.png_level = level;
    ASSERT_NO_FATAL_FAILURE(expect_taken(codecs::encode_image(image.view(), FileFormat::png, "file", writing), image));
  }
}

TEST_F(CudaPngDecode, RandomZlibParameters) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 300; ++round) {
    const Image image =
        any_image(random, random.between(1, 400), random.between(1, 400), photographic_formats()[random.below(8)]);
    ASSERT_NO_FATAL_FAILURE(expect_same_or_left(deflated_png(random, image.view(), any_deflating(random)), taken));
  }
  EXPECT_GE(taken, 150);
}

TEST_F(CudaPngDecode, Mutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 60; ++round) {
    const Image image = any_image(random, random.between(1, 150), random.between(1, 150), {Sample::u8, 3});
    const FileBytes file = deflated_png(random, image.view(), any_deflating(random));
    for (int i = 0; i < 20; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_or_left(mutant_of_png(random, file), taken));
    }
  }
}

TEST_F(CudaPngDecode, FilesOfTheCatalogue) {
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    // Skips a file whose signature lost the high bit: such files never reach the PNG decoder.
    if (file.name.ends_with(".png") && !file.bytes.empty() && file.bytes.front() == std::byte{0x89}) {
      ASSERT_NO_FATAL_FAILURE(expect_same_or_left(file.bytes, taken)) << file.name;
    }
  }
  EXPECT_GE(taken, 5);
}

/// If shared memory is too small for the kernels, the backend leaves the file to the host. Devices of compute
/// capability 7.5 have 64 KiB, which do not suffice.
TEST_F(CudaPngDecode, LittleSharedMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 900, 700, {Sample::u8, 3});
  const FileBytes file = deflated_png(random, image.view());
  for (const std::size_t kibibytes : {48U, 64U, 99U}) {
    SCOPED_TRACE(kibibytes);
    const std::unique_ptr<Backend> limited = make_tested_backend(kibibytes << 10U);
    const std::optional<Image> found = decode_on(*limited, file);
    EXPECT_EQ(found.has_value(), kibibytes >= 99);
    EXPECT_TRUE(!found || same_pixels(found->view(), image.view()));
    const Picture uploaded = limited->upload(image.view());  // the backend still works
    EXPECT_TRUE(same_pixels(limited->download(uploaded).view(), image.view()));
  }
}

/// Each thread has its own backend; damaged files come between sound ones.
TEST_F(CudaPngDecode, ThreadsWithDamagedFiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 900, 700, {Sample::u8, 3});
  const FileBytes file = deflated_png(random, image.view());
  FileBytes damaged = file;
  damaged[file.size() / 2] ^= std::byte{4};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      const std::unique_ptr<Backend> own = make_tested_backend();
      for (int i = 0; i < 12; ++i) {
        const bool is_damaged = (i + number) % 3 == 0;
        const std::optional<Image> found = decode_on(*own, is_damaged ? damaged : file);
        EXPECT_EQ(found.has_value(), !is_damaged);
        EXPECT_TRUE(!found || same_pixels(found->view(), image.view()));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace gpuimg::test

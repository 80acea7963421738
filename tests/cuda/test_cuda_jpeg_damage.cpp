// Damaged and unusual JPEG files on the device: it returns libjpeg-turbo's pixels, or leaves the file to the host.
#include <gtest/gtest.h>

#include <string>

#include "codecs/device_codecs.hpp"
#include "jpeg_on_device.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/jpeg_defects.hpp"
#include "support/random_jpeg.hpp"

namespace gpuimg::test {
namespace {

class CudaJpegDamage : public CudaTest {
 protected:
  static void expect_same_or_left(std::span<const std::byte> file, int& taken) {
    test::expect_same_or_left(gpu(), file, taken);
  }
};

TEST_F(CudaJpegDamage, FilesOfTheCatalogue) {
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    SCOPED_TRACE(file.name);
    ASSERT_NO_FATAL_FAILURE(expect_same_or_left(file.bytes, taken));
  }
  EXPECT_GE(taken, 20);
}

/// Every third prefix, starting with a random one. The twin's test on the host decodes all prefixes.
TEST_F(CudaJpegDamage, PrefixesOfTheCatalogue) {
  constexpr std::uint32_t kStride = 3;
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (codecs::jpeg::describe_jpeg(file.bytes)) {
      for (std::size_t size = random.below(kStride); size < file.bytes.size(); size += kStride) {
        SCOPED_TRACE(file.name + ", bytes: " + std::to_string(size));
        ASSERT_NO_FATAL_FAILURE(expect_same_or_left(std::span(file.bytes).first(size), taken));
      }
    }
  }
}

TEST_F(CudaJpegDamage, Mutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 300; ++round) {
    const Image image =
        any_image(random, random.between(1, 300), random.between(1, 300), {Sample::u8, random.below(5) == 0 ? 1 : 3});
    const FileBytes file = make_jpeg(image.view(), any_jpeg(random, 1, 30));
    for (int i = 0; i < 20; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_same_or_left(mutant_of_jpeg(random, file), taken));
    }
  }
  EXPECT_GE(taken, 50);
}

/// Also checks that the workspace decodes a sound file after each defect.
TEST_F(CudaJpegDamage, EachDefectIsDetected) {
  cuda::Workspace workspace(std::make_shared<cuda::Device>(0, cuda::DeviceTestOptions{.poison = poisons_memory()}));
  const FileBytes sound = make_jpeg(constant_image(90, 70, {Sample::u8, 3}, 77).view(), {.restart_interval = 2});
  const Image expected = read_with_libjpeg(sound);
  for (const JpegDefect& file : jpeg_defects()) {
    SCOPED_TRACE(file.name);
    const std::optional<EncodedJpeg> jpeg = codecs::jpeg::describe_jpeg(file.bytes);
    ASSERT_TRUE(jpeg);
    std::uint32_t defects = 0;
    EXPECT_FALSE(cuda::decode_jpeg(workspace, *jpeg, &defects));
    EXPECT_NE(defects & file.defect, 0U) << "found: " << defects;
    const std::optional<Picture> next = cuda::decode_jpeg(workspace, *codecs::jpeg::describe_jpeg(sound), &defects);
    ASSERT_TRUE(next);
    EXPECT_EQ(defects, 0U);
    EXPECT_TRUE(same_pixels(gpu().download(*next).view(), expected.view()));
  }
}

TEST_F(CudaJpegDamage, SoundFilesFollowDamagedOnes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 100; ++round) {
    const Image image = photo_like_image(random, random.between(1, 400), random.between(1, 400), 3);
    const FileBytes file = make_jpeg(image.view(), any_jpeg(random, 60, 30));
    int taken = 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_or_left(mutant_of_jpeg(random, file), taken));
    ASSERT_NO_FATAL_FAILURE(expect_taken(gpu(), file));
  }
}

}  // namespace
}  // namespace gpuimg::test

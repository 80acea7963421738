// JPEG decoded on the device: libjpeg-turbo's pixels, or the file is left to the host. The twin of the same functions
// on the host is tests/unit/codecs/test_jpeg_twin.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "backends.hpp"
#include "codecs/jpeg/jpeg_description.hpp"
#include "codecs/jpeg/jpeg_reader.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

class CudaJpeg : public CudaTest {
 protected:
  /// The pixels; nullopt if the file is left to the host.
  static std::optional<Image> decode(std::span<const std::byte> file, int orientation = 1) {
    std::optional<EncodedJpeg> jpeg = codecs::describe_jpeg(file);
    if (!jpeg) {
      return std::nullopt;
    }
    jpeg->orientation = orientation;
    const std::optional<Picture> picture = gpu().decode(*jpeg);
    return picture ? std::optional(gpu().download(*picture)) : std::nullopt;
  }

  static void expect_taken(std::span<const std::byte> file) {
    const std::optional<Image> found = decode(file);
    ASSERT_TRUE(found);
    ASSERT_TRUE(same_pixels(found->view(), read_with_libjpeg(file).view()));
  }

  /// Counts the files that the device reads in `taken`.
  static void expect_same_or_left(std::span<const std::byte> file, int& taken) {
    const std::optional<Image> found = decode(file);
    if (!found) {
      return;
    }
    ++taken;
    try {
      const codecs::DecodedImage expected = codecs::read_jpeg(file, "file", {.threads = 1});
      ASSERT_TRUE(same_pixels(found->view(), expected.image.view()));
    } catch (const Error& error) {
      FAIL() << "the device reads what libjpeg-turbo refuses: " << error.what();
    }
  }
};

struct Sampling {
  int horizontal;
  int vertical;
};
constexpr Sampling kSamplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};

JpegChoices any_jpeg(Random& random) {
  const Sampling sampling = kSamplings[random.below(4)];
  JpegChoices choices;
  choices.horizontal_sampling = sampling.horizontal;
  choices.vertical_sampling = sampling.vertical;
  choices.quality = random.between(30, 100);
  choices.restart_interval = random.below(2) == 0 ? 0 : random.between(1, 300);
  return choices;
}

TEST_F(CudaJpeg, SmallImagesOfEverySampling) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Sampling sampling : kSamplings) {
    for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, random.between(34, 200)}) {
      for (const int height : {1, 2, 7, 8, 9, 16, 17, 33, random.between(34, 100)}) {
        JpegChoices choices = any_jpeg(random);
        choices.horizontal_sampling = sampling.horizontal;
        choices.vertical_sampling = sampling.vertical;
        choices.quality = random.between(60, 100);  // below, noise makes blocks that are left to the host
        choices.restart_interval = random.below(2) == 0 ? 0 : random.between(1, 9);
        const Image image = any_image(random, width, height, {Sample::u8, random.below(5) == 0 ? 1 : 3});
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
        ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices)));
      }
    }
  }
}

TEST_F(CudaJpeg, MediumImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const int channels = random.below(5) == 0 ? 1 : 3;
    const Image image =
        smooth_image(random, random.between(200, 2500), random.between(200, 1500), {Sample::u8, channels});
    const JpegChoices choices = any_jpeg(random);
    SCOPED_TRACE(std::to_string(choices.horizontal_sampling) + "x" + std::to_string(choices.vertical_sampling) +
                 " quality " + std::to_string(choices.quality));
    ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices)));
  }
}

/// More tiles of the raw scan, and of subsequences, than one turn of the kernels that run as one block.
TEST_F(CudaJpeg, LongScans) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 6000, 4000, {Sample::u8, 3});
  for (const Sampling sampling : kSamplings) {
    const JpegChoices choices{.quality = 95,
                              .horizontal_sampling = sampling.horizontal,
                              .vertical_sampling = sampling.vertical,
                              .restart_interval = static_cast<int>(random.below(3))};
    ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices)));
  }
}

/// Subsequences of flat images never agree: the host finds the states.
TEST_F(CudaJpeg, FlatImages) {
  for (const std::uint32_t value : {0U, 1U, 100U, 128U, 255U}) {
    for (const Sampling sampling : kSamplings) {
      const Image image = constant_image(3000, 2000, {Sample::u8, 3}, value);
      ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(
          image.view(), {.horizontal_sampling = sampling.horizontal, .vertical_sampling = sampling.vertical})));
    }
  }
}

TEST_F(CudaJpeg, FilesOfTheCatalogue) {
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    SCOPED_TRACE(file.name);
    ASSERT_NO_FATAL_FAILURE(expect_same_or_left(file.bytes, taken));
  }
  EXPECT_GE(taken, 20);
}

TEST_F(CudaJpeg, PrefixesOfTheCatalogue) {
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    const bool has_description = codecs::describe_jpeg(file.bytes).has_value();
    for (std::size_t size = 0; has_description && size < file.bytes.size(); ++size) {
      SCOPED_TRACE(file.name + ", bytes: " + std::to_string(size));
      ASSERT_NO_FATAL_FAILURE(expect_same_or_left(std::span(file.bytes).first(size), taken));
    }
  }
}

TEST_F(CudaJpeg, Mutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 100; ++round) {
    const Image image = any_image(random, random.between(1, 300), random.between(1, 300), {Sample::u8, 3});
    const FileBytes file = make_jpeg(image.view(), any_jpeg(random));
    const auto size = static_cast<std::uint32_t>(file.size());
    const std::uint32_t scan = size - static_cast<std::uint32_t>(codecs::describe_jpeg(file)->scan.size());
    for (int i = 0; i < 20; ++i) {
      FileBytes mutant = file;
      for (int k = random.between(1, 3); k > 0; --k) {
        const std::uint32_t first = random.below(4) == 0 ? 2 : scan;
        mutant[first + random.below(size - first)] =
            random.below(3) == 0 ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
      }
      ASSERT_NO_FATAL_FAILURE(expect_same_or_left(mutant, taken));
    }
  }
  EXPECT_GE(taken, 20);
}

TEST_F(CudaJpeg, Orientations) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const FileBytes file = make_jpeg(smooth_image(random, 137, 61, {Sample::u8, channels}).view());
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const std::optional<Image> found = decode(file, orientation);
      ASSERT_TRUE(found);
      const Image expected = codecs::apply_orientation(read_with_libjpeg(file), orientation);
      EXPECT_TRUE(same_pixels(found->view(), expected.view())) << "orientation " << orientation;
    }
  }
}

TEST_F(CudaJpeg, PicturesAreLikeUploadedOnes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 333, 222, {Sample::u8, 3}).view());
  const std::optional<Picture> decoded = gpu().decode(*codecs::describe_jpeg(file));
  ASSERT_TRUE(decoded);
  const Picture uploaded = cpu().upload(read_with_libjpeg(file));
  EXPECT_TRUE(same_pixels(gpu().download(gpu().equalize(*decoded, {})).view(),
                          cpu().download(cpu().equalize(uploaded, {})).view()));
  EXPECT_EQ(gpu().histogram(*decoded, {}).channels.front().counts,
            cpu().histogram(uploaded, {}).channels.front().counts);
}

TEST_F(CudaJpeg, IsLeftToTheHostByTheCpuBackend) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 33, 22, {Sample::u8, 3}).view());
  EXPECT_FALSE(cpu().decode(*codecs::describe_jpeg(file)));
}

}  // namespace
}  // namespace gpuimg::test

// JPEG decoded on the device gives libjpeg-turbo's pixels. tests/unit/codecs/test_jpeg_twin.cpp tests the same
// functions on the host; test_cuda_jpeg_damage.cpp tests damaged files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>

#include "codecs/metadata/exif.hpp"
#include "jpeg_on_device.hpp"
#include "support/random_jpeg.hpp"

namespace gpuimg::test {
namespace {

class CudaJpeg : public CudaTest {
 protected:
  static void expect_taken(std::span<const std::byte> file) { test::expect_taken(gpu(), file); }
};

/// Has few cases, because compute-sanitizer also runs this test and takes seconds per image.
TEST_F(CudaJpeg, OneOfEverySampling) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const JpegSampling sampling : kJpegSamplings) {
    JpegChoices choices = any_jpeg(random, 60, 9);
    choices.horizontal_sampling = sampling.horizontal;
    choices.vertical_sampling = sampling.vertical;
    const FileBytes file = make_jpeg(photo_like_image(random, 67, 43, 3).view(), choices);
    ASSERT_NO_FATAL_FAILURE(expect_taken(file));
    const int orientation = random.between(2, 8);
    const std::optional<Image> turned = decode_on(gpu(), file, orientation);
    ASSERT_TRUE(turned);
    const Image expected = codecs::apply_orientation(read_with_libjpeg(file), orientation);
    EXPECT_TRUE(same_pixels(turned->view(), expected.view())) << "orientation " << orientation;
  }
  ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(photo_like_image(random, 45, 61, 1).view())));
  const Image flat = constant_image(1024, 800, {Sample::u8, 3}, 255);  // large enough for the host to find the states
  ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(flat.view())));
}

TEST_F(CudaJpeg, SmallImagesOfEverySampling) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const JpegSampling sampling : kJpegSamplings) {
    for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, random.between(34, 200)}) {
      for (const int height : {1, 2, 7, 8, 9, 16, 17, 33, random.between(34, 100)}) {
        JpegChoices choices = any_jpeg(random, 60, 9);  // below quality 60, the device may leave noise to the host
        choices.horizontal_sampling = sampling.horizontal;
        choices.vertical_sampling = sampling.vertical;
        const Image image = any_image(random, width, height, {Sample::u8, random.below(5) == 0 ? 1 : 3});
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
        ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices)));
      }
    }
  }
}

/// Sides from 1 to 1600; small sides are as likely as large ones.
int any_side(Random& random) { return static_cast<int>(std::exp2(static_cast<double>(random.below(10650)) / 1000.0)); }

TEST_F(CudaJpeg, AThousandPhotos) {
  constexpr int kPhotos = 1000;
  constexpr int kMinTaken = kPhotos * 95 / 100;
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < kPhotos; ++round) {
    const int width = any_side(random);
    const int height = any_side(random);
    const int channels = random.below(6) == 0 ? 1 : 3;
    const JpegChoices choices = any_jpeg(random, 20, random.below(2) == 0 ? 12 : 300);
    const FileBytes file = make_jpeg(photo_like_image(random, width, height, channels).view(), choices);
    const int orientation = random.between(1, 8);
    const std::optional<Image> found = decode_on(gpu(), file, orientation);
    if (found) {
      ++taken;
      const Image expected = codecs::apply_orientation(read_with_libjpeg(file), orientation);
      ASSERT_TRUE(same_pixels(found->view(), expected.view()))
          << width << "x" << height << "x" << channels << ", sampling " << choices.horizontal_sampling << "x"
          << choices.vertical_sampling << ", quality " << choices.quality << ", restart interval "
          << choices.restart_interval << ", orientation " << orientation;
    }
  }
  EXPECT_GE(taken, kMinTaken);
}

/// More tiles, both of the raw scan and of subsequences, than the one-block kernels handle in one iteration.
TEST_F(CudaJpeg, LongScans) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = random_image(random, 6000, 4000, {Sample::u8, 3});
  for (const JpegSampling sampling : kJpegSamplings) {
    const JpegChoices choices{.quality = 95,
                              .horizontal_sampling = sampling.horizontal,
                              .vertical_sampling = sampling.vertical,
                              .restart_interval = static_cast<int>(random.below(3))};
    ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices)));
  }
}

TEST_F(CudaJpeg, Orientations) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const FileBytes file = make_jpeg(smooth_image(random, 137, 61, {Sample::u8, channels}).view());
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const std::optional<Image> found = decode_on(gpu(), file, orientation);
      ASSERT_TRUE(found);
      const Image expected = codecs::apply_orientation(read_with_libjpeg(file), orientation);
      EXPECT_TRUE(same_pixels(found->view(), expected.view())) << "orientation " << orientation;
    }
  }
}

TEST_F(CudaJpeg, ScansReadByTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 24; ++round) {
    JpegChoices choices = any_jpeg(random, 60, 9);
    choices.progressive = round % 8 != 7;
    choices.separate_scans = !choices.progressive;
    const int channels = choices.progressive && round % 4 == 3 ? 1 : 3;
    const Image image = photo_like_image(random, random.between(513, 700), random.between(513, 700), channels);
    const int orientation = random.between(1, 8);
    const FileBytes file = make_jpeg(image.view(), choices);
    const std::optional<Image> found = decode_scans_on(gpu(), with_exif(file, exif_with(orientation, true)));
    ASSERT_TRUE(found);
    const Image expected = codecs::apply_orientation(read_with_libjpeg(file), orientation);
    ASSERT_TRUE(same_pixels(found->view(), expected.view())) << "orientation " << orientation;
  }
}

TEST_F(CudaJpeg, ExtremeCoefficientsAreLeftToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg_of_coefficients(random, 600, 500, 1023, 65535, {.progressive = true});
  EXPECT_FALSE(decode_scans_on(gpu(), file));
  EXPECT_TRUE(same_pixels(decode(file, "extreme.jpg").image.view(), read_with_libjpeg(file).view()));
}

TEST_F(CudaJpeg, DecodedPicturesBehaveLikeUploadedOnes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 333, 222, {Sample::u8, 3}).view());
  const std::optional<Picture> decoded = gpu().decode(*codecs::jpeg::describe_jpeg(file));
  ASSERT_TRUE(decoded);
  const Picture uploaded = cpu().upload(read_with_libjpeg(file));
  EXPECT_TRUE(same_pixels(gpu().download(gpu().equalize(*decoded, {})).view(),
                          cpu().download(cpu().equalize(uploaded, {})).view()));
  EXPECT_EQ(gpu().histogram(*decoded, {}).channels.front().counts,
            cpu().histogram(uploaded, {}).channels.front().counts);
}

TEST_F(CudaJpeg, TheCpuBackendLeavesFilesToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 33, 22, {Sample::u8, 3}).view());
  EXPECT_FALSE(cpu().decode(*codecs::jpeg::describe_jpeg(file)));
}

}  // namespace
}  // namespace gpuimg::test

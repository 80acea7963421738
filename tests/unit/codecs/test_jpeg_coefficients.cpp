// JPEG files whose scans the host decodes and whose pixels the device computes. The test runs both parts on the host.
// It must return libjpeg-turbo's pixels or leave the file to libjpeg-turbo. Takes two seconds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "gpuimg/error.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/jpeg_maker.hpp"
#include "support/jpeg_twin.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_coefficients {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;

JpegChoices of_several_scans(Random& random, int min_quality) {
  JpegChoices choices = any_jpeg(random, min_quality, 12);
  choices.progressive = random.below(8) != 0;
  choices.separate_scans = !choices.progressive;
  return choices;
}

void expect_taken(Random& random, const FileBytes& file) {
  int taken = 0;
  ASSERT_EQ(difference_of_jpeg_coefficients(file, random.between(1, 4), &taken), "");
  ASSERT_EQ(taken, 1);
}

TEST(JpegCoefficients, MatchLibjpegForEverySamplingAndSize) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const JpegSampling sampling : kJpegSamplings) {
    for (int size = 1; size <= 40; ++size) {
      for (int round = 0; round < 6; ++round) {
        // Below 60, noise can exceed the device's bounds for coefficients.
        JpegChoices choices = of_several_scans(random, 60);
        choices.horizontal_sampling = sampling.horizontal;
        choices.vertical_sampling = sampling.vertical;
        const int height = random.between(1, round == 0 ? 150 : 40);
        const Image image = any_image(random, size, height, {Sample::u8, 3});
        SCOPED_TRACE(std::to_string(size) + "x" + std::to_string(height));
        ASSERT_NO_FATAL_FAILURE(expect_taken(random, make_jpeg(image.view(), choices)));
      }
    }
  }
}

TEST(JpegCoefficients, MatchLibjpegForGrayWithAnySampling) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 100; ++round) {
    JpegChoices choices = any_jpeg(random, 60, 12);
    choices.progressive = true;
    const Image image = any_image(random, random.between(1, 70), random.between(1, 70), {Sample::u8, 1});
    ASSERT_NO_FATAL_FAILURE(expect_taken(random, make_jpeg(image.view(), choices)));
  }
}

/// A sink that has no memory for blocks, or whose first, second, … call of take() fails.
struct FailingSink final : JpegBlockSink {
  static constexpr int kMemory = -1;

  explicit FailingSink(int fails_at) : left(fails_at) {}

  std::span<std::int16_t> memory(std::size_t blocks) override {
    if (left == kMemory) {
      throw Error(ErrorKind::out_of_memory, "memory");
    }
    room.resize(blocks * 64);
    return room;
  }
  void take(std::span<const JpegBlocks> /*blocks*/) override {
    if (left-- == 0) {
      throw Error(ErrorKind::device_fault, "copies");
    }
  }

  int left;
  std::vector<std::int16_t> room;
};

TEST(JpegCoefficients, PropagateFailuresOfTheSink) {
  Random random;
  SCOPED_TRACE(random.trace());
  JpegChoices choices = any_jpeg(random, 60, 12);
  choices.progressive = true;
  const FileBytes file = make_jpeg(any_image(random, 70, 500, {Sample::u8, 3}).view(), choices);
  const std::string name = "file";
  const JpegHeader header = read_jpeg_header(file, name);
  const auto script = read_jpeg_script(file);
  ASSERT_TRUE(script);
  for (const int threads : {1, 4}) {
    for (int fails_at = FailingSink::kMemory; fails_at < 6; ++fails_at) {
      SCOPED_TRACE(fails_at);
      FailingSink sink(fails_at);
      try {
        (void)read_jpeg_coefficients({file, header, name}, *script, sink, {.threads = threads, .step_pixels = 1});
        ADD_FAILURE() << "nothing failed";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), fails_at == FailingSink::kMemory ? ErrorKind::out_of_memory : ErrorKind::device_fault);
      }
      EXPECT_LT(sink.left, 0);  // nothing was taken after the failure
      EXPECT_GE(sink.left, -1);
    }
  }
}

TEST(JpegCoefficients, AreLeftToTheHostIfOutOfBounds) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int max_step : {1, 20, 65535}) {
    int taken = 0;
    for (int round = 0; round < 20; ++round) {
      JpegChoices choices = any_jpeg(random, 60, 12);
      choices.progressive = true;
      const FileBytes file =
          make_jpeg_of_coefficients(random, random.between(1, 60), random.between(1, 60), 255, max_step, choices);
      ASSERT_EQ(difference_of_jpeg_coefficients(file, 2, &taken), "") << max_step;
    }
    EXPECT_EQ(taken, max_step == 1 ? 20 : max_step == 65535 ? 0 : taken) << max_step;
  }
}

TEST(JpegCoefficients, AgreeOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 1000; ++round) {
    const Image image = any_image(random, random.between(1, 40), 50, {Sample::u8, random.below(4) == 0 ? 1 : 3});
    JpegChoices choices = any_jpeg(random, 60, 12);
    choices.progressive = true;
    FileBytes mutant = make_jpeg(image.view(), choices);
    for (int i = random.between(1, 2); i > 0; --i) {
      mutant[2 + random.below(static_cast<std::uint32_t>(mutant.size() - 2))] =
          static_cast<std::byte>(random.below(256));
    }
    try {
      ASSERT_EQ(difference_of_jpeg_coefficients(mutant, random.between(1, 4), &taken), "") << round;
    } catch (const Error&) {
      EXPECT_TRUE(rejects(mutant, ErrorKind::decode) || rejects(mutant, ErrorKind::unsupported));
    }
  }
  EXPECT_GT(taken, 20) << "many changes of coded bytes give another sound file";
}

TEST(JpegCoefficients, AgreeOnTheCatalogue) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (file.bytes.size() > 1 && file.bytes[0] == std::byte{0xFF} && file.bytes[1] == std::byte{0xD8}) {
      ASSERT_EQ(difference_of_jpeg_coefficients(file.bytes, random.between(1, 4), &taken), "") << file.name;
    }
  }
  EXPECT_GE(taken, 5);
}

TEST(JpegCoefficients, LeaveUnusualFilesToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image color = smooth_image(random, 40, 30, {Sample::u8, 3});
  const Image inks = smooth_image(random, 40, 30, {Sample::u8, 4});
  const auto frame_of = [](const FileBytes& file) { return describe_jpeg_frame(file); };
  EXPECT_TRUE(frame_of(make_jpeg(color.view(), {.progressive = true})));
  EXPECT_TRUE(frame_of(make_jpeg(color.view(), {.separate_scans = true})));
  EXPECT_FALSE(frame_of(make_jpeg(color.view(), {.progressive = true, .arithmetic = true})));
  EXPECT_FALSE(frame_of(make_jpeg(color.view(), {.progressive = true, .as_rgb = true})));
  EXPECT_FALSE(frame_of(make_jpeg(color.view(), {.progressive = true, .horizontal_sampling = 4})));
  EXPECT_FALSE(frame_of(make_jpeg(color.view(), {.progressive = true, .chroma_vertical_sampling = 2})));
  EXPECT_FALSE(frame_of(make_jpeg(inks.view(), {.progressive = true, .as_cmyk = true})));
  EXPECT_FALSE(frame_of({}));
}

}  // namespace
}  // namespace gpuimg::test_jpeg_coefficients

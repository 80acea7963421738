// Runs the device's JPEG decoder on the host. It must return libjpeg-turbo's pixels or leave the file to libjpeg-turbo.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/metadata/exif.hpp"
#include "jpeg/entropy.hpp"
#include "jpeg/pixels.hpp"
#include "jpeg/scan_bytes.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/jpeg_defects.hpp"
#include "support/jpeg_maker.hpp"
#include "support/jpeg_twin.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_twin {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;

/// The size of a subsequence varies from one byte to more than most files have. Each subsequence is its own tile, or
/// all are in one tile.
TwinChoices any_choices(Random& random) {
  constexpr std::uint32_t kBytes[] = {1, 2, 3, 4, 8, 16, 61, 128};
  TwinChoices choices;
  choices.subsequence_bits = 8 * kBytes[random.below(std::size(kBytes))];
  choices.tile_size = static_cast<std::uint32_t>(random.between(1, 40));
  choices.run_in = random.below(8);
  choices.max_rounds = random.below(4) == 0 ? random.below(4) : 64;
  choices.repair_budget = random.below(4) == 0 ? random.below(30) : 100000;
  return choices;
}

bool is_jpeg(const FileBytes& file) {
  return file.size() > 1 && file[0] == std::byte{0xFF} && file[1] == std::byte{0xD8};
}

void expect_taken(const FileBytes& file, const TwinChoices& choices = {}) {
  int taken = 0;
  ASSERT_EQ(difference_of_jpeg_twin(file, choices, &taken), "");
  ASSERT_EQ(taken, 1);
}

TEST(JpegTwin, TakesEverySamplingAndSize) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const JpegSampling sampling : kJpegSamplings) {
    for (const int width : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, random.between(34, 200)}) {
      for (const int height : {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, random.between(34, 100)}) {
        // Below 60, noise can exceed the device's bounds for coefficients.
        JpegChoices choices = any_jpeg(random, 60, 12);
        choices.horizontal_sampling = sampling.horizontal;
        choices.vertical_sampling = sampling.vertical;
        const Image image = any_image(random, width, height, {Sample::u8, random.below(5) == 0 ? 1 : 3});
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
        ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices)));
        ASSERT_NO_FATAL_FAILURE(expect_taken(make_jpeg(image.view(), choices), any_choices(random)));
      }
    }
  }
}

TEST(JpegTwin, AgreesAtEveryQuality) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int quality = 1; quality <= 100; ++quality) {
    JpegChoices choices = any_jpeg(random, 1, 12);
    choices.quality = quality;
    const Image image = any_image(random, random.between(20, 120), random.between(20, 120), {Sample::u8, 3});
    ASSERT_EQ(difference_of_jpeg_twin(make_jpeg(image.view(), choices), any_choices(random), &taken), "") << quality;
  }
  EXPECT_GE(taken, 90);
}

TEST(JpegTwin, AgreesOnTheCatalogue) {
  Random random;
  SCOPED_TRACE(random.trace());
  int files = 0;
  int taken = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (is_jpeg(file.bytes)) {
      ++files;
      for (int round = 0; round < 4; ++round) {
        ASSERT_EQ(difference_of_jpeg_twin(file.bytes, any_choices(random), &taken), "") << file.name;
      }
    }
  }
  EXPECT_GE(files, 100);
  EXPECT_GE(taken, 4 * 20);
}

TEST(JpegTwin, AgreesOnThePrefixesOfTheCatalogue) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    const bool is_whole = is_jpeg(file.bytes) && describe_jpeg(file.bytes);
    for (std::size_t size = 0; is_whole && size < file.bytes.size(); ++size) {
      const auto prefix = std::span(file.bytes).first(size);
      ASSERT_EQ(difference_of_jpeg_twin(prefix, any_choices(random)), "") << size << " bytes of " << file.name;
    }
  }
}

TEST(JpegTwin, AgreesOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 400; ++round) {
    const Image image = any_image(random, random.between(1, 70), random.between(1, 70), {Sample::u8, 3});
    const FileBytes file = make_jpeg(image.view(), any_jpeg(random, 1, 12));
    ASSERT_TRUE(describe_jpeg(file));
    for (int i = 0; i < 20; ++i) {
      const FileBytes mutant = mutant_of_jpeg(random, file);
      ASSERT_EQ(difference_of_jpeg_twin(mutant, any_choices(random), &taken), "");
    }
  }
  EXPECT_GE(taken, 100);
}

/// Mutants of files with one component, in which all blocks use the same tables.
TEST(JpegTwin, AgreesOnMutantsOfGray) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 100; ++round) {
    const Image image = any_image(random, random.between(1, 70), random.between(1, 70), {Sample::u8, 1});
    JpegChoices choices = any_jpeg(random, 1, 12);
    choices.horizontal_sampling = choices.vertical_sampling = 1;
    const FileBytes file = make_jpeg(image.view(), choices);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(difference_of_jpeg_twin(mutant_of_jpeg(random, file), any_choices(random)), "");
    }
  }
}

TEST(JpegTwin, LeavesUnusualFilesToTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image color = smooth_image(random, 40, 30, {Sample::u8, 3});
  const Image inks = smooth_image(random, 40, 30, {Sample::u8, 4});
  const auto is_left = [](const FileBytes& file) {
    return !describe_jpeg(file).has_value() && difference_of_jpeg_twin(file, {}).empty();
  };
  EXPECT_TRUE(is_left(make_jpeg(color.view(), {.progressive = true})));
  EXPECT_TRUE(is_left(make_jpeg(color.view(), {.arithmetic = true})));
  EXPECT_TRUE(is_left(make_jpeg(color.view(), {.separate_scans = true})));
  EXPECT_TRUE(is_left(make_jpeg(color.view(), {.as_rgb = true})));
  EXPECT_TRUE(is_left(make_jpeg(color.view(), {.horizontal_sampling = 4, .vertical_sampling = 1})));
  EXPECT_TRUE(is_left(make_jpeg(color.view(), {.chroma_vertical_sampling = 2})));
  EXPECT_TRUE(is_left(make_jpeg(inks.view(), {.as_cmyk = true})));
  EXPECT_TRUE(is_left({}));
}

TEST(JpegTwin, DetectsEachDefect) {
  std::uint32_t known = 0;
  for (const JpegDefect& file : jpeg_defects()) {
    SCOPED_TRACE(file.name);
    const std::optional<EncodedJpeg> jpeg = describe_jpeg(file.bytes);
    ASSERT_TRUE(jpeg);
    const TwinResult found = decode_with_twin(*jpeg);
    EXPECT_FALSE(found.image);
    EXPECT_NE(found.defects & file.defect, 0U) << "found: " << found.defects;
    known |= file.defect;
  }
  EXPECT_EQ(known | gpuimg::jpeg::Defect::broken_chain | gpuimg::jpeg::Defect::not_synchronized,
            2U * gpuimg::jpeg::Defect::not_synchronized - 1);
}

TEST(JpegTwin, IgnoresDataAfterTheEndOfTheImage) {
  Random random;
  SCOPED_TRACE(random.trace());
  FileBytes file = make_jpeg(smooth_image(random, 40, 30, {Sample::u8, 3}).view());
  const FileBytes more = make_jpeg(smooth_image(random, 20, 10, {Sample::u8, 3}).view(), {.restart_interval = 1});
  add_bytes(file, more);
  expect_taken(file);
}

TEST(JpegTwin, DetectsPlantedErrors) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 150, 150, {Sample::u8, 3});
  for (int round = 0; round < 200; ++round) {
    const FileBytes file = make_jpeg(image.view(), any_jpeg(random, 1, 12));
    TwinChoices choices = any_choices(random);
    choices.subsequence_bits = 64;
    const std::optional<EncodedJpeg> jpeg = describe_jpeg(file);
    ASSERT_TRUE(jpeg);
    const TwinResult sound = decode_with_twin(*jpeg, choices);
    ASSERT_TRUE(sound.image);
    choices.planted_error = static_cast<int>(random.below(sound.subsequences - 1));
    // An error in the last subsequence of a segment affects no other subsequence.
    const TwinResult wrong = decode_with_twin(*jpeg, choices);
    if (wrong.image) {
      ASSERT_GT(jpeg->restart_interval, 0);
      ASSERT_TRUE(same_pixels(wrong.image->view(), sound.image->view()));
    }
  }
}

TEST(JpegTwin, DetectsEveryPlantedErrorInAFileWithoutRestarts) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 100, 100, {Sample::u8, 3}).view());
  const std::optional<EncodedJpeg> jpeg = describe_jpeg(file);
  TwinChoices choices;
  choices.subsequence_bits = 128;
  choices.tile_size = 1000;
  const std::uint32_t subsequences = decode_with_twin(*jpeg, choices).subsequences;
  for (std::uint32_t i = 0; i + 1 < subsequences; ++i) {
    choices.planted_error = static_cast<int>(i);
    EXPECT_FALSE(decode_with_twin(*jpeg, choices).image) << i;
  }
}

TEST(JpegTwin, DecodesSubsequencesThatDoNotSynchronize) {
  for (const std::uint32_t value : {0U, 255U}) {
    const Image image = constant_image(1400, 1000, {Sample::u8, 3}, value);
    SCOPED_TRACE(value);
    const FileBytes file = make_jpeg(image.view());
    TwinChoices choices;
    choices.subsequence_bits = 64;
    const TwinResult found = decode_with_twin(*describe_jpeg(file), choices);
    EXPECT_TRUE(found.decoded_in_order);
    ASSERT_TRUE(found.image);
    EXPECT_TRUE(same_pixels(found.image->view(), read_with_libjpeg(file).view()));
    choices.decodes_states_in_order = false;
    EXPECT_EQ(decode_with_twin(*describe_jpeg(file), choices).defects, gpuimg::jpeg::Defect::not_synchronized);
  }
}

TEST(JpegTwin, RepairsTilesWithoutRunIn) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 300, 300, {Sample::u8, 3}).view());
  TwinChoices choices;
  choices.subsequence_bits = 256;
  choices.tile_size = 8;
  choices.run_in = 1;
  choices.repair_budget = 100000;
  const TwinResult found = decode_with_twin(*describe_jpeg(file), choices);
  EXPECT_GT(found.repaired, 0U);
  EXPECT_FALSE(found.decoded_in_order);
  ASSERT_TRUE(found.image);
  EXPECT_TRUE(same_pixels(found.image->view(), read_with_libjpeg(file).view()));
}

/// A walk ends with the last block that begins in its subsequence. At most 64 of its symbols also belong to the next
/// walk.
TEST(JpegTwin, DecodesEachSymbolOnce) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 300, 300, {Sample::u8, 3}).view());
  TwinChoices choices;
  choices.subsequence_bits = 1U << 30;
  const std::uint64_t all = decode_with_twin(*describe_jpeg(file), choices).symbols;
  choices.subsequence_bits = 512;
  const TwinResult found = decode_with_twin(*describe_jpeg(file), choices);
  EXPECT_GT(found.subsequences, 20U);
  EXPECT_GE(found.symbols, all);
  EXPECT_LE(found.symbols, all + std::uint64_t{64} * found.subsequences);
}

TEST(JpegTwin, AppliesTheExifOrientation) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const FileBytes file = make_jpeg(smooth_image(random, 37, 21, {Sample::u8, channels}).view());
    std::optional<EncodedJpeg> jpeg = describe_jpeg(file);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      jpeg->orientation = orientation;
      const TwinResult found = decode_with_twin(*jpeg);
      ASSERT_TRUE(found.image);
      EXPECT_TRUE(same_pixels(found.image->view(), apply_orientation(read_with_libjpeg(file), orientation).view()));
    }
  }
}

TEST(JpegScanBytes, AreClassifiedByTheirNeighbors) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr std::uint32_t kValues[] = {0, 1, 0xCF, 0xD0, 0xD7, 0xD8, 0xD9, 0xFE, 0xFF, 0x80};
  for (int round = 0; round < 20000; ++round) {
    std::array<std::uint8_t, 18> bytes{};  // the byte before, 16 bytes, and the byte after
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random.below(2) == 0 ? 0xFF : kValues[random.below(std::size(kValues))]);
    }
    const std::uint32_t count = random.below(2) == 0 ? 16 : random.below(17);
    std::uint32_t words[4];
    std::memcpy(words, &bytes[1], sizeof(words));
    const std::uint32_t after = count < 16 ? 1 : bytes[17];
    const gpuimg::jpeg::ScanChunk chunk = gpuimg::jpeg::classify(words, count, bytes[0], after);
    for (std::uint32_t i = 0; i < 16; ++i) {
      const std::uint32_t value = bytes[1 + i];
      const std::uint32_t next = i + 1 < count ? bytes[2 + i] : after;
      const bool is_inside = i < count;
      const bool is_mark = is_inside && value == 0xFF;
      const bool follows_mark = bytes[i] == 0xFF && (value == 0 || (value >= 0xD0 && value <= 0xD7));
      ASSERT_EQ(chunk.coded >> i & 1, is_inside && !follows_mark && (!is_mark || next == 0));
      ASSERT_EQ(chunk.restarts >> i & 1, is_mark && next >= 0xD0 && next <= 0xD7);
      ASSERT_EQ(chunk.fills >> i & 1, is_mark && next == 0xFF);
      ASSERT_EQ(chunk.ends >> i & 1, is_mark && next != 0 && next != 0xFF && (next < 0xD0 || next > 0xD7));
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_jpeg_twin

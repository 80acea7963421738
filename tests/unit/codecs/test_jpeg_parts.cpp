// JPEG files decoded in parts. For every file, pixels, notes and errors must equal those of the ordinary decoder.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "codecs/threads.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/jpeg_maker.hpp"
#include "support/jpeg_paths.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_parts {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;

constexpr int kThreads = 2;

/// Sampling factors of luma and chroma, horizontal and vertical.
using Sampling = std::array<int, 4>;

constexpr Sampling kSamplings[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {2, 2, 1, 1}, {4, 1, 1, 1}, {1, 4, 1, 1},
                                   {4, 2, 1, 1}, {2, 4, 1, 1}, {1, 4, 1, 2}, {1, 2, 1, 2}, {3, 1, 1, 1}, {1, 3, 1, 1},
                                   {2, 3, 1, 1}, {2, 2, 2, 1}, {2, 2, 1, 2}, {1, 1, 2, 2}, {1, 1, 1, 2}, {2, 1, 1, 2}};

JpegChoices with(const Sampling& sampling) {
  JpegChoices choices;
  choices.horizontal_sampling = sampling[0];
  choices.vertical_sampling = sampling[1];
  choices.chroma_horizontal_sampling = sampling[2];
  choices.chroma_vertical_sampling = sampling[3];
  return choices;
}

/// Lists of cuts: one cut, at each MCU row in turn; cuts at all MCU rows; and cuts at random rows.
std::vector<std::vector<int>> all_cuts(Random& random, int height, int rows_of_blocks) {
  std::vector<std::vector<int>> all(2);
  for (int row = rows_of_blocks; row < height; row += rows_of_blocks) {
    all.push_back({row});
    all[0].push_back(row);
    if (random.below(2) == 0) {
      all[1].push_back(row + random.between(0, rows_of_blocks - 1));
    }
  }
  return all;
}

void expect_same_in_parts(Random& random, const FileBytes& file, ConstView expected, int rows_of_blocks) {
  for (const std::vector<int>& cuts : all_cuts(random, expected.height, rows_of_blocks)) {
    const std::optional<Image> found = read_in_jpeg_parts(file, cuts, random.between(1, kThreads));
    ASSERT_TRUE(found);
    ASSERT_TRUE(same_pixels(found->view(), expected)) << "cut at " << ::testing::PrintToString(cuts);
    ASSERT_EQ(difference_of_jpeg_parts(file, cuts, {.threads = kThreads}), "");
  }
}

class JpegPartsPerSampling : public ::testing::TestWithParam<Sampling> {};

TEST_P(JpegPartsPerSampling, MatchOneDecoder) {
  Random random;
  SCOPED_TRACE(random.trace());
  std::vector<int> widths = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, random.between(34, 150)};
  for (const int width : widths) {
    for (const int height : {9, 16, 17, 31, 33, 65, random.between(66, 150)}) {
      JpegChoices choices = with(GetParam());
      choices.restart_interval = random.below(2) == 0 ? 0 : random.between(1, 9);
      choices.quality = random.between(20, 100);
      choices.as_rgb = random.below(8) == 0;
      const Image image = any_image(random, width, height, {Sample::u8, 3});
      const FileBytes file = make_jpeg(image.view(), choices);
      const int rows_of_blocks = 8 * std::max(GetParam()[1], GetParam()[3]);
      SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
      expect_same_in_parts(random, file, read_with_libjpeg(file).view(), rows_of_blocks);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JpegPartsPerSampling, ::testing::ValuesIn(kSamplings), [](const auto& sampling) {
  std::string name = "Sampling";
  for (const int factor : sampling.param) {
    name += std::to_string(factor);
  }
  return name;
});

TEST(JpegParts, MatchOneDecoderForGray) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    JpegChoices choices = with(kSamplings[random.below(8)]);
    choices.restart_interval = random.between(0, 3);
    const Image image = any_image(random, random.between(1, 90), random.between(9, 150), {Sample::u8, 1});
    const FileBytes file = make_jpeg(image.view(), choices);
    expect_same_in_parts(random, file, read_with_libjpeg(file).view(), 8 * choices.vertical_sampling);
  }
}

TEST(JpegParts, MatchOneDecoderForCmyk) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    JpegChoices choices = with(kSamplings[random.below(6)]);
    choices.as_cmyk = random.below(2) == 0;
    choices.as_ycck = !choices.as_cmyk;
    choices.adobe = choices.as_ycck || random.below(2) == 0;
    choices.restart_interval = random.between(0, 3);
    const Image image = random_image(random, random.between(1, 90), random.between(9, 150), {Sample::u8, 4});
    const FileBytes file = make_jpeg(image.view(), choices);
    // K of YCCK has sampling factors 2×2.
    const int rows_of_blocks = 8 * std::max(choices.vertical_sampling, choices.as_ycck ? 2 : 1);
    for (const std::vector<int>& cuts : all_cuts(random, image.height(), rows_of_blocks)) {
      ASSERT_TRUE(read_in_jpeg_parts(file, cuts, kThreads));
      ASSERT_EQ(difference_of_jpeg_parts(file, cuts, {.threads = kThreads}), "");
    }
  }
}

TEST(JpegParts, RequireOneSequentialScan) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = any_image(random, 70, 90, {Sample::u8, 3});
  for (const int kind : {0, 1, 2, 3}) {
    JpegChoices choices;
    choices.progressive = (kind & 1) != 0;
    choices.arithmetic = (kind & 2) != 0;
    choices.separate_scans = kind == 0;
    const FileBytes file = make_jpeg(image.view(), choices);
    EXPECT_FALSE(read_in_jpeg_parts(file, {16, 48}, kThreads));
    EXPECT_EQ(difference_of_jpeg_parts(file, {16, 48}, {.threads = kThreads}), "");
  }
}

/// A file with 90 rows that can be decoded in parts.
FileBytes file_for_parts(Random& random, int restart_interval) {
  JpegChoices choices = with(kSamplings[random.below(4)]);
  choices.quality = random.between(20, 95);
  choices.restart_interval = restart_interval;
  return make_jpeg(any_image(random, random.between(20, 60), 90, {Sample::u8, random.below(4) == 0 ? 1 : 3}).view(),
                   choices);
}

void expect_same_verdicts(std::span<const std::byte> file, const std::vector<int>& cuts) {
  for (const bool lenient : {false, true}) {
    const ReadOptions options{.max_pixels = 1 << 20, .lenient = lenient, .threads = kThreads};
    ASSERT_EQ(difference_of_jpeg_parts(file, cuts, options), "")
        << "cut at " << ::testing::PrintToString(cuts) << (lenient ? ", lenient" : "");
  }
}

TEST(JpegParts, RejectEveryPrefixAsOneDecoderDoes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int restart_interval : {0, 2}) {
    const FileBytes file = file_for_parts(random, restart_interval);
    for (std::size_t size = 2; size < file.size(); ++size) {
      const auto prefix = std::span(file).first(size);
      EXPECT_TRUE(rejects(prefix, ErrorKind::decode));
      ASSERT_NO_FATAL_FAILURE(expect_same_verdicts(prefix, {48})) << size << " of " << file.size() << " bytes";
    }
  }
}

TEST(JpegParts, AgreeWithOneDecoderOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 1500; ++round) {
    FileBytes mutant = file_for_parts(random, random.below(2) == 0 ? 0 : random.between(1, 5));
    for (int i = random.between(1, 3); i > 0; --i) {
      mutant[2 + random.below(static_cast<std::uint32_t>(mutant.size() - 2))] =
          random.below(4) == 0 ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_verdicts(mutant, {random.between(16, 89), random.between(16, 89)}));
  }
}

/// The offset of the coded data.
std::size_t scan_of(const FileBytes& file) {
  for (std::size_t i = 2; i + 3 < file.size();) {
    const std::size_t length =
        (std::to_integer<std::size_t>(file[i + 2]) << 8) + std::to_integer<std::size_t>(file[i + 3]);
    if (file[i + 1] == std::byte{0xDA}) {
      return i + 2 + length;
    }
    i += 2 + length;
  }
  ADD_FAILURE() << "no scan";
  return 0;
}

TEST(JpegParts, LeaveADamagedFileToOneDecoder) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes sound = file_for_parts(random, 0);
  ASSERT_TRUE(read_in_jpeg_parts(sound, {48}, kThreads));
  const std::size_t scan = scan_of(sound);
  const std::size_t coded = sound.size() - 2 - scan;
  const auto with_marker_at = [&](std::size_t offset) {
    FileBytes damaged = sound;
    damaged[scan + offset] = std::byte{0xFF};
    damaged[scan + offset + 1] = std::byte{0xD9};
    return damaged;
  };
  FileBytes more_at_the_end = sound;
  more_at_the_end.insert(more_at_the_end.end() - 2, 100, std::byte{0x12});
  FileBytes another_scan = sound;
  another_scan.insert(another_scan.end() - 2, sound.begin() + static_cast<std::ptrdiff_t>(scan) - 14, sound.end() - 2);
  for (const FileBytes& damaged : {with_marker_at(coded / 10), with_marker_at(coded * 9 / 10), more_at_the_end,
                                   another_scan, FileBytes(sound.begin(), sound.end() - 1)}) {
    EXPECT_FALSE(read_in_jpeg_parts(damaged, {48}, kThreads));
    EXPECT_TRUE(rejects(damaged, ErrorKind::decode));
    expect_same_verdicts(damaged, {48});
  }
}

TEST(JpegParts, AgreeWithOneDecoderOnTheCatalogue) {
  int files = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    const bool is_jpeg = file.bytes.size() > 1 && file.bytes[0] == std::byte{0xFF} && file.bytes[1] == std::byte{0xD8};
    if (is_jpeg) {
      ++files;
      ASSERT_NO_FATAL_FAILURE(expect_same_verdicts(file.bytes, {8})) << file.name;
    }
  }
  EXPECT_GE(files, 100);
}

/// A gray file with a fill byte (T.81, B.1.1.2), followed by a comment that contains the segments of a color file. A
/// reader that mistakes the fill byte for a marker jumps into this comment.
FileBytes with_color_behind_a_fill_byte(const FileBytes& gray, const FileBytes& color) {
  constexpr std::size_t kJump = 2 + 2 + 0xFE00;  // SOI, 0xFF 0xFF, and the following 0xFE 0x00 interpreted as a length
  constexpr std::uint64_t kFirst = 65000;
  FileBytes file(gray.begin(), gray.begin() + 2);
  add_be(file, 0xFFFFFE0002, 5);
  add_be(file, 0xFFFE0000 + kFirst, 4);
  file.resize(file.size() + kFirst - 2);
  const std::size_t padding = kJump - (file.size() + 4);
  add_be(file, 0xFFFE0000 + 2 + padding + color.size() - 2, 4);
  file.resize(file.size() + padding);
  add_bytes(file, std::span(color).subspan(2));
  add_bytes(file, std::span(gray).subspan(2));
  return file;
}

TEST(JpegParts, LeaveFilesWithFillBytesToOneDecoder) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes gray = make_jpeg(smooth_image(random, 64, 48, {Sample::u8, 1}).view());
  const FileBytes color = make_jpeg(smooth_image(random, 64, 48, {Sample::u8, 3}).view());
  const FileBytes file = with_color_behind_a_fill_byte(gray, color);
  ASSERT_TRUE(read_jpeg_only_scan(gray));
  ASSERT_FALSE(read_jpeg_only_scan(file)) << "its components would differ from libjpeg's";
  expect_same_verdicts(file, {8});
  EXPECT_TRUE(same_pixels(read_with_libjpeg(file).view(), read_with_libjpeg(gray).view()));
}

TEST(JpegParts, AreUsedForLargeImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 1201, 903, {Sample::u8, 3});
  const FileBytes file = make_jpeg(image.view());
  const std::string name = "large.jpg";
  const JpegHeader header = read_jpeg_header(file, name);
  JpegRows whole({file, header, name}, false);
  ASSERT_GT(jpeg_cuts(whole, 903).size(), 1U);
  const Image expected = read_with_libjpeg(file);
  for (const int threads : {0, 1, 2, 3, 4, 9}) {
    EXPECT_TRUE(same_pixels(decode(file, "large.jpg", {.threads = threads}).image.view(), expected.view())) << threads;
  }
}

/// The narrower an image, the more rows a part may have: the two narrowest images here are a single part.
TEST(JpegCuts, BoundTheCoefficientsOfAPart) {
  const std::string name = "file";
  for (const int width : {1, 100, 5000, 65000}) {
    const FileBytes file = make_jpeg(Image(width, 300, {Sample::u8, 3}).view());
    const JpegHeader header = read_jpeg_header(file, name);
    JpegRows whole({file, header, name}, false);
    const std::vector<int> cuts = jpeg_cuts(whole, 300);
    EXPECT_EQ(cuts.empty(), width <= 100) << width;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const int rows = cuts[i] - (i == 0 ? 0 : cuts[i - 1]);
      EXPECT_EQ(rows % whole.rows_of_blocks(), 0);
      EXPECT_LE(static_cast<std::size_t>(rows / whole.rows_of_blocks()) * whole.coefficient_bytes(), 10U << 20);
    }
  }
}

TEST(AllowedThreads, AreLimitedByOneTbb) {
  EXPECT_GE(allowed_threads(0), 1);
  EXPECT_EQ(allowed_threads(1), 1);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(allowed_threads(0), 1);
  EXPECT_EQ(allowed_threads(8), 1);
}

}  // namespace
}  // namespace gpuimg::test_jpeg_parts

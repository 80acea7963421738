// JPEG files whose scans are decoded concurrently. For every file, pixels and errors must equal those of the ordinary
// decoder. Takes four seconds on one core.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "codecs/jpeg/jpeg_segments.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/jpeg_maker.hpp"
#include "support/jpeg_paths.hpp"
#include "support/random_jpeg.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_pipeline {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;

/// A step processes one row of MCUs, several rows or all rows.
JpegPipelineChoices any_choices(Random& random) {
  constexpr std::array<int, 3> kStepPixels = {1, 3000, 1 << 16};
  return {.threads = random.between(1, 5), .step_pixels = kStepPixels[random.below(3)]};
}

void expect_same(Random& random, const FileBytes& file) {
  const JpegPipelineChoices choices = any_choices(random);
  SCOPED_TRACE(std::to_string(choices.threads) + " threads, steps of " + std::to_string(choices.step_pixels));
  const Image expected = read_with_libjpeg(file);
  const std::optional<Image> found = read_in_jpeg_scans(file, choices);
  ASSERT_TRUE(found);
  if (expected.format().channels != 4) {
    ASSERT_TRUE(same_pixels(found->view(), expected.view()));
  }
  ASSERT_EQ(difference_of_jpeg_scans(file, choices), "");
}

class JpegPipelinePerSampling : public ::testing::TestWithParam<JpegFactors> {};

TEST_P(JpegPipelinePerSampling, MatchesOneDecoder) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const int width = round < 40 ? round + 1 : random.between(1, 300);
    const int height = round < 40 ? random.between(1, 40) : random.between(1, 300);
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    JpegChoices choices = of_several_scans(random, GetParam());
    choices.as_rgb = random.below(8) == 0;
    const Image image = any_image(random, width, height, {Sample::u8, 3});
    ASSERT_NO_FATAL_FAILURE(expect_same(random, make_jpeg(image.view(), choices)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, JpegPipelinePerSampling, ::testing::ValuesIn(kAllJpegFactors), [](const auto& sampling) {
  std::string name = "Sampling";
  for (const int factor : sampling.param) {
    name += std::to_string(factor);
  }
  return name;
});

TEST(JpegPipeline, MatchesOneDecoderForGrayAndCmyk) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 120; ++round) {
    const bool is_gray = round % 2 == 0;
    JpegChoices choices = of_several_scans(random, kAllJpegFactors[random.below(6)]);
    choices.progressive = true;
    choices.separate_scans = false;
    choices.as_cmyk = !is_gray && random.below(2) == 0;
    choices.as_ycck = !is_gray && !choices.as_cmyk;
    choices.adobe = choices.as_ycck || random.below(2) == 0;
    const PixelFormat format{Sample::u8, is_gray ? 1 : 4};
    const Image image = random_image(random, random.between(1, 90), random.between(1, 150), format);
    ASSERT_NO_FATAL_FAILURE(expect_same(random, make_jpeg(image.view(), choices)));
  }
}

TEST(JpegPipeline, MatchesOneDecoderForAnyScans) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 200; ++round) {
    JpegChoices choices = of_several_scans(random, kAllJpegFactors[random.below(4)]);
    const int channels = random.below(3) == 0 ? 1 : 3;
    choices.separate_scans = false;
    choices.progressive = true;
    choices.scans = any_scans(random, channels);
    const Image image = any_image(random, random.between(1, 60), random.between(1, 90), {Sample::u8, channels});
    if (choices.scans.size() <= 64) {
      ASSERT_NO_FATAL_FAILURE(expect_same(random, make_jpeg(image.view(), choices)));
    }
  }
}

/// Quantization steps of 65535 make coefficients much larger than those of any image: libjpeg's arithmetic wraps.
TEST(JpegPipeline, MatchesOneDecoderForExtremeCoefficients) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int limit : {1, 40, 1023}) {
    for (const int max_step : {1, 255, 65535}) {
      for (int round = 0; round < 6; ++round) {
        JpegChoices choices = of_several_scans(random, kAllJpegFactors[random.below(4)]);
        choices.progressive = true;
        const FileBytes file =
            make_jpeg_of_coefficients(random, random.between(1, 90), random.between(1, 90), limit, max_step, choices);
        ASSERT_NO_FATAL_FAILURE(expect_same(random, file)) << limit << " " << max_step;
      }
    }
  }
}

/// A file whose scans can be decoded concurrently.
FileBytes file_of_scans(Random& random, int height) {
  const JpegChoices choices = of_several_scans(random, kAllJpegFactors[random.below(4)]);
  const PixelFormat format{Sample::u8, choices.progressive && random.below(4) == 0 ? 1 : 3};
  return make_jpeg(any_image(random, random.between(9, 40), height, format).view(), choices);
}

TEST(JpegPipeline, MatchesOneDecoderOnPrefixes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 40, 50, {Sample::u8, 3}).view(), {.progressive = true});
  for (std::size_t size = 2; size < file.size(); ++size) {
    ASSERT_EQ(difference_of_jpeg_scans(std::span(file).first(size), any_choices(random)), "") << size;
  }
}

TEST(JpegPipeline, MatchesOneDecoderOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int read = 0;
  for (int round = 0; round < 2000; ++round) {
    FileBytes mutant = file_of_scans(random, 50);
    for (int i = random.between(1, 3); i > 0; --i) {
      mutant[2 + random.below(static_cast<std::uint32_t>(mutant.size() - 2))] =
          random.below(4) == 0 ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
    }
    const JpegPipelineChoices choices = any_choices(random);
    ASSERT_EQ(difference_of_jpeg_scans(mutant, choices), "") << round;
    read += difference_of_jpeg_scans(mutant, choices).empty() && read_jpeg_script(mutant) ? 1 : 0;
  }
  EXPECT_GT(read, 200) << "most mutants are left to one decoder before any scan is read";
}

/// Inserts two bytes before the first restart marker of each scan that directly precedes another scan. Returns the
/// number of such scans.
int expect_noticed_in_each_scan(Random& random, const FileBytes& file) {
  const JpegScript script = *read_jpeg_script(file);
  const auto is_restart = [](std::byte a, std::byte b) {
    return a == std::byte{0xFF} && b >= std::byte{0xD0} && b <= std::byte{0xD7};
  };
  int scans = 0;
  for (std::size_t i = 0; i + 1 < script.scans.size(); ++i) {
    const auto coded = script.scans[i].coded;
    const auto marker = std::adjacent_find(coded.begin(), coded.end(), is_restart);
    if (marker == coded.end() || !script.scans[i + 1].tables.empty()) {
      continue;
    }
    ++scans;
    FileBytes more = file;
    more.insert(more.begin() + (coded.data() - file.data()) + (marker - coded.begin()),
                {std::byte{0x12}, std::byte{0x34}});
    EXPECT_TRUE(read_jpeg_script(more));
    EXPECT_TRUE(rejects(more, ErrorKind::decode, "2 extraneous bytes"));
    EXPECT_FALSE(read_in_jpeg_scans(more, any_choices(random))) << "scan " << i;
  }
  return scans;
}

/// libjpeg drops such bytes. It warns only when it next searches for a marker, possibly in a later scan.
TEST(JpegPipeline, NoticesBytesDroppedBeforeARestartMarker) {
  Random random;
  SCOPED_TRACE(random.trace());
  int scans = 0;
  for (int round = 0; round < 60; ++round) {
    const Image image = random_image(random, random.between(20, 60), random.between(20, 60), {Sample::u8, 3});
    const JpegChoices choices{.quality = random.between(30, 95), .progressive = true, .restart_interval = 4};
    scans += expect_noticed_in_each_scan(random, make_jpeg(image.view(), choices));
  }
  EXPECT_GT(scans, 0);
}

TEST(JpegPipeline, MatchesOneDecoderOnTheCatalogue) {
  Random random;
  SCOPED_TRACE(random.trace());
  int files = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    const bool is_jpeg = file.bytes.size() > 1 && file.bytes[0] == std::byte{0xFF} && file.bytes[1] == std::byte{0xD8};
    if (is_jpeg) {
      ASSERT_EQ(difference_of_jpeg_scans(file.bytes, any_choices(random)), "") << file.name;
      files += read_jpeg_script(file.bytes) ? 1 : 0;
    }
  }
  EXPECT_GE(files, 10) << "files with several scans";
}

/// The offsets of the SOS and EOI markers.
std::vector<std::size_t> ends_of(const FileBytes& file) {
  std::vector<std::size_t> offsets;
  for (std::size_t i = 2; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && (file[i + 1] == std::byte{0xDA} || file[i + 1] == std::byte{0xD9})) {
      offsets.push_back(i);
    }
  }
  return offsets;
}

/// The offset of the scan with this number, or of the tables that precede it.
std::size_t begin_of(const JpegScript& script, const FileBytes& file, std::size_t scan) {
  return static_cast<std::size_t>(script.scans[scan].tables.data() - file.data());
}

TEST(JpegScript, SplitsTheFile) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 60, 50, {Sample::u8, 3}).view(), {.progressive = true});
  const std::optional<JpegScript> script = read_jpeg_script(file);
  ASSERT_TRUE(script);
  ASSERT_EQ(script->scans.size(), 10U);
  const std::vector<std::size_t> ends = ends_of(file);
  ASSERT_EQ(ends.size(), 11U);
  std::size_t bytes = script->header.size() + 2;
  for (std::size_t i = 0; i < script->scans.size(); ++i) {
    EXPECT_EQ(script->scans[i].coded.data(), file.data() + ends[i]);
    bytes += script->scans[i].tables.size() + script->scans[i].coded.size();
  }
  EXPECT_EQ(bytes, file.size());
  EXPECT_EQ(script->scans[0].components, 7U);
  EXPECT_TRUE(script->scans[0].depends_on(script->scans[6]));
  EXPECT_FALSE(script->scans[0].depends_on(script->scans[1])) << "DC and AC";
}

/// libjpeg smooths the blocks of such a file, so pixels depend on neighboring blocks.
TEST(JpegScript, IsAbsentForUnfinishedFiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  const FileBytes file = make_jpeg(smooth_image(random, 700, 500, {Sample::u8, 3}).view(), {.progressive = true});
  const JpegScript script = *read_jpeg_script(file);
  for (std::size_t scan = 1; scan < script.scans.size(); ++scan) {
    FileBytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(begin_of(script, file, scan)));
    add_be(cut, 0xFFD9, 2);
    ASSERT_FALSE(read_jpeg_script(cut)) << scan;
    ASSERT_TRUE(same_pixels(decode(cut, "cut.jpg").image.view(), read_with_libjpeg(cut).view())) << scan;
    const std::span<const std::byte> without_end = std::span(cut).first(cut.size() - 2);
    ASSERT_FALSE(read_jpeg_script(without_end));
    const ReadOptions lenient{.lenient = true};
    ASSERT_TRUE(same_pixels(decode(without_end, "cut.jpg", lenient).image.view(), read_with_libjpeg(cut).view()));
  }
}

TEST(JpegScript, IsAbsentForUnusualFiles) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 60, 50, {Sample::u8, 3});
  const FileBytes file = make_jpeg(image.view(), {.progressive = true});
  const JpegScript script = *read_jpeg_script(file);
  const auto with = [&](std::size_t at, const FileBytes& more) {
    FileBytes changed = file;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
    return changed;
  };
  const std::size_t second = begin_of(script, file, 1);
  const std::size_t third = begin_of(script, file, 2);
  const FileBytes second_scan(file.begin() + static_cast<std::ptrdiff_t>(second),
                              file.begin() + static_cast<std::ptrdiff_t>(third));
  FileBytes comment;
  add_be(comment, 0xFFFE0003, 4);
  add_be(comment, 'a', 1);
  const auto is_left = [](const FileBytes& one) { return !read_jpeg_script(one); };
  EXPECT_FALSE(is_left(with(script.header.size(), comment)));
  EXPECT_TRUE(is_left(with(second, comment))) << "might be a quantization table";
  EXPECT_TRUE(is_left(with(third, second_scan))) << "twice";
  EXPECT_TRUE(is_left(with(second, {std::byte{0xFF}}))) << "fill bytes";
  EXPECT_TRUE(is_left(make_jpeg(image.view()))) << "one scan";
  EXPECT_TRUE(is_left(make_jpeg(image.view(), {.progressive = true, .arithmetic = true})));
  FileBytes disordered = file;
  std::swap(disordered[script.header.size() + 5], disordered[script.header.size() + 9]);
  EXPECT_TRUE(is_left(disordered)) << "Cr, Cb, Y in a scan";
  FileBytes swapped(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(script.header.size()));
  add_bytes(swapped, second_scan);
  add_bytes(swapped, std::span(file).subspan(script.header.size(), second - script.header.size()));
  add_bytes(swapped, std::span(file).subspan(third));
  EXPECT_TRUE(is_left(swapped)) << "AC before DC";
}

TEST(JpegPipeline, IsUsedForLargeImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int channels : {1, 3}) {
    const Image image = smooth_image(random, 1201, 903, {Sample::u8, channels});
    const FileBytes file = make_jpeg(image.view(), {.progressive = true});
    const Image expected = read_with_libjpeg(file);
    for (const int threads : {0, 1, 2, 3, 4, 9, 2}) {
      const DecodedImage decoded = decode(file, "large.jpg", {.threads = threads});
      EXPECT_TRUE(same_pixels(decoded.image.view(), expected.view())) << threads;
      EXPECT_TRUE(decoded.source_encoding);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_jpeg_pipeline

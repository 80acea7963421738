// Reading JPEG: pixels as with libjpeg's default settings, strict and lenient mode, and limits.
#include <gtest/gtest.h>

#include <string_view>
#include <tuple>

#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_reader {
using namespace codecs;

namespace {

using namespace std::string_view_literals;
using namespace test;

constexpr PixelFormat kGray{Sample::u8, 1};
constexpr PixelFormat kRgb{Sample::u8, 3};

using Flags = std::tuple<int, bool, bool>;

class JpegKinds : public ::testing::TestWithParam<Flags> {};

TEST_P(JpegKinds, MatchLibjpeg) {
  const auto [channels, progressive, arithmetic] = GetParam();
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int sampling : {11, 21, 12, 22}) {
    for (int round = 0; round < 3; ++round) {
      const Image image = any_image(random, random.between(1, 70), random.between(1, 70), {Sample::u8, channels});
      JpegChoices choices;
      choices.quality = random.between(20, 100);
      choices.progressive = progressive;
      choices.arithmetic = arithmetic;
      choices.horizontal_sampling = sampling / 10;
      choices.vertical_sampling = sampling % 10;
      choices.restart_interval = random.between(0, 3);
      const FileBytes file = make_jpeg(image.view(), choices);
      const DecodedImage decoded = decode(file, "kind.jpg");
      EXPECT_EQ(decoded.file_format, FileFormat::jpeg);
      EXPECT_TRUE(same_pixels(decoded.image.view(), read_with_libjpeg(file).view()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JpegKinds,
                         ::testing::Combine(::testing::Values(1, 3), ::testing::Bool(), ::testing::Bool()));

FileBytes small_jpeg(const JpegChoices& choices = {}) {
  Random random;
  return make_jpeg(random_image(random, 20, 18, kRgb).view(), choices);
}

std::size_t frame_offset(const FileBytes& file) {
  for (std::size_t i = 2; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && (file[i + 1] == std::byte{0xC0} || file[i + 1] == std::byte{0xC2})) {
      return i;
    }
  }
  ADD_FAILURE() << "no frame";
  return 0;
}

TEST(JpegReader, ReadsStoredRgb) {
  JpegChoices choices;
  choices.as_rgb = true;
  choices.horizontal_sampling = choices.vertical_sampling = 1;
  const FileBytes file = small_jpeg(choices);
  EXPECT_TRUE(same_pixels(decode(file).image.view(), read_with_libjpeg(file).view()));
}

TEST(JpegReader, RejectsEveryPrefix) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const bool progressive : {false, true}) {
    for (const bool arithmetic : {false, true}) {
      JpegChoices choices;
      choices.progressive = progressive;
      choices.arithmetic = arithmetic;
      choices.restart_interval = 1;
      expect_prefixes_rejected(small_jpeg(choices), ~std::size_t{0}, "prefix.jpg");
    }
  }
  expect_prefixes_rejected(make_jpeg(random_image(random, 9, 9, kGray).view()), ~std::size_t{0}, "prefix.jpg");
}

TEST(JpegReader, ReportsTruncation) {
  const FileBytes file = small_jpeg();
  EXPECT_TRUE(rejects(std::span(file).first(file.size() / 2), ErrorKind::decode, "truncated"));
  EXPECT_TRUE(rejects(std::span(file).first(file.size() - 2), ErrorKind::decode, "truncated"));
}

TEST(JpegReader, IgnoresTrailingData) {
  FileBytes file = small_jpeg();
  const Image expected = read_with_libjpeg(file);
  add_text(file, "a movie, perhaps");
  EXPECT_TRUE(same_pixels(decode(file).image.view(), expected.view()));
}

TEST(JpegReader, TreatsWarningsAsErrors) {
  FileBytes file = small_jpeg();
  // These are more bytes than libjpeg reads ahead, so it warns of extraneous bytes before a marker.
  file.insert(file.end() - 2, 100, std::byte{0x12});
  EXPECT_TRUE(rejects(file, ErrorKind::decode, "damaged"));
  EXPECT_TRUE(rejects(file, ErrorKind::decode, "--lenient"));
}

/// docs/decisions/0025-bytes-after-a-scan.md. libjpeg prefetches up to seven of these bytes and does not report them.
TEST(JpegReader, RejectsBytesBeforeTheEndUnlessTheyAreZeros) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int side : {24, 300}) {  // small images are decoded by libjpeg alone, large ones by gpuimg's own decoder
    for (const int channels : {1, 3}) {
      for (const bool progressive : {false, true}) {
        JpegChoices choices;
        choices.progressive = progressive;
        const FileBytes sound = make_jpeg(random_image(random, side, side, {Sample::u8, channels}).view(), choices);
        const Image whole = read_with_libjpeg(sound);
        for (std::size_t count = 1; count <= 9; ++count) {
          FileBytes file = sound;
          file.insert(file.end() - 2, count, std::byte{0});
          const DecodedImage padded = decode(file);
          EXPECT_TRUE(same_pixels(padded.image.view(), whole.view()));
          EXPECT_EQ(padded.notes.size(), 1U);
          file[file.size() - 2 - count] = std::byte{0x12};
          EXPECT_TRUE(rejects(file, ErrorKind::decode, "extraneous bytes before marker 0xd9")) << count;
          const DecodedImage lenient = decode(file, "t.jpg", {.lenient = true});
          EXPECT_TRUE(same_pixels(lenient.image.view(), whole.view()));
          EXPECT_EQ(lenient.notes.size(), 1U);
        }
      }
    }
  }
}

TEST(JpegReader, ReadsAnImageWithATrailerInsteadOfAnEndMarker) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int side : {24, 300}) {
    for (const bool progressive : {false, true}) {
      JpegChoices choices;
      choices.progressive = progressive;
      const FileBytes sound = make_jpeg(random_image(random, side, side, kRgb).view(), choices);
      FileBytes file(sound.begin(), sound.end() - 2);
      add_text(file, "a trailer");
      const DecodedImage decoded = decode(file);
      EXPECT_TRUE(same_pixels(decoded.image.view(), read_with_libjpeg(sound).view()));
      ASSERT_EQ(decoded.notes.size(), 1U);
      EXPECT_EQ(decoded.notes[0], "JPEG: it has no end-of-image marker; what follows its image is ignored (bytes: 9)");
      FileBytes cut(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(sound.size() - sound.size() / 4));
      EXPECT_TRUE(rejects(cut, ErrorKind::decode, "truncated"));
      const FileBytes zeros(sound.size(), std::byte{0});
      cut = FileBytes(sound.begin(), sound.end() - 2);
      add_bytes(cut, zeros);
      EXPECT_TRUE(rejects(cut, ErrorKind::decode, ""));
    }
  }
}

TEST(JpegReader, NotesBytesBetweenSegments) {
  const FileBytes sound = small_jpeg();
  const Image whole = read_with_libjpeg(sound);
  for (const std::string_view bytes : {"\x12"sv, "\xFF\0"sv, "\xFF\xFF\0\x34"sv, "nothing of a JPEG"sv}) {
    FileBytes file = sound;
    const auto inserted = bytes_of(bytes);
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(frame_offset(sound)), inserted.begin(), inserted.end());
    for (const bool lenient : {false, true}) {
      const DecodedImage found = decode(file, "t.jpg", {.lenient = lenient});
      EXPECT_TRUE(same_pixels(found.image.view(), whole.view()));
      ASSERT_EQ(found.notes.size(), 1U);
      EXPECT_NE(found.notes[0].find("extraneous bytes before marker"), std::string::npos);
    }
  }
}

TEST(JpegReader, NamesUnsupportedFeatures) {
  FileBytes file = small_jpeg();
  const std::size_t frame = frame_offset(file);
  const auto with = [&](std::size_t offset, std::uint32_t value) {
    FileBytes changed = file;
    changed[frame + offset] = static_cast<std::byte>(value);
    return changed;
  };
  EXPECT_TRUE(rejects(with(1, 0xC3), ErrorKind::unsupported, "lossless JPEG"));
  EXPECT_TRUE(rejects(with(1, 0xCB), ErrorKind::unsupported, "lossless JPEG"));
  EXPECT_TRUE(rejects(with(1, 0xC5), ErrorKind::unsupported, "hierarchical JPEG"));
  EXPECT_TRUE(rejects(with(4, 12), ErrorKind::unsupported, "12-bit JPEG"));
  EXPECT_TRUE(rejects(with(9, 2), ErrorKind::unsupported, "2 channels"));
}

TEST(JpegReader, LenientReadsFilesWithWarnings) {
  const ReadOptions lenient{.lenient = true};
  const FileBytes sound = small_jpeg();
  const DecodedImage whole = decode(sound, "t.jpg", lenient);
  EXPECT_TRUE(whole.notes.empty());
  EXPECT_TRUE(same_pixels(whole.image.view(), read_with_libjpeg(sound).view()));

  FileBytes extra = sound;
  extra.insert(extra.end() - 2, 100, std::byte{0x12});
  const DecodedImage found = decode(extra, "t.jpg", lenient);
  EXPECT_TRUE(same_pixels(found.image.view(), whole.image.view()));
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_TRUE(found.notes[0].starts_with("file is damaged; decoded anyway: Corrupt JPEG data:")) << found.notes[0];
}

TEST(JpegReader, LenientFillsMissingRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const bool progressive : {false, true}) {
    JpegChoices choices;
    choices.progressive = progressive;
    const Image image = random_image(random, 61, 90, kRgb);
    const FileBytes file = make_jpeg(image.view(), choices);
    const Image whole = read_with_libjpeg(file);
    const auto half = std::span(file).first(file.size() / 2);
    EXPECT_TRUE(rejects(half, ErrorKind::decode, "truncated"));
    const DecodedImage once = decode(half, "t.jpg", {.lenient = true});
    ASSERT_FALSE(once.notes.empty());
    EXPECT_LE(once.notes.size(), 4U);
    EXPECT_EQ(once.image.width(), 61);
    EXPECT_TRUE(same_pixels(decode(half, "t.jpg", {.lenient = true}).image.view(), once.image.view()));
    if (!progressive) {
      for (int x = 0; x < 61; ++x) {
        EXPECT_EQ(sample_at(once.image.view(), x, 0, 1), sample_at(whole.view(), x, 0, 1));
      }
    }
  }
}

TEST(JpegReader, LenientReadsOrRejectsMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const bool progressive : {false, true}) {
    JpegChoices choices;
    choices.progressive = progressive;
    choices.arithmetic = random.below(2) == 1;
    const FileBytes file = with_exif(small_jpeg(choices), exif_with(6, false));
    expect_sane_when_mutated(file, "mutant.jpg", random, 400, {.max_pixels = std::uint64_t{1} << 20, .lenient = true});
  }
}

TEST(JpegReader, ChecksTheDeclaredSizeFirst) {
  FileBytes file = small_jpeg();
  const std::size_t frame = frame_offset(file);
  const auto with_size = [&](std::uint32_t width, std::uint32_t height) {
    FileBytes changed = file;
    changed[frame + 5] = static_cast<std::byte>(height >> 8);
    changed[frame + 6] = static_cast<std::byte>(height);
    changed[frame + 7] = static_cast<std::byte>(width >> 8);
    changed[frame + 8] = static_cast<std::byte>(width);
    return changed;
  };
  EXPECT_TRUE(rejects(with_size(0, 5), ErrorKind::decode, "0x5 pixels"));
  EXPECT_TRUE(rejects(with_size(5, 0), ErrorKind::decode, "5x0 pixels"));
  EXPECT_TRUE(rejects(with_size(60000, 60000), ErrorKind::unsupported, "--max-pixels"));
  EXPECT_TRUE(rejects(with_size(65535, 9), ErrorKind::unsupported, "65500"));
  ReadOptions options;
  options.max_pixels = 359;
  EXPECT_TRUE(rejects(file, ErrorKind::unsupported, "20x18", "test.bin", options));
  options.max_pixels = 360;
  EXPECT_NO_THROW(decode(file, "test.bin", options));
}

TEST(JpegReader, RejectsMoreThan500Scans) {
  Random random;
  JpegChoices choices;
  choices.progressive = true;
  const FileBytes file = make_jpeg(constant_image(8, 8, kGray, 90).view(), choices);
  std::size_t scan = frame_offset(file);
  while (file[scan] != std::byte{0xFF} || file[scan + 1] != std::byte{0xDA}) {
    ++scan;
  }
  std::size_t end = scan + 2;
  while (file[end] != std::byte{0xFF} || file[end + 1] == std::byte{0}) {
    ++end;
  }
  const auto with_scans = [&](int scans) {  // repeats the first scan
    FileBytes many(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(end));
    for (int i = 1; i < scans; ++i) {
      add_bytes(many, std::span(file).subspan(scan, end - scan));
    }
    add_be(many, 0xFFD9, 2);
    return many;
  };
  EXPECT_TRUE(rejects(with_scans(501), ErrorKind::decode));
  // libjpeg warns about a repeated scan, so only lenient mode can reach the limit.
  const ReadOptions lenient{.lenient = true};
  EXPECT_NO_THROW(decode(with_scans(500), "many.jpg", lenient));
  EXPECT_TRUE(rejects(with_scans(501), ErrorKind::decode, "more than 500 scans", "many.jpg", lenient));
}

TEST(JpegReader, ReadsOrRejectsMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const bool progressive : {false, true}) {
    for (const bool arithmetic : {false, true}) {
      JpegChoices choices;
      choices.progressive = progressive;
      choices.arithmetic = arithmetic;
      expect_sane_when_mutated(with_exif(small_jpeg(choices), exif_with(6, false)), "mutant.jpg", random, 400);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_jpeg_reader

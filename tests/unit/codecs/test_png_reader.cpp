// Reading PNG: all kinds give the pixels that the specification defines, however chunks are divided or interleaved, and
// whatever follows the image.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "codecs/file_header.hpp"
#include "support/oracle_png.hpp"
#include "support/random_png.hpp"

namespace gpuimg::test_png_reader {
using namespace codecs;

namespace {

using namespace test;

/// Adds tRNS: a color that occurs in the picture, or alpha values for a part of the palette.
void add_transparency(Random& random, PngPicture& picture) {
  if (picture.kind.color_type == 3) {
    const std::uint32_t count = 1 + random.below(1U << picture.kind.bit_depth);
    for (std::uint32_t i = 0; i < count; ++i) {
      add_le(picture.transparency, random.below(256), 1);
    }
    return;
  }
  const auto channels = static_cast<std::size_t>(picture.kind.channels());
  const std::size_t pixel = random.below(static_cast<std::uint32_t>(picture.samples.size() / channels));
  for (std::size_t c = 0; c < channels; ++c) {
    add_be(picture.transparency, picture.samples[pixel * channels + c], 2);
  }
}

class PngKinds : public ::testing::TestWithParam<std::tuple<std::size_t, bool, int>> {};

TEST_P(PngKinds, MatchTheSpecification) {
  const auto [kind_number, interlaced, filter] = GetParam();
  Random random;
  SCOPED_TRACE(random.trace());
  const PngKind kind = png_kinds()[kind_number];
  for (const bool transparent : {false, true}) {
    if (transparent && kind.color_type >= 4) {
      continue;
    }
    for (int round = 0; round < 6; ++round) {
      PngPicture picture = random_picture(random, kind, 1 + random.below(20), 1 + random.below(20));
      picture.interlaced = interlaced;
      picture.filter = filter;
      if (transparent) {
        add_transparency(random, picture);
      }
      const DecodedImage decoded = decode(make_png(picture), "all.png");
      EXPECT_EQ(decoded.file_format, FileFormat::png);
      EXPECT_TRUE(same_pixels(decoded.image.view(), expected_image(picture).view()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PngKinds,
                         ::testing::Combine(::testing::Range(std::size_t{0}, std::size_t{15}), ::testing::Bool(),
                                            ::testing::Range(0, 6)));

TEST(PngReader, IgnoresDataAfterTheEnd) {
  const PngPicture picture = small_picture();
  FileBytes file = make_png(picture);
  add_text(file, "anything");
  EXPECT_TRUE(same_pixels(decode(file).image.view(), expected_image(picture).view()));
}

TEST(PngReader, ReadsManyImageDataChunks) {
  const PngPicture picture = small_picture();
  std::vector<PngChunk> chunks = png_chunks(picture);
  const FileBytes data = chunks[1].data;
  chunks.erase(chunks.begin() + 1);
  for (std::size_t i = data.size(); i-- > 0;) {
    chunks.insert(chunks.begin() + 1, {"IDAT", {data[i]}});
    chunks.insert(chunks.begin() + 1, {"IDAT", {}});
  }
  EXPECT_TRUE(same_pixels(decode(assemble_png(chunks)).image.view(), expected_image(picture).view()));
}

TEST(PngReader, ChecksTheEndOfDataSplitAcrossChunks) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 12; ++round) {
    const PngPicture picture = random_picture(random, {2, 8}, 300, 300 + random.below(40));
    std::vector<PngChunk> chunks = png_chunks(picture);
    const FileBytes data = chunks[1].data;
    const auto in_pieces = [&](const FileBytes& bytes, std::size_t last_bytes) {
      const auto cut = bytes.end() - static_cast<std::ptrdiff_t>(last_bytes);
      std::vector<PngChunk> pieces = chunks;
      pieces[1].data.assign(bytes.begin(), cut);
      pieces.insert(pieces.begin() + 2, {"IDAT", FileBytes(cut, bytes.end())});
      return assemble_png(pieces);
    };
    FileBytes wrong = data;
    wrong[data.size() - 1 - random.below(4)] ^= std::byte{0x10};
    FileBytes longer = data;
    longer.resize(data.size() + 1 + random.below(100000));
    for (std::size_t last_bytes = 0; last_bytes < 7; ++last_bytes) {
      EXPECT_TRUE(same_pixels(decode(in_pieces(data, last_bytes)).image.view(), expected_image(picture).view()));
      EXPECT_TRUE(rejects(in_pieces(wrong, last_bytes), ErrorKind::decode, "checksum")) << last_bytes;
      const DecodedImage found = decode(in_pieces(longer, last_bytes));
      EXPECT_TRUE(same_pixels(found.image.view(), expected_image(picture).view())) << last_bytes;
      EXPECT_EQ(found.notes.size(), 1U);
    }
  }
}

TEST(PngReader, SkipsDamagedAncillaryChunks) {
  const PngPicture picture = small_picture();
  for (const char* name :
       {"gAMA", "iCCP", "tEXt", "zTXt", "iTXt", "sRGB", "bKGD", "pHYs", "tIME", "eXIf", "sPLT", "prIv"}) {
    for (const std::uint32_t crc_error : {0U, 5U}) {
      std::vector<PngChunk> chunks = png_chunks(picture);
      chunks.insert(chunks.begin() + 1, {name, FileBytes(3, std::byte{0x41}), crc_error});
      EXPECT_TRUE(same_pixels(decode(assemble_png(chunks)).image.view(), expected_image(picture).view())) << name;
    }
  }
}

TEST(PngReader, ReturnsTextInFileOrder) {
  std::vector<PngChunk> chunks = png_chunks(small_picture());
  FileBytes first = bytes_of("gpuimg:hsl");
  add_le(first, 0, 1);
  add_text(first, "u16");
  FileBytes second = bytes_of("Title");
  add_le(second, 0, 1);
  chunks.insert(chunks.begin() + 1, {"tEXt", first});
  chunks.insert(chunks.begin() + 3, {"tEXt", second});
  const DecodedImage decoded = decode(assemble_png(chunks));
  ASSERT_EQ(decoded.text.size(), 2U);
  EXPECT_EQ(decoded.text[0].keyword, "gpuimg:hsl");
  EXPECT_EQ(decoded.text[0].text, "u16");
  EXPECT_EQ(decoded.text[1].keyword, "Title");
  EXPECT_EQ(decoded.text[1].text, "");
}

TEST(PngReader, ReadsVeryLongRowsAndColumns) {
  for (const bool tall : {false, true}) {
    PngPicture picture;
    picture.width = tall ? 1 : 1000000;
    picture.height = tall ? 1000000 : 1;
    picture.samples.assign(1000000, 7);
    const Image image = decode(make_png(picture)).image;
    EXPECT_EQ(image.width(), static_cast<int>(picture.width));
    EXPECT_EQ(sample_at(image.view(), image.width() - 1, image.height() - 1, 0), 7U);
  }
}

TEST(PngReader, SurvivesMutations) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : png_kinds()) {
    PngPicture picture = random_picture(random, kind, 6, 5);
    picture.interlaced = random.below(2) == 1;
    expect_sane_when_mutated(make_png(picture), "mutant.png", random, 150);
    // Chunk checksums are correct, so that more mutations reach the decoder.
    std::vector<PngChunk> chunks = png_chunks(picture);
    for (int round = 0; round < 50; ++round) {
      FileBytes& data = chunks[chunks.size() - 2].data;
      data[random.below(static_cast<std::uint32_t>(data.size()))] ^= static_cast<std::byte>(1 + random.below(255));
      expect_sane_when_mutated(assemble_png(chunks), "mutant.png", random, 1);
    }
  }
}

/// libpng ignores such a color, so programs that use libpng ignore it, too.
TEST(PngReader, IgnoresATransparentColorBeforeTheSuggestedPalette) {
  PngPicture picture;
  picture.kind = {2, 8};
  picture.samples = {1, 2, 3};
  std::vector<PngChunk> chunks = png_chunks(picture);
  const PngChunk transparency{
      "tRNS", FileBytes({std::byte{0}, std::byte{1}, std::byte{0}, std::byte{2}, std::byte{0}, std::byte{3}})};
  chunks.insert(chunks.begin() + 1, {transparency, {"PLTE", FileBytes(6)}});
  const codecs::DecodedImage before = decode(assemble_png(chunks));
  EXPECT_EQ(before.image.format(), (PixelFormat{Sample::u8, 3}));
  ASSERT_EQ(before.notes.size(), 1U);
  EXPECT_NE(before.notes[0].find("it precedes the palette"), std::string::npos);
  EXPECT_EQ(codecs::declared_image(assemble_png(chunks), "a.png").decoded.channels, 3);
  std::swap(chunks[1], chunks[2]);
  const codecs::DecodedImage after = decode(assemble_png(chunks));
  EXPECT_EQ(after.image.format(), (PixelFormat{Sample::u8, 4}));
  EXPECT_EQ(sample_at(after.image.view(), 0, 0, 3), 0U);
  EXPECT_TRUE(after.notes.empty());
}

TEST(PngReader, NotesAnimations) {
  PngPicture picture;
  picture.samples = {7};
  const auto notes_with = [&](std::uint32_t frames, bool first_is_shown) {
    std::vector<PngChunk> chunks = png_chunks(picture);
    PngChunk control{"acTL", {}};
    add_be(control.data, frames, 4);
    add_be(control.data, 0, 4);
    if (first_is_shown) {
      chunks.insert(chunks.begin() + 1, {"fcTL", FileBytes(26)});
    }
    chunks.insert(chunks.begin() + 1, control);
    return decode(assemble_png(chunks)).notes;
  };
  EXPECT_EQ(notes_with(2, true), std::vector<std::string>{"PNG animation: first frame only"});
  EXPECT_EQ(notes_with(2, false),
            std::vector<std::string>{"PNG animation: only the still image, which is not a frame"});
  EXPECT_TRUE(notes_with(1, true).empty());
}

}  // namespace
}  // namespace gpuimg::test_png_reader

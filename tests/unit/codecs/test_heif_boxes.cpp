// Facts that the boxes of a HEIF file declare, read without libheif.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/heif/heif_boxes.hpp"
#include "codecs/heif/heif_file.hpp"
#include "codecs/rejections.hpp"
#include "gpuimg/error.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg {
using namespace codecs;
using namespace codecs::heif;

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using namespace test;

/// AV1: a temporal delimiter, and a sequence header for 8×6 pixels.
constexpr std::string_view kAv1 = "\x12\x00\x0a\x08\x18\x08\xbd\x60\x81\x01\x03\x42"sv;

FileBytes box(std::string_view type, const FileBytes& content) {
  FileBytes bytes;
  add_be(bytes, content.size() + 8, 4);
  add_text(bytes, type);
  add_bytes(bytes, content);
  return bytes;
}

FileBytes joined_boxes(const std::vector<FileBytes>& boxes) {
  FileBytes bytes;
  for (const FileBytes& one : boxes) {
    add_bytes(bytes, one);
  }
  return bytes;
}

/// The box iinf with one item of this type, which a box infe of version 2 describes.
FileBytes item_info(std::string_view type) {
  FileBytes info;
  add_be(info, 0x02000000, 4);
  add_be(info, 1, 2);  // item ID
  add_be(info, 0, 2);
  add_text(info, type);
  FileBytes infos;
  add_be(infos, 0, 4);
  add_be(infos, 1, 2);  // number of items
  add_bytes(infos, box("infe", info));
  return box("iinf", infos);
}

struct Extent {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// The location of the item's data: in the file, or in the box idat.
FileBytes item_places(const std::vector<Extent>& extents, bool in_idat) {
  FileBytes places;
  add_be(places, 0x01000000, 4);
  add_be(places, 0x4400, 2);  // sizes of offset and length fields
  add_be(places, 1, 2);       // number of items
  add_be(places, 1, 2);
  add_be(places, in_idat ? 1 : 0, 2);
  add_be(places, 0, 2);
  add_be(places, extents.size(), 2);
  for (const Extent& extent : extents) {
    add_be(places, extent.offset, 4);
    add_be(places, extent.length, 4);
  }
  return box("iloc", places);
}

FileBytes file_of(std::string_view type, const std::vector<Extent>& extents, bool in_idat) {
  FileBytes meta;
  add_be(meta, 0, 4);
  add_bytes(meta, joined_boxes({item_info(type), item_places(extents, in_idat)}));
  if (in_idat) {
    add_bytes(meta, box("idat", bytes_of(kAv1)));
  }
  return joined_boxes({box("ftyp", bytes_of("avif\0\0\0\0"sv)), box("meta", meta)});
}

/// The file, followed by a box with the data.
FileBytes with_data(const FileBytes& file) { return joined_boxes({file, box("mdat", bytes_of(kAv1))}); }

std::uint32_t offset_of_data(std::size_t extents) {
  return static_cast<std::uint32_t>(file_of("av01", std::vector<Extent>(extents), false).size()) + 8;
}

std::vector<Av1Sequence> sequences_of(std::span<const std::byte> file) {
  std::vector<Av1Sequence> all;
  for (const auto& [id, item] : items_of(file).items) {
    all.insert(all.end(), item.sequences.begin(), item.sequences.end());
  }
  return all;
}

void expect_one_size(const FileBytes& file) {
  const std::vector<Av1Sequence> sizes = sequences_of(file);
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_EQ(sizes[0].width, 8U);
  EXPECT_EQ(sizes[0].height, 6U);
}

TEST(HeifBoxes, GiveTheSizesInTheSequenceHeader) {
  const auto all = static_cast<std::uint32_t>(kAv1.size());
  expect_one_size(with_data(file_of("av01", {{offset_of_data(1), all}}, false)));
  // Length 0: the data reach to the end of the file.
  expect_one_size(with_data(file_of("av01", {{offset_of_data(1), 0}}, false)));
  const std::uint32_t first = offset_of_data(2);
  expect_one_size(with_data(file_of("av01", {{first, 5}, {first + 5, all - 5}}, false)));
  expect_one_size(file_of("av01", {{0, all}}, true));
}

TEST(HeifBoxes, GiveNoSizesForOtherItems) {
  EXPECT_TRUE(sequences_of(with_data(file_of("hvc1", {{offset_of_data(1), 12}}, false))).empty());
  EXPECT_TRUE(sequences_of(file_of("av01", {}, true)).empty());
  EXPECT_TRUE(sequences_of({}).empty());
}

TEST(HeifBoxes, PrefixesAndOffsetsOutOfRangeAreHandled) {
  const FileBytes file = with_data(file_of("av01", {{offset_of_data(1), 12}}, false));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_LE(sequences_of(std::span(file).first(size)).size(), 1U) << size;
  }
  constexpr std::uint32_t kMax = 0xFFFFFFFF;
  EXPECT_TRUE(sequences_of(file_of("av01", {{kMax, kMax}, {kMax, 1}}, false)).empty());
  EXPECT_TRUE(sequences_of(file_of("av01", {{kMax, kMax}, {kMax, 0}}, true)).empty());
}

TEST(HeifBoxes, RejectItemsThatShareDataTooOften) {
  const std::vector<Extent> whole_file(4000);  // 32 KB
  const FileBytes file = file_of("av01", whole_file, false);
  EXPECT_TRUE(items_of(file).share_too_much);
  EXPECT_FALSE(items_of(file_of("av01", std::vector<Extent>(1000), false)).share_too_much);
  try {
    (void)HeifFile(file, "file");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              "file: file is damaged: its items share the same data too often; download or copy it again"s);
  }
}

TEST(HeifBoxes, EveryPrefixIsTruncatedUnlessItEndsAfterABox) {
  const FileBytes file = with_data(file_of("av01", {{offset_of_data(1), 12}}, false));
  const std::size_t after_type = 16;
  const std::size_t after_meta = file.size() - kAv1.size() - 8;
  for (std::size_t size = 0; size <= file.size(); ++size) {
    const auto prefix = std::span(file).first(size);
    if (size == 0 || size == after_type || size == after_meta || size == file.size()) {
      EXPECT_NO_THROW(check_boxes(prefix, "file")) << size;
    } else {
      EXPECT_THROW(check_boxes(prefix, "file"), TruncatedFile) << size;
    }
  }
}

TEST(HeifBoxes, MayHave64BitSizesOrReachTheEnd) {
  FileBytes to_the_end;
  add_be(to_the_end, 0, 4);
  add_text(to_the_end, "mdat...");
  EXPECT_NO_THROW(check_boxes(to_the_end, "file"));
  FileBytes long_size;
  add_be(long_size, 1, 4);
  add_text(long_size, "mdat");
  add_be(long_size, 17, 8);
  EXPECT_THROW(check_boxes(long_size, "file"), TruncatedFile);
  long_size.push_back(std::byte{0});
  EXPECT_NO_THROW(check_boxes(long_size, "file"));
}

TEST(HeifBoxes, ABoxShorterThanItsHeaderIsDamaged) {
  FileBytes file;
  add_be(file, 7, 4);
  add_text(file, "free....");
  try {
    check_boxes(file, "file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::decode);
    EXPECT_NE(std::string_view(error.what()).find("the box at byte 0 is too short"), std::string_view::npos);
  }
}

// --- Transformations ------------------------------------------------------------------------------------------------

FileBytes fractions(std::initializer_list<std::int32_t> values) {
  FileBytes bytes;
  for (const std::int32_t value : values) {
    add_be(bytes, static_cast<std::uint32_t>(value), 4);
  }
  return bytes;
}

/// The framing that the properties give an image of 8×6 coded pixels.
std::optional<Framing> framing_by(const std::vector<std::pair<std::string_view, FileBytes>>& properties) {
  HeifItem item;
  for (const auto& [type, content] : properties) {
    item.properties.push_back({type, content, {}});
  }
  return item.framing(8, 6);
}

TEST(HeifBoxes, CombineTurnsAndMirrorsIntoAnExifOrientation) {
  const FileBytes zero = bytes_of("\0"sv);
  const FileBytes one = bytes_of("\1"sv);
  const FileBytes two = bytes_of("\2"sv);
  const FileBytes three = bytes_of("\3"sv);
  EXPECT_EQ(framing_by({})->orientation(), 1);
  EXPECT_EQ(framing_by({{"irot", one}})->orientation(), 8);  // counterclockwise
  EXPECT_EQ(framing_by({{"irot", two}})->orientation(), 3);
  EXPECT_EQ(framing_by({{"irot", three}})->orientation(), 6);
  EXPECT_EQ(framing_by({{"imir", zero}})->orientation(), 4);
  EXPECT_EQ(framing_by({{"imir", one}})->orientation(), 2);
  EXPECT_EQ(framing_by({{"irot", one}, {"imir", zero}})->orientation(), 5);
  EXPECT_EQ(framing_by({{"imir", zero}, {"irot", one}})->orientation(), 7);
  EXPECT_EQ(framing_by({{"irot", one}, {"irot", three}})->orientation(), 1);
  EXPECT_EQ(framing_by({{"irot", one}})->shown_width(), 6U);
}

TEST(HeifBoxes, ACropAppliesToTheTurnedImage) {
  const FileBytes crop = fractions({4, 1, 2, 1, 2, 1, -1, 1});
  EXPECT_EQ(framing_by({{"clap", crop}}), (Framing{4, 1, 4, 2}));
  const FileBytes one = bytes_of("\1"sv);
  // The rotated image has 6×8 pixels.
  const std::optional<Framing> turned = framing_by({{"irot", one}, {"clap", crop}});
  ASSERT_TRUE(turned.has_value());
  EXPECT_EQ(turned->shown_width(), 3U);  // clipped to the image
  // The rotated image's third row from the top is the stored image's third column from the right.
  EXPECT_EQ(turned->left, 8U - 2 - 2);
  EXPECT_EQ(turned->width, 2U);
  EXPECT_EQ(turned->top, 3U);
  EXPECT_EQ(turned->height, 3U);
  EXPECT_EQ(framing_by({{"imir", one}, {"clap", crop}})->left, 0U);
}

TEST(HeifBoxes, AnEmptyCropIsInvalid) {
  EXPECT_FALSE(framing_by({{"clap", fractions({4, 1, 2, 1, 20, 1, 0, 1})}}).has_value());
  EXPECT_FALSE(framing_by({{"clap", fractions({4, 0, 2, 1, 0, 1, 0, 1})}}).has_value());
  EXPECT_FALSE(framing_by({{"clap", fractions({4, 1, 2, 1, 0, 1})}}).has_value());
  // A crop that is wider than the image is clipped to it.
  EXPECT_EQ(framing_by({{"clap", fractions({40, 1, 2, 1, 0, 1, 0, 1})}}), (Framing{0, 2, 8, 2}));
}

}  // namespace
}  // namespace gpuimg

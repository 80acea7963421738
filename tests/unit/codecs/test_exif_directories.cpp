// EXIF data are parsed and written again: in both byte orders, in classic and big TIFF, and damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codecs/metadata/exif.hpp"
#include "support/metadata_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_exif_directories {
using namespace codecs;

namespace {

using namespace test;

std::optional<ExifDirectories> read(const FileBytes& exif) { return read_exif_directories(in_memory(exif)); }

std::string value_of(const std::vector<ExifEntry>& entries, int tag) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const ExifEntry& e) { return e.tag == tag; });
  return found == entries.end() ? "none"
                                : std::string(reinterpret_cast<const char*>(found->value.data()), found->value.size());
}

void expect_rich(const ExifDirectories& found) {
  using namespace std::string_literals;
  EXPECT_EQ(value_of(found.image, 271), "Camera Ltd.\0"s);
  EXPECT_EQ(value_of(found.exif, 33434), "\1\0\0\0\xFA\0\0\0"s);
  EXPECT_EQ(value_of(found.exif, 34855), "d\0\xC8\0"s);
  EXPECT_EQ(value_of(found.exif, 37510), "UNICODE\0H\0i\0"s);
  EXPECT_EQ(value_of(found.gps, 1), "N\0"s);
  EXPECT_EQ(value_of(found.gps, 2).substr(0, 12), "\x2F\0\0\0\1\0\0\0\x1E\0\0\0"s);
  EXPECT_EQ(found.image.size(), 1U);
  EXPECT_EQ(found.exif.size(), 3U);
  EXPECT_EQ(found.gps.size(), 2U);
}

TEST(ExifDirectories, AreTheSameInBothByteOrders) {
  for (const bool is_big_endian : {false, true}) {
    const auto found = read(rich_exif({.is_big_endian = is_big_endian}));
    ASSERT_TRUE(found);
    expect_rich(*found);
    EXPECT_FALSE(found->has_maker_note || found->has_next || found->has_other_tags);
    const FileBytes data = exif_data(*found, 6);
    EXPECT_EQ(exif_orientation(data), 6);
    const auto again = read(data);
    ASSERT_TRUE(again);
    expect_rich(*again);
    EXPECT_EQ(exif_data(*again, 6), data);
  }
}

TEST(ExifDirectories, ReportDroppedParts) {
  const auto found = read(rich_exif({.is_big_endian = true, .has_maker_note = true, .has_thumbnail = true}));
  ASSERT_TRUE(found);
  expect_rich(*found);
  EXPECT_TRUE(found->has_maker_note);
  EXPECT_TRUE(found->has_next);
  EXPECT_EQ(value_of(found->exif, 37500), "none");
}

TEST(ExifDirectories, AreEmptyWithoutEntries) {
  EXPECT_TRUE(exif_data({}, 1).empty());
  EXPECT_EQ(exif_orientation(exif_data({}, 8)), 8);
  EXPECT_TRUE(exif_data({}, 0).empty() && exif_data({}, 9).empty());
  const auto found = read(exif_with(1, true));
  ASSERT_TRUE(found);
  EXPECT_TRUE(exif_data(*found, 1).empty());
}

TEST(ExifDirectories, AreReadFromABigTiff) {
  const auto found = read(rich_exif());
  ASSERT_TRUE(found);
  FileBytes file = bytes_of(std::string_view("II\x2B\0\x08\0\0\0", 8));
  add_le(file, 0, 8);
  const ExifOffsets offsets = append_exif_directories(file, *found, true);
  const std::uint64_t main = file.size();
  add_le(file, 3, 8);
  for (const auto& [tag, offset] : {std::pair(34665, offsets.exif), std::pair(34853, offsets.gps)}) {
    add_le(file, static_cast<std::uint64_t>(tag), 2);
    add_le(file, 18, 2);  // IFD8
    add_le(file, 1, 8);
    add_le(file, offset, 8);
  }
  add_le(file, 271, 2);
  add_le(file, 2, 2);
  add_le(file, 4, 8);
  add_text(file, std::string_view("abc\0\0\0\0\0", 8));
  add_le(file, 0, 8);
  const auto big = read_exif_directories(in_memory(file), main);
  ASSERT_TRUE(big);
  EXPECT_EQ(value_of(big->image, 271), std::string("abc\0", 4));
  EXPECT_EQ(value_of(big->exif, 37510), value_of(found->exif, 37510));
  EXPECT_EQ(value_of(big->gps, 2), value_of(found->gps, 2));
}

TEST(ExifDirectories, ANullPointerMeansAnEmptyDirectory) {
  FileBytes exif = rich_exif();
  const std::size_t pointer = 8 + 2 + 3 * 12 + 8;
  std::fill_n(exif.begin() + static_cast<std::ptrdiff_t>(pointer), 4, std::byte{0});
  const auto found = read(exif);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->exif.empty());
  EXPECT_EQ(found->gps.size(), 2U);
}

TEST(ExifDirectories, AreRejectedIfTruncated) {
  const FileBytes whole = rich_exif({.has_thumbnail = true});
  const std::size_t needed = rich_exif().size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const FileBytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(read(cut).has_value(), size >= needed) << size;
  }
}

TEST(ExifDirectories, DamagedDataAreDropped) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 20000; ++round) {
    FileBytes damaged = rich_exif({.is_big_endian = round % 2 == 0, .has_maker_note = true, .has_thumbnail = true});
    for (int i = 0; i <= round % 4; ++i) {
      damaged[random.below(static_cast<std::uint32_t>(damaged.size()))] = static_cast<std::byte>(random.below(256));
    }
    (void)tag_bytes(in_memory(damaged), 0, 271);
    if (const auto found = read(damaged)) {
      const FileBytes data = exif_data(*found, 1);
      const auto again = data.empty() ? std::nullopt : read(data);
      ASSERT_TRUE(data.empty() || (again && exif_data(*again, 1) == data));
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_exif_directories

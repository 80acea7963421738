// The chain of directories of a TIFF: what counts as a page, and chains that are damaged or hostile.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "codecs/declared_image.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/tiff/tiff_pages.hpp"
#include "support/file_bytes.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace codecs;
using namespace test;

struct Page {
  int width = 2;
  int height = 1;
  std::uint32_t level = 0;         ///< of all pixels
  std::uint32_t subfile_type = 0;  ///< tag 254
};

/// 8-bit gray, one strip a page. `last_link` is where the last directory points.
FileBytes paged_tiff(const std::vector<Page>& pages, bool is_big_endian, bool is_big, std::uint32_t last_link = 0) {
  FileBytes file = bytes_of(is_big_endian ? "MM" : "II");
  const auto add = [&](FileBytes& to, std::uint64_t value, int bytes) {
    const auto low = static_cast<std::uint32_t>(value);
    if (bytes == 8) {
      is_big_endian ? (add_be(to, 0, 4), add_be(to, low, 4)) : (add_le(to, low, 4), add_le(to, 0, 4));
    } else {
      is_big_endian ? add_be(to, low, bytes) : add_le(to, low, bytes);
    }
  };
  const int offset_bytes = is_big ? 8 : 4;
  add(file, is_big ? 43 : 42, 2);
  if (is_big) {
    add(file, 8, 2);
    add(file, 0, 2);
  }
  std::size_t link = file.size();
  add(file, 0, offset_bytes);
  const auto set_link = [&](std::uint64_t to) {
    FileBytes offset;
    add(offset, to, offset_bytes);
    std::copy(offset.begin(), offset.end(), file.begin() + static_cast<std::ptrdiff_t>(link));
  };
  for (const Page& page : pages) {
    const auto pixels = static_cast<std::size_t>(page.width * page.height);
    const std::size_t strip = file.size();
    file.insert(file.end(), pixels + pixels % 2, static_cast<std::byte>(page.level));
    set_link(file.size());
    const std::vector<std::pair<std::uint32_t, std::uint64_t>> tags = {{254, page.subfile_type},
                                                                       {256, page.width},
                                                                       {257, page.height},
                                                                       {258, 8},
                                                                       {259, 1},
                                                                       {262, 1},
                                                                       {273, strip},
                                                                       {277, 1},
                                                                       {278, page.height},
                                                                       {279, pixels}};
    add(file, tags.size(), is_big ? 8 : 2);
    for (const auto& [tag, value] : tags) {
      add(file, tag, 2);
      add(file, 4, 2);
      add(file, 1, offset_bytes);
      add(file, value, 4);
      if (is_big) {
        add(file, 0, 4);
      }
    }
    link = file.size();
    add(file, last_link, offset_bytes);
  }
  return file;
}

std::string refusal_of(const FileBytes& file, const std::string& name, std::uint32_t page) {
  try {
    ReadOptions options;
    options.page = page;
    (void)decode(file, name, options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TiffPages, AreCountedAndReadByNumber) {
  for (const bool is_big_endian : {false, true}) {
    for (const bool is_big : {false, true}) {
      // The second is a thumbnail, the fourth a mask.
      const FileBytes file =
          paged_tiff({{5, 3, 10}, {1, 1, 99, 1}, {4, 2, 20, 2}, {4, 2, 98, 4}, {7, 7, 30}}, is_big_endian, is_big);
      EXPECT_EQ(tiff_pages(in_memory(file)).size(), 3U);
      const int widths[] = {5, 4, 7};
      for (std::uint32_t page = 0; page <= 3; ++page) {
        ReadOptions options;
        options.page = page;
        const DecodedImage decoded = decode(file, "t.tif", options);
        const std::uint32_t index = std::max(page, 1U) - 1;
        EXPECT_EQ(decoded.image.width(), widths[index]);
        EXPECT_EQ(*decoded.image.view().row<std::uint8_t>(0), 10 * (index + 1));
        EXPECT_EQ(decoded.pages, 3U);
        ASSERT_EQ(decoded.notes.size(), page == 0 ? 1U : 0U);
        EXPECT_TRUE(page > 0 || decoded.notes[0].find("TIFF of 3 pages: first page only") != std::string::npos);
      }
      EXPECT_EQ(refusal_of(file, "t.tif", 4),
                "t.tif, page 4: there is no such page: the file has 3; choose another by --page");
    }
  }
}

TEST(TiffPages, OfAFileAreReadWhereTheyAre) {
  const TemporaryFolder folder;
  const FileBytes file = paged_tiff({{5, 3, 10}, {6, 2, 20}}, false, false);
  put_text(folder / "a.tif", {reinterpret_cast<const char*>(file.data()), file.size()});
  EXPECT_EQ(pages_in(folder / "a.tif"), 2U);
  EXPECT_EQ(pages_in(folder / "missing.tif"), 1U);
  EXPECT_EQ(declared_image_in(folder / "a.tif", 2).width, 6U);
  EXPECT_EQ(declared_image_in(folder / "a.tif", 3).width, 0U);
  std::uint64_t expected = 0;
  ReadOptions options;
  options.page = 2;
  const auto decoded =
      decode_file(folder / "a.tif", options, [&](const DeclaredImage& image) { expected = image.pixels(); });
  ASSERT_TRUE(decoded);
  EXPECT_EQ(expected, 12U);
  EXPECT_EQ(*decoded->image.view().row<std::uint8_t>(1), 20);
}

TEST(TiffPages, ADamagedPageLeavesTheOthersReadable) {
  FileBytes file = paged_tiff({{5, 3, 10}, {0, 2, 20}, {4, 1, 30}}, true, false);
  EXPECT_TRUE(refusal_of(file, "t.tif", 2).starts_with("t.tif, page 2: file is damaged"));
  ReadOptions options;
  options.page = 3;
  EXPECT_EQ(*decode(file, "t.tif", options).image.view().row<std::uint8_t>(0), 30);
  // A first directory of no entries.
  FileBytes without_first = file;
  const std::size_t first = 8 + 16;
  without_first[first] = without_first[first + 1] = std::byte{0};
  EXPECT_TRUE(refuses(without_first, ErrorKind::decode, "", "t.tif"));
}

TEST(TiffPages, AChainThatTurnsBackEnds) {
  const FileBytes once = paged_tiff({{2, 1, 1}, {2, 1, 2}}, false, false, 0);
  const auto first = static_cast<std::uint32_t>(tiff_pages(in_memory(once))[0]);
  const FileBytes loop = paged_tiff({{2, 1, 1}, {2, 1, 2}}, false, false, first);
  EXPECT_EQ(tiff_pages(in_memory(loop)).size(), 2U);
  EXPECT_EQ(decode(loop, "t.tif").pages, 2U);
}

/// Directories that overlap would otherwise cost their number times their size.
TEST(TiffPages, ReadsNoMoreThanTheFileHas) {
  FileBytes file = bytes_of("II*");
  add_le(file, 0, 1);
  add_le(file, 8, 4);
  constexpr std::size_t kSize = std::size_t{1} << 22;
  file.resize(kSize, std::byte{0});
  const RandomAccess memory = in_memory(file);
  std::uint64_t bytes_read = 0;
  const RandomAccess counted{kSize, [&](std::uint64_t offset, std::span<std::byte> to) {
                               const std::size_t count = memory.read(offset, to);
                               if (to.size() == 2) {  // every directory claims the most entries
                                 to[0] = to[1] = std::byte{255};
                               } else if (to.size() > 4) {  // and the next one begins a little further on
                                 const auto next = static_cast<std::uint32_t>(offset + 16);
                                 for (std::size_t i = 0; i < 4; ++i) {
                                   to[to.size() - 4 + i] = static_cast<std::byte>(next >> (8 * i));
                                 }
                               }
                               bytes_read += count;
                               return count;
                             }};
  EXPECT_LT(tiff_pages(counted).size(), 10U);
  EXPECT_LT(bytes_read, 2 * kSize);
}

TEST(TiffPages, OtherFormatsHaveOne) {
  const FileBytes file = make_pnm("P5\n1 1\n255\n", {7}, 1);
  EXPECT_EQ(refusal_of(file, "a.pgm", 1), "");
  EXPECT_EQ(refusal_of(file, "a.pgm", 2),
            "a.pgm, page 2: there is no such page: the file has 1; choose another by --page");
}

}  // namespace
}  // namespace gpuimg

// The chain of directories in a TIFF: which of them count as pages, and damaged or hostile chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/formats.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/tiff/tiff_pages.hpp"
#include "support/file_bytes.hpp"
#include "support/metadata_maker.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_tiff_pages {
namespace {

using namespace codecs;
using namespace test;

struct Page {
  int width = 2;
  int height = 1;
  std::uint32_t level = 0;         ///< level of all pixels
  std::uint32_t subfile_type = 0;  ///< tag 254
};

/// 8-bit gray pages with one strip each. The last directory points to the offset `last_link`.
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

std::string rejection_of(const FileBytes& file, const std::string& name, std::uint32_t page) {
  try {
    ReadOptions options;
    options.page = {page};
    (void)decode(file, name, options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TiffPages, AreCountedAndReadByNumber) {
  for (const bool is_big_endian : {false, true}) {
    for (const bool is_big : {false, true}) {
      // The second page is a thumbnail, and the fourth is a mask.
      const FileBytes file =
          paged_tiff({{5, 3, 10}, {1, 1, 99, 1}, {4, 2, 20, 2}, {4, 2, 98, 4}, {7, 7, 30}}, is_big_endian, is_big);
      EXPECT_EQ(tiff::tiff_pages(in_memory(file)).count(), 3U);
      const int widths[] = {5, 4, 7};
      for (std::uint32_t page = 0; page <= 3; ++page) {
        ReadOptions options;
        options.page = {page};
        const DecodedImage decoded = decode(file, "t.tif", options);
        const std::uint32_t index = std::max(page, 1U) - 1;
        EXPECT_EQ(decoded.image.width(), widths[index]);
        EXPECT_EQ(*decoded.image.view().row<std::uint8_t>(0), 10 * (index + 1));
        EXPECT_EQ(decoded.pages, 3U);
        ASSERT_EQ(decoded.notes.size(), page == 0 ? 1U : 0U);
        EXPECT_TRUE(page > 0 || decoded.notes[0].find("TIFF of 3 pages: first page only") != std::string::npos);
      }
      EXPECT_EQ(rejection_of(file, "t.tif", 4), "t.tif, page 4: the file has only 3 pages; choose another --page");
    }
  }
}

/// The level of each page; nullopt for a page that is rejected.
std::vector<std::optional<int>> levels_of(std::span<const std::byte> file, const PageList& pages) {
  std::vector<std::optional<int>> levels;
  for (std::uint32_t page = 1; page <= pages.count(); ++page) {
    for (const std::uint64_t place : {std::uint64_t{0}, pages.places[page - 1]}) {
      std::optional<int> level;
      try {
        ReadOptions options;
        options.page = {page, place};
        level = *decode(file, "t.tif", options).image.view().row<std::uint8_t>(0);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::decode);
      }
      if (place == 0) {
        levels.push_back(level);
      } else {
        EXPECT_EQ(level, levels.back()) << "page " << page << " at its place is another";
      }
    }
  }
  return levels;
}

TEST(TiffPages, DoNotIncludeALeadingThumbnail) {
  for (const bool is_big : {false, true}) {
    const FileBytes file =
        paged_tiff({{1, 1, 99, 1}, {2, 2, 98, 4}, {5, 3, 10}, {1, 1, 97, 1}, {7, 7, 30}}, false, is_big);
    EXPECT_EQ(tiff::tiff_pages(in_memory(file)).count(), 2U);
    EXPECT_EQ(declared_image(file, "t.tif").width, 5U);
    for (std::uint32_t page = 0; page <= 2; ++page) {
      ReadOptions options;
      options.page = {page};
      EXPECT_EQ(*decode(file, "t.tif", options).image.view().row<std::uint8_t>(0), page == 2 ? 30 : 10);
    }
    // If the page is lost, the thumbnail must not replace it.
    const auto first = static_cast<std::size_t>(tiff::tiff_pages(in_memory(file)).places[0]);
    for (const std::size_t size : {first - 1, first + 1, first + 20}) {
      EXPECT_TRUE(rejects(std::span(file).first(size), ErrorKind::decode, "file is truncated", "t.tif")) << size;
      const FileBytes prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(levels_of(prefix, tiff::tiff_pages(in_memory(prefix))),
                (std::vector<std::optional<int>>{std::nullopt}));
    }
  }
  const FileBytes alone = paged_tiff({{3, 1, 99, 1}, {2, 2, 98, 1}}, false, false);
  EXPECT_EQ(tiff::tiff_pages(in_memory(alone)).count(), 1U);
  EXPECT_EQ(decode(alone, "t.tif").image.width(), 3);
}

/// Images of 3x2 pixels with levels 1, 2, …, stored consecutively, with one directory for all of them.
FileBytes imagej_stack(std::uint32_t images, std::uint32_t declared, bool is_big_endian) {
  FileBytes file = bytes_of(is_big_endian ? "MM" : "II");
  const auto add = [&](std::uint32_t value, int bytes) {
    is_big_endian ? add_be(file, value, bytes) : add_le(file, value, bytes);
  };
  const std::string description = "ImageJ=1.53t\nimages=" + std::to_string(declared) + "\nslices=3\n" + '\0';
  const auto text_size = static_cast<std::uint32_t>(description.size());
  constexpr std::uint32_t kText = 8 + 2 + 10 * 12 + 4;
  const std::uint32_t strip = kText + text_size;
  const std::pair<std::uint32_t, std::uint32_t> tags[] = {{256, 3},     {257, 2},     {258, 8}, {259, 1}, {262, 1},
                                                          {270, kText}, {273, strip}, {277, 1}, {278, 2}, {279, 6}};
  add(42, 2);
  add(8, 4);
  add(10, 2);
  for (const auto& [tag, value] : tags) {
    add(tag, 2);
    add(tag == 270 ? 2 : 4, 2);
    add(tag == 270 ? text_size : 1, 4);
    add(value, 4);
  }
  add(0, 4);
  add_text(file, description);
  for (std::uint32_t image = 1; image <= images; ++image) {
    file.insert(file.end(), 6, static_cast<std::byte>(image));
  }
  return file;
}

TEST(TiffPages, AreFoundInAnImagejStackWithOneDirectory) {
  for (const bool is_big_endian : {false, true}) {
    const FileBytes file = imagej_stack(5, 5, is_big_endian);
    const PageList pages = tiff::tiff_pages(in_memory(file));
    EXPECT_EQ(pages.count(), 5U);
    EXPECT_EQ(pages.lost + pages.damage, "");
    EXPECT_EQ(levels_of(file, pages), (std::vector<std::optional<int>>{1, 2, 3, 4, 5}));
    EXPECT_EQ(decode(file, "t.tif").notes.size(), 1U);
    ReadOptions options;
    options.page = {4};
    EXPECT_EQ(*decode(file, "t.tif", options).image.view().row<std::uint8_t>(1), 4);
  }
  const PageList cut_off = tiff::tiff_pages(in_memory(imagej_stack(3, 5, false)));
  EXPECT_EQ(cut_off.count(), 3U);
  EXPECT_EQ(cut_off.lost, "it ends within image 4 of a stack of 5");
}

TEST(TiffPages, AreReadInPlaceFromAnOpenFile) {
  const TemporaryFolder folder;
  const FileBytes file = paged_tiff({{5, 3, 10}, {6, 2, 20}}, false, false);
  put_text(folder / "a.tif", {reinterpret_cast<const char*>(file.data()), file.size()});
  EXPECT_EQ(pages_in(folder / "a.tif").count(), 2U);
  EXPECT_EQ(pages_in(folder / "missing.tif").count(), 1U);
  EXPECT_EQ(declared_image_in(folder / "a.tif", {2}).width, 6U);
  EXPECT_EQ(declared_image_in(folder / "a.tif", {3}).width, 0U);
  std::uint64_t expected = 0;
  ReadOptions options;
  options.page = {2};
  const auto decoded = decode_file(folder / "a.tif", options, [&](const DeclaredImage& image, std::uint64_t) {
    expected = image.pixels();
    return true;
  });
  ASSERT_TRUE(decoded);
  EXPECT_EQ(expected, 12U);
  EXPECT_EQ(*decoded->image.view().row<std::uint8_t>(1), 20);
}

TEST(TiffPages, ADamagedPageLeavesTheOthersReadable) {
  FileBytes file = paged_tiff({{5, 3, 10}, {0, 2, 20}, {4, 1, 30}}, true, false);
  EXPECT_TRUE(rejection_of(file, "t.tif", 2).starts_with("t.tif, page 2: file is damaged"));
  ReadOptions options;
  options.page = {3};
  EXPECT_EQ(*decode(file, "t.tif", options).image.view().row<std::uint8_t>(0), 30);
  // The first directory has no entries.
  FileBytes without_first = file;
  const std::size_t first = 8 + 16;
  without_first[first] = without_first[first + 1] = std::byte{0};
  EXPECT_TRUE(rejects(without_first, ErrorKind::decode, "", "t.tif"));
}

/// A truncated file lacks pages or has an unreadable page, and a note or an error says so. All other pages are
/// unchanged.
TEST(TiffPages, EveryPrefixKeepsItsCompletePages) {
  for (const bool is_big_endian : {false, true}) {
    for (const bool is_big : {false, true}) {
      const FileBytes file = paged_tiff({{5, 3, 10}, {1, 1, 99, 1}, {4, 2, 20}, {7, 7, 30}}, is_big_endian, is_big);
      const PageList whole = tiff::tiff_pages(in_memory(file));
      EXPECT_EQ(whole.count(), 3U);
      EXPECT_EQ(whole.lost + whole.damage, "");
      const std::size_t directory = is_big ? 8 + 10 * 20 + 8 : 2 + 10 * 12 + 4;
      for (std::size_t size = 16; size < file.size(); ++size) {
        const auto prefix = std::span(file).first(size);
        const PageList pages = tiff::tiff_pages(in_memory(prefix));
        std::size_t held = 0;
        while (held < whole.count() && whole.places[held] + directory <= size) {
          ++held;
        }
        ASSERT_NE(pages.damage, "") << size;
        ASSERT_EQ(pages.lost.empty(), held == 0) << size;
        ASSERT_EQ(pages.count(), std::max<std::size_t>(held, 1)) << size;
        const auto levels = levels_of(prefix, pages);
        for (std::size_t page = 0; page < levels.size(); ++page) {
          ASSERT_EQ(levels[page], held > 0 ? std::optional(10 * static_cast<int>(page + 1)) : std::nullopt) << size;
        }
        if (held > 0) {
          const std::string rejection =
              rejection_of(FileBytes(prefix.begin(), prefix.end()), "t.tif", pages.count() + 1);
          ASSERT_NE(rejection.find("file is damaged: " + pages.lost), std::string::npos) << rejection;
          const DecodedImage first = decode(prefix, "t.tif");
          ASSERT_TRUE(first.has_lost_pages);
          ASSERT_EQ(first.notes.size(), 1U);
          ASSERT_NE(first.notes[0].find(pages.lost), std::string::npos) << first.notes[0];
        }
      }
    }
  }
}

TEST(TiffPages, AnInvalidLinkLosesTheRemainingPages) {
  const std::vector<Page> pages = {{5, 3, 10}, {4, 2, 0}};
  const auto with_link = [&](std::uint32_t link) { return paged_tiff(pages, false, false, link); };
  const auto size = static_cast<std::uint32_t>(with_link(0).size());
  const PageList whole = tiff::tiff_pages(in_memory(with_link(0)));
  const auto second = static_cast<std::uint32_t>(whole.places[1]);
  const std::pair<std::uint32_t, std::string> cases[] = {
      {size, "it ends before the directory of page 3"},
      {0x7fffffff, "it ends before the directory of page 3"},
      {size - 1, "it ends within the directory of page 3"},
      {size - 9, "it ends within the directory of page 3"},
      {second - 8, "other data is in place of the directory of page 3"},  // pixels, all of them 0
      {second + 6, "other data is in place of the directory of page 3"},  // within another directory
      {second, "after page 2, the list of its pages leads back to an earlier one"},
  };
  for (const auto& [link, why] : cases) {
    const FileBytes file = with_link(link);
    const PageList found = tiff::tiff_pages(in_memory(file));
    EXPECT_EQ(found.count(), 2U) << link;
    EXPECT_EQ(found.lost, why) << link;
    EXPECT_EQ(found.damage, why) << link;
    EXPECT_EQ(levels_of(file, found), (std::vector<std::optional<int>>{10, 0})) << link;
  }
}

/// A page that is clearly damaged is reported; the other pages can still be read.
TEST(TiffPages, ADirectoryWithoutAnImageIsDamaged) {
  const FileBytes whole = paged_tiff({{5, 3, 10}, {4, 2, 20}, {7, 7, 30}}, false, false);
  const std::vector<std::uint64_t> places = tiff::tiff_pages(in_memory(whole)).places;
  const auto changed = [&](std::size_t entry, std::size_t byte, std::uint8_t to) {
    FileBytes file = whole;
    file[static_cast<std::size_t>(places[1]) + 2 + 12 * entry + byte] = std::byte{to};
    return file;
  };
  const FileBytes without_width = changed(1, 1, 0xF0);
  EXPECT_EQ(tiff::tiff_pages(in_memory(without_width)).damage, "the directory of page 2 has no width and height");
  const FileBytes of_many_strips = changed(6, 7, 0x10);  // the values would lie past the end
  EXPECT_EQ(tiff::tiff_pages(in_memory(of_many_strips)).damage,
            "the directory of page 2 refers to data after the end of the file");
  for (const FileBytes& file : {without_width, of_many_strips}) {
    const PageList pages = tiff::tiff_pages(in_memory(file));
    EXPECT_EQ(pages.places, places);
    EXPECT_EQ(pages.lost, "");
    EXPECT_EQ(levels_of(file, pages), (std::vector<std::optional<int>>{10, std::nullopt, 30}));
  }
}

/// The number of reads for all pages of the file, each page located by its directory.
std::size_t reads_of_all_pages(std::size_t count) {
  const FileBytes file = paged_tiff(std::vector<Page>(count, Page{2, 1, 7}), false, false);
  const RandomAccess memory = in_memory(file);
  std::size_t reads = 0;
  const RandomAccess counted{file.size(), [&](std::uint64_t offset, std::span<std::byte> to) {
                               ++reads;
                               return memory.read(offset, to);
                             }};
  const PagedReading& paged = *codec_of(FileFormat::tiff).paged;
  const PageList pages = paged.pages(counted);
  EXPECT_EQ(pages.count(), count);
  for (std::uint32_t page = 1; page <= pages.count(); ++page) {
    ReadOptions options;
    options.page = {page, pages.places[page - 1]};
    EXPECT_EQ(paged.declared(counted, "t.tif", options.page).width, 2U);
    std::vector<std::string> details;
    (void)paged.metadata(counted, "t.tif", options.page, details);
    EXPECT_EQ(*paged.decode(counted, "t.tif", options).image.view().row<std::uint8_t>(0), 7);
  }
  return reads;
}

TEST(TiffPages, ReadsPerPageDoNotGrowWithTheNumberOfPages) {
  const std::size_t of_ten = reads_of_all_pages(10);
  EXPECT_LE(reads_of_all_pages(200), 20 * of_ten);
}

/// libtiff counts at most 65535 directories.
TEST(TiffPages, MayExceedLibtiffsLimit) {
  FileBytes file = paged_tiff(std::vector<Page>(70'000, Page{1, 1, 7}), false, false);
  const PageList pages = tiff::tiff_pages(in_memory(file));
  ASSERT_EQ(pages.count(), 70'000U);
  file[static_cast<std::size_t>(pages.places[69'999]) - 2] = std::byte{8};
  ReadOptions options;
  options.page = {70'000};
  EXPECT_EQ(*decode(file, "t.tif", options).image.view().row<std::uint8_t>(0), 8);
}

TEST(TiffPages, EndWhereTheChainLoops) {
  const FileBytes once = paged_tiff({{2, 1, 1}, {2, 1, 2}}, false, false, 0);
  const auto first = static_cast<std::uint32_t>(tiff::tiff_pages(in_memory(once)).places[0]);
  const FileBytes loop = paged_tiff({{2, 1, 1}, {2, 1, 2}}, false, false, first);
  EXPECT_EQ(tiff::tiff_pages(in_memory(loop)).count(), 2U);
  EXPECT_EQ(decode(loop, "t.tif").pages, 2U);
}

/// Without a limit, overlapping directories would take time proportional to their number times their size.
TEST(TiffPages, ReadNoMoreBytesThanTheFileHas) {
  FileBytes file = bytes_of("II*");
  add_le(file, 0, 1);
  add_le(file, 8, 4);
  constexpr std::size_t kSize = std::size_t{1} << 22;
  file.resize(kSize, std::byte{0});
  const RandomAccess memory = in_memory(file);
  std::uint64_t bytes_read = 0;
  const RandomAccess counted{kSize, [&](std::uint64_t offset, std::span<std::byte> to) {
                               const std::size_t count = memory.read(offset, to);
                               if (to.size() == 2) {  // every directory claims the maximum number of entries
                                 to[0] = to[1] = std::byte{255};
                               } else if (to.size() > 4) {  // the next directory begins slightly later
                                 const auto next = static_cast<std::uint32_t>(offset + 16);
                                 for (std::size_t i = 0; i < 4; ++i) {
                                   to[to.size() - 4 + i] = static_cast<std::byte>(next >> (8 * i));
                                 }
                               }
                               bytes_read += count;
                               return count;
                             }};
  EXPECT_LT(tiff::tiff_pages(counted).count(), 10U);
  EXPECT_LT(bytes_read, 2 * kSize);
}

TEST(TiffPages, OtherFormatsHaveOnePage) {
  const FileBytes file = make_pnm("P5\n1 1\n255\n", {7}, 1);
  EXPECT_EQ(rejection_of(file, "a.pgm", 1), "");
  EXPECT_EQ(rejection_of(file, "a.pgm", 2), "a.pgm, page 2: the file has only 1 page; choose another --page");
}

// --- Pages joined to a file -----------------------------------------------------------------------------------------

/// A file of any size. Bytes that are not written are zero. A byte may be written only once.
class SparseFile {
 public:
  BytePlacer placer() {
    return [this](std::uint64_t offset, std::span<const std::byte> part) {
      const auto next = pieces_.lower_bound(offset);
      ASSERT_TRUE(next == pieces_.end() || offset + part.size() <= next->first);
      ASSERT_TRUE(next == pieces_.begin() || std::prev(next)->first + std::prev(next)->second.size() <= offset);
      pieces_[offset] = FileBytes(part.begin(), part.end());
    };
  }

  [[nodiscard]] RandomAccess access() const {
    const auto& [last, bytes] = *pieces_.rbegin();
    return {last + bytes.size(), [this](std::uint64_t offset, std::span<std::byte> to) {
              for (std::size_t i = 0; i < to.size(); ++i) {
                to[i] = at(offset + i);
              }
              return to.size();
            }};
  }

 private:
  [[nodiscard]] std::byte at(std::uint64_t offset) const {
    const auto next = pieces_.upper_bound(offset);
    if (next == pieces_.begin()) {
      return std::byte{0};
    }
    const auto& [first, bytes] = *std::prev(next);
    return offset - first < bytes.size() ? bytes[static_cast<std::size_t>(offset - first)] : std::byte{0};
  }

  std::map<std::uint64_t, FileBytes> pieces_;
};

/// Files of many kinds with one page each.
std::vector<FileBytes> files_to_join(Random& random) {
  std::vector<FileBytes> files;
  WriteOptions options;
  const auto add = [&](int width, int height, PixelFormat format) {
    const Image image = options.one_bit || options.tiff_compression == TiffCompression::group4
                            ? constant_image(width, height, format, 255)
                            : random_image(random, width, height, format);
    files.push_back(encode_image(image.view(), FileFormat::tiff, "page.tif", options));
  };
  add(1, 1, {Sample::u8, 1});
  add(5, 700, {Sample::u8, 1});
  options.metadata = full_metadata({Sample::u16, 4});
  options.metadata.exif = rich_exif();
  add(301, 257, {Sample::u16, 4});  // has several strips, and EXIF and GPS directories
  for (const TiffCompression compression :
       {TiffCompression::none, TiffCompression::packbits, TiffCompression::lzw, TiffCompression::jpeg}) {
    options.tiff_compression = compression;
    add(400, 300, {Sample::u8, 3});
  }
  options.tiff_compression = TiffCompression::group4;
  add(33, 21, {Sample::u8, 1});
  options = {};
  options.one_bit = true;
  options.metadata.density = PixelDensity{300, 300, DensityUnit::inch};
  add(7, 3, {Sample::u8, 1});
  return files;
}

TEST(TiffPages, AreJoinedFromSeveralFiles) {
  const PagedReading& tiff = *codec_of(FileFormat::tiff).paged;
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<FileBytes> files = files_to_join(random);
  // The first pixels lie at the beginning; or just below the last 32-bit offset; or such that this offset falls within
  // a page's strips.
  for (const std::uint64_t first :
       {std::uint64_t{16}, 0xFFFFFFFEU - std::uint64_t{200}, 0xFFFFFFFEU - std::uint64_t{90000}}) {
    SparseFile joined;
    const auto joiner = tiff::join_pages(joined.placer(), first);
    for (const FileBytes& file : files) {
      joiner->add(file);
    }
    joiner->finish();
    const RandomAccess file = joined.access();
    std::array<std::byte, 4> start{};
    (void)file.read(0, start);
    EXPECT_EQ(start[2], std::byte(first == 16 ? 42 : 43));
    const PageList pages = tiff.pages(file);
    EXPECT_EQ(pages.damage, "");
    ASSERT_EQ(pages.count(), files.size());
    for (std::uint32_t page = 1; page <= pages.count(); ++page) {
      const DecodedImage alone = decode(files[page - 1], "t");
      const PageRef ref{page, pages.places[page - 1]};
      ReadOptions options;
      options.page = ref;
      const DecodedImage found = tiff.decode(file, "t", options);
      EXPECT_TRUE(same_pixels(found.image.view(), alone.image.view())) << page;
      std::vector<std::string> details;
      EXPECT_EQ(tiff.metadata(file, "t", ref, details), tiff.metadata(in_memory(files[page - 1]), "t", {}, details));
      EXPECT_TRUE(details.empty());
      EXPECT_TRUE(found.notes.empty());
    }
  }
}

/// A file with several pages contributes several pages. A file with one page keeps the directory that libtiff wrote.
TEST(TiffPages, AreJoinedFromMultiPageFiles) {
  const Image table = constant_image(9, 4, {Sample::u32, 3}, 1'000'000'007);
  constexpr std::array<std::string_view, 3> kNames = {"red", "green", "blue"};
  const FileBytes file = codec_of(FileFormat::tiff).encode_table(table.view(), kNames);
  FileBytes joined;
  const auto joiner = codec_of(FileFormat::tiff).open_page_joiner([&](std::uint64_t offset, ByteSpan part) {
    joined.resize(std::max<std::size_t>(joined.size(), static_cast<std::size_t>(offset) + part.size()));
    std::copy(part.begin(), part.end(), joined.begin() + static_cast<std::ptrdiff_t>(offset));
  });
  joiner->add(file);
  joiner->add(file);
  joiner->finish();
  EXPECT_EQ(pages_in(joined, "t").count(), 6U);
  EXPECT_EQ(joined.size() % 2, 0U);
}

TEST(TiffPages, JoiningRequiresAtLeastOnePage) {
  const auto joiner = codec_of(FileFormat::tiff).open_page_joiner([](std::uint64_t, ByteSpan) {});
  EXPECT_THROW(joiner->finish(), std::logic_error);
}

}  // namespace
}  // namespace gpuimg::test_tiff_pages

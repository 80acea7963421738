// PNG decoded from an open file: checksums of image data in many chunks, and files that are never entirely in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "codecs/image_reader.hpp"
#include "codecs/png/simple_png.hpp"
#include "support/png_maker.hpp"
#include "support/random_png.hpp"
#include "support/row_paths.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_png_rows {
namespace {

using namespace codecs;
using namespace codecs::png;
using namespace std::string_view_literals;
using namespace test;

/// Divides the image data into chunks of these sizes; the remainder becomes one chunk.
std::vector<PngChunk> cut(std::vector<PngChunk> chunks, const std::vector<std::size_t>& sizes) {
  const auto data = std::find_if(chunks.begin(), chunks.end(), [](const PngChunk& c) { return c.name == "IDAT"; });
  std::vector<PngChunk> parts;
  auto from = data->data.begin();
  for (const std::size_t size : sizes) {
    const auto left = static_cast<std::size_t>(data->data.end() - from);
    const auto to = from + static_cast<std::ptrdiff_t>(std::min(size, left));
    parts.push_back({"IDAT", FileBytes(from, to)});
    from = to;
  }
  data->data.erase(data->data.begin(), from);
  chunks.insert(data, parts.begin(), parts.end());
  return chunks;
}

/// Verifies the checksums of the image data in steps of random length. If `is_inflated`, also reads most steps first,
/// as a caller that inflates the data does. Such a read can end slightly before or after the verification.
bool are_checksums_right(Random& random, const FileBytes& file, bool is_inflated) {
  const PngFile png = scan_png(in_memory(file)).value();
  PngDataCheck check(png);
  const RandomAccess data = check.image_data();
  std::vector<std::byte> buffer(300000);
  bool are_right = true;
  for (std::uint64_t at = 0; at < data.size && are_right;) {
    const std::uint64_t step = 1 + random.below(static_cast<std::uint32_t>(buffer.size()) - 100);
    if (is_inflated && random.below(4) > 0) {
      (void)data.read(at - std::min<std::uint64_t>(at, random.below(100)), std::span(buffer).first(step));
    }
    at += step;
    are_right = random.below(3) > 0 || check.up_to(at - std::min<std::uint64_t>(at, random.below(100)));
  }
  return are_right && check.up_to(data.size);
}

/// A picture of more than a megabyte.
PngPicture large_picture(Random& random) { return random_picture(random, {2, 8}, 701, 601); }

TEST(PngRows, EveryChecksumOfImageDataIsVerified) {
  Random random;
  SCOPED_TRACE(random.trace());
  std::vector<std::size_t> sizes = {0, 1, 0, 0, 200000, 0, 3};
  while (sizes.size() < 40) {
    sizes.push_back(random.below(20000));
  }
  std::vector<PngChunk> chunks = cut(png_chunks(large_picture(random)), sizes);
  chunks.insert(chunks.end() - 1, {"IDAT", {}});
  ASSERT_EQ(compare_row_paths(assemble_png(chunks), "a.png", {.threads = 1}, {1 << 20}).read, 2);
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(are_checksums_right(random, assemble_png(chunks), round % 2 == 0));
  }
  int checked = 0;
  for (PngChunk& chunk : chunks) {
    if (chunk.name == "IDAT") {
      chunk.crc_error = 1U << random.below(32);
      for (const int threads : {1, 2}) {
        const RowPaths paths = compare_row_paths(assemble_png(chunks), "a.png", {.threads = threads}, {64});
        EXPECT_EQ(paths.read, 0) << "chunk " << checked << " of " << chunk.data.size() << " bytes";
      }
      EXPECT_FALSE(are_checksums_right(random, assemble_png(chunks), false)) << "chunk " << checked;
      EXPECT_FALSE(are_checksums_right(random, assemble_png(chunks), true)) << "chunk " << checked;
      chunk.crc_error = 0;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 42);
}

class PngFromFile : public testing::Test {
 protected:
  void put(const FileBytes& file) {
    put_text(path_, {reinterpret_cast<const char*>(file.data()), file.size()});
    file_ = file;
  }
  /// Decodes from the open file, and checks that the decoder announces the expected number of pixels.
  std::optional<DecodedImage> from_file(const ReadOptions& options = {}) {
    std::uint64_t expected = 0;
    auto decoded = decode_file(path_, options, [&](const DeclaredImage& declared, std::uint64_t) {
      expected = declared.pixels();
      return true;
    });
    EXPECT_TRUE(!decoded || decoded->pixel_count() == expected);
    return decoded;
  }
  DecodedImage whole(const ReadOptions& options = {}) { return decode_image(file_, path_, options); }

 private:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "a.png";
  FileBytes file_;
};

TEST_F(PngFromFile, MatchesTheFileInMemory) {
  Random random;
  SCOPED_TRACE(random.trace());
  std::vector<PngChunk> chunks = cut(png_chunks(large_picture(random)), {8192, 8192, 65536});
  chunks.insert(chunks.begin() + 1, {"tEXt", bytes_of("Title\0before"sv)});
  chunks.insert(chunks.end() - 1, {"tEXt", bytes_of("Title\0after"sv)});
  put(assemble_png(chunks));
  for (const int threads : {1, 3}) {
    const auto decoded = from_file({.threads = threads});
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(same_pixels(decoded->image.view(), whole().image.view()));
    EXPECT_EQ(decoded->rows, nullptr);
    ASSERT_EQ(decoded->text.size(), 2U);
    EXPECT_EQ(decoded->text[1].text, "after");
  }
}

TEST_F(PngFromFile, LeavesOtherFilesToTheInMemoryReader) {
  Random random;
  SCOPED_TRACE(random.trace());
  PngPicture picture = large_picture(random);
  const std::vector<PngChunk> sound = png_chunks(picture);
  put(assemble_png(sound));
  ASSERT_TRUE(from_file());

  std::vector<PngChunk> chunks = sound;
  chunks[1].crc_error = 1;
  put(assemble_png(chunks));
  EXPECT_FALSE(from_file()) << "a checksum is wrong";
  EXPECT_THROW((void)whole(), Error);

  picture.interlaced = true;
  put(make_png(picture));
  EXPECT_FALSE(from_file()) << "interlaced";
  EXPECT_EQ(whole().image.width(), 701);
  picture.interlaced = false;

  FileBytes cut_off = assemble_png(sound);
  cut_off.resize(cut_off.size() - 5);
  put(cut_off);
  EXPECT_FALSE(from_file()) << "cut off";

  put(make_png(random_picture(random, {2, 8}, 100, 100)));
  EXPECT_FALSE(from_file()) << "small";
}

}  // namespace
}  // namespace gpuimg::test_png_rows

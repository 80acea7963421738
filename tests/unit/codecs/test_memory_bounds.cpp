// Memory limits of the decoding libraries: stb_image's budget, libjpeg's limit, and chunks that libpng must not
// inflate.
#include <gtest/gtest.h>
#include <stb_image.h>
#include <sys/resource.h>
#include <zlib.h>

#include "codecs/jpeg/jpeg_decoder.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "stb_budget.hpp"
#include "support/jpeg_maker.hpp"
#include "support/png_maker.hpp"
#include "support/sanitizers.hpp"
#include "support/small_formats.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_memory_bounds {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

bool stb_reads(const FileBytes& file) {
  int width = 0;
  int height = 0;
  int channels = 0;
  stbi_uc* const pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()),
                                                static_cast<int>(file.size()), &width, &height, &channels, 0);
  stbi_image_free(pixels);
  return pixels != nullptr;
}

TEST(StbBudget, LimitsTotalAllocations) {
  const FileBytes file = make_tga(2, 64, 64, 24, std::vector<std::uint32_t>(64 * 64, 0x123456));
  constexpr std::size_t kPixels = 3 * 64 * 64;
  {
    const StbBudget budget(kPixels - 1);
    EXPECT_FALSE(stb_reads(file));
    EXPECT_TRUE(budget.exceeded());
    EXPECT_FALSE(budget.out_of_memory());
  }
  {
    const StbBudget budget(2 * kPixels + 100);
    EXPECT_TRUE(stb_reads(file));
    EXPECT_FALSE(budget.exceeded());
    EXPECT_TRUE(stb_reads(file));
    EXPECT_FALSE(stb_reads(file)) << "freed memory does not return to the budget";
    EXPECT_TRUE(budget.exceeded());
  }
  EXPECT_FALSE(stb_reads(file)) << "without a budget";
}

/// The limit is the size of all coefficients plus 64 MiB; no valid file reaches it.
TEST(JpegRows, MemoryIsCappedByTheDeclaredSize) {
  Random random;
  const FileBytes bytes = make_jpeg(random_image(random, 200, 100, {Sample::u8, 3}).view());
  const std::string name = "file";
  const JpegHeader header = read_jpeg_header(bytes, name);
  JpegRows rows(JpegFile{bytes, header, name}, false);
  const std::size_t coefficients = std::size_t{2} * 200 * 100 * 3;
  EXPECT_GE(rows.max_bytes(), coefficients);
  EXPECT_LE(rows.max_bytes(), (std::size_t{64} << 20) + 4 * coefficients);
}

/// A zlib stream that inflates to `size` zeros.
FileBytes deflated_zeros(std::size_t size) {
  const std::vector<Bytef> zeros(std::size_t{1} << 20);
  FileBytes deflated(size / 500 + 1000);
  z_stream stream{};
  deflateInit(&stream, 9);
  stream.next_out = reinterpret_cast<Bytef*>(deflated.data());
  stream.avail_out = static_cast<uInt>(deflated.size());
  for (std::size_t done = 0; done < size; done += zeros.size()) {
    stream.next_in = const_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(zeros.size());
    ::deflate(&stream, done + zeros.size() < size ? Z_NO_FLUSH : Z_FINISH);
  }
  deflated.resize(stream.total_out);
  deflateEnd(&stream);
  return deflated;
}

TEST(DecompressionBombs, PngChunksThatInflateToGigabytesTakeNoMemory) {
  const FileBytes zeros = deflated_zeros(std::size_t{1} << 30);
  const auto with_head = [&](std::string_view head) {
    FileBytes data = bytes_of(head);
    add_bytes(data, zeros);
    return data;
  };
  using namespace std::string_view_literals;
  const std::vector<PngChunk> bombs = {{"zTXt", with_head("a\0\0"sv)},
                                       {"iTXt", with_head("a\0\1\0\0\0"sv)},
                                       {"iCCP", with_head("a\0\0"sv)},
                                       {"prIv", zeros},
                                       {"tEXt", FileBytes(std::size_t{4} << 20, std::byte{'a'})}};
  const std::size_t copies = kHasSanitizer ? 8 : 2;  // a sanitizer needs shadow memory and keeps freed blocks
  for (const PngChunk& bomb : bombs) {
    for (const bool interlaced : {false, true}) {  // the fast path reads the first file, libpng the interlaced one
      PngPicture picture;
      picture.interlaced = interlaced;
      picture.samples = {7};
      std::vector<PngChunk> chunks = png_chunks(picture);
      chunks.insert(chunks.begin() + 1, bomb);
      const FileBytes file = assemble_png(chunks);
      const std::size_t before = peak_memory();
      EXPECT_EQ(decode(file).image.view().width, 1) << bomb.name;
      EXPECT_LT(peak_memory() - before, (std::size_t{16} << 20) + copies * bomb.data.size()) << bomb.name << interlaced;
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_memory_bounds

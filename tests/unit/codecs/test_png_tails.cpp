// PNG whose deflate stream continues after the last row without further output. libpng reads such data in portions; the
// fast path must accept and reject the same files as libpng.
#include <gtest/gtest.h>
#include <zlib.h>

#include "codecs/png/png_fast_reader.hpp"
#include "codecs/png/simple_png.hpp"
#include "support/deflate_streams.hpp"
#include "support/png_paths.hpp"
#include "support/random_png.hpp"

namespace gpuimg::test_png_tails {
using namespace codecs;
using namespace codecs::png;

namespace {

using namespace test;

constexpr std::size_t kEmptyBlock = 5;  // in bytes

/// The image data of a picture, followed by `blocks` empty stored blocks and the end of the stream.
FileBytes with_tail(const PngPicture& picture, int level, std::size_t blocks) {
  FileBytes raw = png_raw(picture);
  z_stream stream{};
  deflateInit(&stream, level);
  FileBytes data(deflateBound(&stream, static_cast<uLong>(raw.size())) + 1000);
  stream.next_in = reinterpret_cast<Bytef*>(raw.data());
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(data.data());
  stream.avail_out = static_cast<uInt>(data.size());
  ::deflate(&stream, Z_FULL_FLUSH);
  data.resize(stream.total_out);
  deflateEnd(&stream);
  data[1] = std::byte{0x01};
  for (std::size_t i = 0; i <= blocks; ++i) {
    add_be(data, i == blocks ? 1 : 0, 1);
    add_be(data, 0x0000FFFF, 4);
  }
  add_be(data, adler32(1, reinterpret_cast<const Bytef*>(raw.data()), static_cast<uInt>(raw.size())), 4);
  std::vector<PngChunk> chunks = png_chunks(picture);
  for (PngChunk& chunk : chunks) {
    chunk.data = chunk.name == "IDAT" ? data : chunk.data;
  }
  return assemble_png(chunks);
}

TEST(PngTails, AgreeWithLibpng) {
  Random random;
  SCOPED_TRACE(random.trace());
  // Libpng reads the smaller data in one portion, and the larger data in several.
  for (const std::uint32_t height : {20U, 400U}) {
    PngPicture picture = random_picture(random, {2, 8}, 400, height);
    picture.filter = 5;
    for (const int level : {0, 1, 6}) {
      for (const std::size_t bytes : {0U, 1000U, 2040U, 2055U, 2500U, 20000U, 70000U, 300000U}) {
        const FileBytes file = with_tail(picture, level, bytes / kEmptyBlock);
        EXPECT_EQ(difference_of_png_paths(file), "") << height << " rows, level " << level << ", " << bytes;
      }
    }
    const auto plain_without = [&](std::size_t bytes) {
      const FileBytes file = with_tail(picture, 6, bytes / kEmptyBlock);
      return read_simple_png(*parse_simple_png(file, "file"), "file", {.threads = 1}).has_value();
    };
    EXPECT_TRUE(plain_without(1000));
    EXPECT_EQ(plain_without(20000), height == 20);
  }
}

}  // namespace
}  // namespace gpuimg::test_png_tails

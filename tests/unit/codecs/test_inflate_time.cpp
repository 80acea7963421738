// Long streams that give no output must be inflated in little time.
#include <gtest/gtest.h>

#include <array>
#include <ctime>

#include "codecs/deflate/speculative_inflate.hpp"
#include "support/deflate_streams.hpp"
#include "support/sanitizers.hpp"

namespace gpuimg::test_inflate_time {
using namespace codecs;
using namespace codecs::deflate;

namespace {

using namespace test;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(InflateTime, IsShortForEmptyFixedBlocks) {
  BitWriter writer;
  for (int block = 0; block < 1600000; ++block) {
    writer.add(2, 10);  // a fixed block that is not the last and contains only an end of block
  }
  writer.add(3, 10);
  const FileBytes stream = zlib_stream_of(writer.bytes(), 1);
  const std::array<ByteSpan, 1> pieces = {stream};
  const double begin = cpu_seconds();
  const auto found = inflated_by_ours(pieces, 4096, 4096);
  EXPECT_LT(cpu_seconds() - begin, kHasSanitizer ? 30.0 : 3.0);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->data.empty());
}

/// Writes the shortest dynamic block: its only code has one bit and means the end of block.
void add_empty_block(BitWriter& writer) {
  constexpr int kLengthCodes = 18;
  writer.add(4, 3);
  writer.add(0, 5);
  writer.add(0, 5);
  writer.add(kLengthCodes - 4, 4);
  for (int i = 0; i < kLengthCodes; ++i) {
    writer.add(i == 2 || i == 17 ? 1 : 0, 3);  // one bit each for 18, a long run of zeros, and for the length 1
  }
  writer.add(1 | (138 - 11) << 1, 8);
  writer.add(1 | (118 - 11) << 1, 8);
  writer.add(0, 3);  // the code lengths of the end of block and of a distance, and then the end of block
}

TEST(InflateTime, IsShortForASearchAmongEmptyBlocks) {
  BitWriter writer;
  for (int block = 0; block < 50000; ++block) {
    add_empty_block(writer);
  }
  writer.add(6, 3);  // not a valid block
  writer.add(0, 32);
  const FileBytes stream = zlib_stream_of(writer.bytes(), 1);
  const std::array<ByteSpan, 1> pieces = {stream};
  SpeculativeInflater part(in_pieces(pieces), 0, std::size_t{1} << 20);
  const double begin = cpu_seconds();
  EXPECT_FALSE(part.try_settle(1000));
  part.run(1000, stream.size());
  EXPECT_FALSE(part.is_sound());
  EXPECT_LT(cpu_seconds() - begin, kHasSanitizer ? 60.0 : 10.0);
}

}  // namespace
}  // namespace gpuimg::test_inflate_time

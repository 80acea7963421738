// Parts of a stream inflated without what lies in front of them: whatever is found sound gives the stream's bytes once
// the window is known.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <set>

#include "files/deflate_block_finder.hpp"
#include "files/inflate_ahead.hpp"
#include "support/file_bytes.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;
using Octets = std::vector<std::uint8_t>;

/// A block that zlib found in its own stream.
struct Block {
  std::size_t first_bit = 0;
  std::size_t first_byte = 0;  // of what it gives
};

struct Stream {
  Octets data;
  FileBytes deflated;
  std::vector<Block> blocks;
};

/// Noise of some values, and repeats from anywhere in the window.
Octets photo_like_data(Random& random, std::size_t size, std::uint32_t values) {
  Octets data;
  while (data.size() < size) {
    const std::size_t count = 1 + random.below(40);
    const std::size_t back = 1 + random.below(30000);
    const bool repeats = back < data.size() && random.below(3) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      data.push_back(repeats ? data[data.size() - back] : static_cast<std::uint8_t>(random.below(values)));
    }
  }
  data.resize(size);
  return data;
}

void find_blocks(Stream& stream) {
  z_stream z{};
  inflateInit(&z);
  FileBytes in = stream.deflated;
  Octets out(stream.data.size() + 1);
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  constexpr int kAtBlock = 128;
  constexpr int kBehindLastBlock = 64;
  constexpr int kUnusedBits = 7;
  for (int code = Z_OK; code == Z_OK;) {
    code = inflate(&z, Z_BLOCK);
    if ((z.data_type & kAtBlock) != 0 && (z.data_type & kBehindLastBlock) == 0) {
      stream.blocks.push_back({8 * z.total_in - static_cast<std::size_t>(z.data_type & kUnusedBits), z.total_out});
    }
  }
  inflateEnd(&z);
}

Stream stream_of(Octets data, int level, int memory_level) {
  Stream stream{std::move(data), {}, {}};
  z_stream z{};
  deflateInit2(&z, level, Z_DEFLATED, 15, memory_level, Z_DEFAULT_STRATEGY);
  stream.deflated.resize(deflateBound(&z, static_cast<uLong>(stream.data.size())));
  z.next_in = stream.data.data();
  z.avail_in = static_cast<uInt>(stream.data.size());
  z.next_out = reinterpret_cast<Bytef*>(stream.deflated.data());
  z.avail_out = static_cast<uInt>(stream.deflated.size());
  deflate(&z, Z_FINISH);
  stream.deflated.resize(z.total_out);
  deflateEnd(&z);
  find_blocks(stream);
  return stream;
}

const Block* block_at(const Stream& stream, std::uint64_t bit) {
  const auto found =
      std::find_if(stream.blocks.begin(), stream.blocks.end(), [&](const Block& b) { return b.first_bit == bit; });
  return found == stream.blocks.end() ? nullptr : &*found;
}

/// The window in front of a byte, 0xCD where there is none.
InflateAhead::Window window_before(const Stream& stream, std::size_t byte) {
  InflateAhead::Window window;
  window.fill(0xCD);
  const std::size_t known = std::min(byte, window.size());
  std::copy_n(stream.data.begin() + static_cast<std::ptrdiff_t>(byte - known), known,
              window.end() - static_cast<std::ptrdiff_t>(known));
  return window;
}

class InflateAheadOf : public testing::TestWithParam<std::tuple<std::uint32_t, int>> {};

TEST_P(InflateAheadOf, AnyPartGivesTheBytesOfTheStream) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto [values, level] = GetParam();
  const Stream stream = stream_of(photo_like_data(random, 1500000, values), level, 8);
  std::vector<ByteSpan> pieces;
  for (ByteSpan left(stream.deflated); !left.empty(); left = left.subspan(pieces.back().size())) {
    pieces.push_back(left.first(std::min<std::size_t>(left.size(), 1 + random.below(30000))));
  }
  constexpr std::size_t kRoom = 100;
  InflateAhead part(pieces, kRoom, 2000000);
  int sound = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t begin = random.below(static_cast<std::uint32_t>(stream.deflated.size()));
    const std::size_t end = begin + random.below(static_cast<std::uint32_t>(stream.deflated.size() - begin + 1));
    part.run(begin, end);
    const Block* const first = part.is_sound() ? block_at(stream, part.begin()) : nullptr;
    if (first == nullptr || first->first_byte < Inflater::kWindow) {
      continue;
    }
    ++sound;
    EXPECT_GE(part.begin(), 8 * begin);
    const std::span<std::uint8_t> bytes = part.resolve(window_before(stream, first->first_byte));
    const Block* const next = block_at(stream, part.end());
    const std::size_t last_byte = next != nullptr ? next->first_byte : stream.data.size();
    EXPECT_EQ(part.holds_last_block(), next == nullptr);
    EXPECT_GE(part.holds_last_block() ? 8 * end : part.end(), 8 * end);
    ASSERT_EQ(bytes.size(), last_byte - first->first_byte);
    ASSERT_TRUE(
        std::equal(bytes.begin(), bytes.end(), stream.data.begin() + static_cast<std::ptrdiff_t>(first->first_byte)));
    std::fill_n(bytes.data() - kRoom, kRoom, std::uint8_t{0});  // that much may be written to
  }
  EXPECT_GT(sound, 20);
}

INSTANTIATE_TEST_SUITE_P(All, InflateAheadOf,
                         testing::Combine(testing::Values(2U, 30U, 256U), testing::Values(1, 6, 8)));

TEST(InflateAhead, EveryBlockWithCodesOfItsOwnIsFound) {
  Random random;
  SCOPED_TRACE(random.trace());
  Stream stream = stream_of(photo_like_data(random, 400000, 60), 6, 3);
  ASSERT_GT(stream.blocks.size(), 100U);
  FileBytes padded = stream.deflated;
  padded.resize(padded.size() + kBlockFinderOverread);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(padded.data());
  std::size_t found = 0;
  for (const Block& block : stream.blocks) {
    const std::size_t kind = (bytes[block.first_bit / 8] | bytes[block.first_bit / 8 + 1] << 8) >> block.first_bit % 8;
    if ((kind & 7U) == 4) {
      EXPECT_EQ(find_block_header(bytes, block.first_bit, block.first_bit + 1), block.first_bit);
      ++found;
    }
  }
  EXPECT_GT(found, 100U);
  EXPECT_EQ(find_block_header(bytes, 5, 5), std::nullopt);
}

TEST(InflateAhead, FewBitsOfAnythingElseLookLikeABlock) {
  Random random;
  SCOPED_TRACE(random.trace());
  Octets noise(20000 + kBlockFinderOverread);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::uint8_t>(random.below(256)); });
  std::size_t found = 0;
  for (auto bit = find_block_header(noise.data(), 0, 160000); bit;
       bit = find_block_header(noise.data(), *bit + 1, 160000)) {
    ++found;
  }
  EXPECT_LT(found, 160U);
}

TEST(InflateAhead, FindsNothingInNoiseOrBehindTheEnd) {
  Random random;
  SCOPED_TRACE(random.trace());
  FileBytes noise(300000);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::byte>(random.below(256)); });
  const std::array<ByteSpan, 1> pieces = {noise};
  InflateAhead part(pieces, 0, 1000000);
  part.run(1000, 200000);
  EXPECT_FALSE(part.is_sound());
  part.run(300000, 300000);
  EXPECT_FALSE(part.is_sound());
  EXPECT_FALSE(part.settles(299999));
}

TEST(InflateAhead, APartBeyondItsCapacityIsNotSound) {
  Random random;
  const Stream stream = stream_of(photo_like_data(random, 900000, 30), 6, 8);
  const std::array<ByteSpan, 1> pieces = {stream.deflated};
  const std::size_t begin = stream.deflated.size() / 8;
  InflateAhead small(pieces, 0, 200000);
  small.run(begin, stream.deflated.size());
  EXPECT_FALSE(small.is_sound());
  small.run(begin, begin + 30000);  // used again
  EXPECT_TRUE(small.is_sound());
}

TEST(InflateAhead, SettlesWhereRepeatsAreRare) {
  Random random;
  SCOPED_TRACE(random.trace());
  Octets noise(1200000);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::uint8_t>(random.below(100)); });
  const Stream stream = stream_of(noise, 6, 8);
  const std::array<ByteSpan, 1> pieces = {stream.deflated};
  EXPECT_TRUE(InflateAhead(pieces, 0, 800000).settles(stream.deflated.size() / 4));
  EXPECT_FALSE(InflateAhead(pieces, 0, Inflater::kWindow - 1).settles(stream.deflated.size() / 4));
}

}  // namespace
}  // namespace gpuimg

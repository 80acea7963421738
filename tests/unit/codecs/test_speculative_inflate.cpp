// Inflates a part of a stream without the preceding parts. Once the window of bytes before a valid part is known, the
// part gives the bytes of the stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "codecs/deflate/speculative_inflate.hpp"
#include "support/deflate_streams.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_speculative_inflate {
using namespace codecs;
using namespace codecs::deflate;

namespace {

using namespace test;
struct Stream {
  FileBytes deflated;
  ZlibVerdict expected;
};

/// Noise with `values` different values, and matches from anywhere in the window.
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

Stream stream_of(const Octets& data, int level, int memory_level) {
  const Octets deflated = deflated_by_zlib(data, {.level = level, .memory_level = memory_level});
  return {zlib_stream_of(deflated, 0), verdict_of_zlib(deflated, data.size() + 1)};
}

class SpeculativeInflaterStreams : public testing::TestWithParam<std::tuple<std::uint32_t, int>> {};

TEST_P(SpeculativeInflaterStreams, AnyPartMatchesTheStream) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto [values, level] = GetParam();
  const Stream stream = stream_of(photo_like_data(random, 1500000, values), level, 8);
  std::vector<ByteSpan> pieces;
  for (ByteSpan left(stream.deflated); !left.empty(); left = left.subspan(pieces.back().size())) {
    pieces.push_back(left.first(std::min<std::size_t>(left.size(), 1 + random.below(30000))));
  }
  SpeculativeInflater part(in_pieces(pieces), kRoomOfParts, 2000000);
  int compared = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t begin = random.below(static_cast<std::uint32_t>(stream.deflated.size()));
    const std::size_t end = begin + random.below(static_cast<std::uint32_t>(stream.deflated.size() - begin + 1));
    part.run(begin, end);
    if (const auto difference = difference_of_part(part, begin, end, stream.expected)) {
      ASSERT_EQ(*difference, "");
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
}

INSTANTIATE_TEST_SUITE_P(All, SpeculativeInflaterStreams,
                         testing::Combine(testing::Values(2U, 30U, 256U), testing::Values(1, 6, 8)));

TEST(SpeculativeInflater, FindsEveryDynamicBlock) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Stream stream = stream_of(photo_like_data(random, 400000, 60), 6, 3);
  ASSERT_GT(stream.expected.blocks.size(), 100U);
  FileBytes padded = stream.deflated;
  padded.resize(padded.size() + kBlockFinderOverread);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(padded.data());
  std::size_t found = 0;
  for (const ZlibVerdict::Block& block : stream.expected.blocks) {
    const std::uint64_t bit = 16 + block.first_bit;  // after the zlib header
    const std::size_t kind = (bytes[bit / 8] | bytes[bit / 8 + 1] << 8) >> bit % 8;
    if ((kind & 7U) == 4) {
      EXPECT_EQ(find_block_header(bytes, bit, bit + 1), bit);
      ++found;
    }
  }
  EXPECT_GT(found, 100U);
  EXPECT_EQ(find_block_header(bytes, 5, 5), std::nullopt);
}

TEST(SpeculativeInflater, RarelyFindsBlocksInNoise) {
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

TEST(SpeculativeInflater, FindsNothingInNoiseOrPastTheEnd) {
  Random random;
  SCOPED_TRACE(random.trace());
  FileBytes noise(300000);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::byte>(random.below(256)); });
  const std::array<ByteSpan, 1> pieces = {noise};
  SpeculativeInflater part(in_pieces(pieces), 0, 1000000);
  part.run(1000, 200000);
  EXPECT_FALSE(part.is_sound());
  part.run(300000, 300000);
  EXPECT_FALSE(part.is_sound());
  EXPECT_FALSE(part.try_settle(299999));
}

TEST(SpeculativeInflater, RejectsAPartThatExceedsItsCapacity) {
  Random random;
  const Stream stream = stream_of(photo_like_data(random, 900000, 30), 6, 8);
  const std::array<ByteSpan, 1> pieces = {stream.deflated};
  const std::size_t begin = stream.deflated.size() / 8;
  SpeculativeInflater small(in_pieces(pieces), 0, 200000);
  small.run(begin, stream.deflated.size());
  EXPECT_FALSE(small.is_sound());
  small.run(begin, begin + 30000);  // uses `small` a second time
  EXPECT_TRUE(small.is_sound());
}

TEST(SpeculativeInflater, SettlesIfMatchesAreRare) {
  Random random;
  SCOPED_TRACE(random.trace());
  Octets noise(1200000);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<std::uint8_t>(random.below(100)); });
  const Stream stream = stream_of(noise, 6, 8);
  const std::array<ByteSpan, 1> pieces = {stream.deflated};
  EXPECT_TRUE(SpeculativeInflater(in_pieces(pieces), 0, 800000).try_settle(stream.deflated.size() / 4));
  EXPECT_FALSE(SpeculativeInflater(in_pieces(pieces), 0, Inflater::kWindow - 1).try_settle(stream.deflated.size() / 4));
}

}  // namespace
}  // namespace gpuimg::test_speculative_inflate

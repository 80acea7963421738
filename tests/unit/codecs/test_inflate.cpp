// Compares inflate with zlib: it must return zlib's bytes for each stream that zlib accepts, and reject all others.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "codecs/deflate/rfc1951.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "support/deflate_streams.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_inflate {
using namespace codecs;
using namespace codecs::deflate;

namespace {

using namespace test;
constexpr std::size_t kMaxOutput = std::size_t{128} << 10;

/// zlib's output for a stream that must end with its last byte; nullopt if zlib rejects it.
std::optional<Octets> zlib_inflated(const Octets& deflated) {
  ZlibVerdict verdict = verdict_of_zlib(deflated, kMaxOutput);
  const bool is_whole = verdict.end == ZlibVerdict::End::last_block && verdict.taken == deflated.size();
  return is_whole ? std::optional(std::move(verdict.data)) : std::nullopt;
}

/// Inflater's output, with the input divided into pieces of random sizes; nullopt if Inflater rejects the stream.
std::optional<Octets> our_inflated(const Octets& deflated, std::size_t stretch, Random& random) {
  const FileBytes whole = zlib_stream_of(deflated, 0x61626364);
  std::vector<ByteSpan> pieces;
  const std::uint32_t largest = 1U << random.below(18);
  for (ByteSpan left(whole); !left.empty(); left = left.subspan(pieces.back().size())) {
    pieces.push_back(left.first(std::min<std::size_t>(left.size(), 1 + random.below(largest))));
  }
  std::optional<OurInflated> got = inflated_by_ours(pieces, stretch, kMaxOutput);
  if (!got) {
    return std::nullopt;
  }
  EXPECT_EQ(got->declared_adler, 0x61626364U);  // the checksum that the stream declares; Inflater does not verify it
  return std::move(got->data);
}

/// Compares the results of zlib and Inflater. The output must have at most kMaxOutput bytes.
::testing::AssertionResult same_verdict(const Octets& deflated, Random& random) {
  const std::optional<Octets> expected = zlib_inflated(deflated);
  for (const std::size_t stretch : {std::size_t{600} + random.below(3000), std::size_t{262144}}) {
    const std::optional<Octets> got = our_inflated(deflated, stretch, random);
    if (got.has_value() != expected.has_value()) {
      return ::testing::AssertionFailure()
             << "zlib " << (expected ? "accepts" : "rejects") << " the stream, Inflater does not";
    }
    if (got && *got != *expected) {
      return ::testing::AssertionFailure() << "the bytes differ from zlib's " << expected->size();
    }
  }
  return ::testing::AssertionSuccess();
}

/// Runs, near and far matches, and noise with few or many values.
Octets mixed_data(Random& random, std::size_t size) {
  Octets data;
  while (data.size() < size) {
    const std::size_t count = 1 + random.below(1U << random.below(12));
    const std::uint32_t values = 1U << random.below(9);
    const std::size_t back = data.empty() ? 0 : 1 + random.below(static_cast<std::uint32_t>(data.size()));
    const bool repeats = back > 0 && random.below(2) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      data.push_back(repeats ? data[data.size() - back] : static_cast<std::uint8_t>(random.below(values)));
    }
  }
  data.resize(size);
  return data;
}

/// The header of a dynamic block that codes every code length in 4 bits.
BitWriter block_with(const std::vector<std::uint32_t>& literals, const std::vector<std::uint32_t>& distances) {
  BitWriter writer;
  writer.add(5, 3);
  writer.add(static_cast<std::uint32_t>(literals.size()) - 257, 5);
  writer.add(static_cast<std::uint32_t>(distances.size()) - 1, 5);
  writer.add(15, 4);
  for (int i = 0; i < 19; ++i) {
    writer.add(i < 3 ? 0 : 4, 3);
  }
  for (const auto* lengths : {&literals, &distances}) {
    for (const std::uint32_t length : *lengths) {
      for (int bit = 3; bit >= 0; --bit) {  // codes start with their most significant bit
        writer.add(length >> bit & 1U, 1);
      }
    }
  }
  return writer;
}

/// The lengths of a complete code for `symbols` symbols, in random order.
std::vector<std::uint32_t> complete_code(Random& random, std::size_t symbols) {
  std::vector<std::uint32_t> leaves = {0};
  while (leaves.size() < symbols) {
    const std::size_t i = random.below(static_cast<std::uint32_t>(leaves.size()));
    if (leaves[i] < kMaxCodeBits) {
      leaves.push_back(++leaves[i]);
    }
  }
  return leaves;
}

/// Code lengths that form a complete or nearly complete code.
std::vector<std::uint32_t> random_lengths(Random& random, std::size_t size, std::size_t must_have) {
  const std::vector<std::uint32_t> leaves = complete_code(random, 1 + random.below(static_cast<std::uint32_t>(size)));
  std::vector<std::uint32_t> lengths(size);
  for (const std::uint32_t leaf : leaves) {
    lengths[random.below(static_cast<std::uint32_t>(size))] = std::max(leaf, 1U);
  }
  if (random.below(2) == 0) {  // every leaf gets a symbol, so the code is complete
    std::fill(lengths.begin(), lengths.end(), 0);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      lengths[(must_have + i * 7) % size] = std::max(leaves[i], 1U);
    }
  }
  return lengths;
}

TEST(Inflate, RoundTripsZlibOutput) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const Octets data = mixed_data(random, random.below(1U << (4 + random.below(13))));
    const std::array strategies = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    const Octets deflated =
        deflated_by_zlib(data, {.level = static_cast<int>(random.below(10)), .strategy = strategies[random.below(5)]});
    for (const std::size_t stretch : {std::size_t{600}, std::size_t{5000}, std::size_t{262144}}) {
      const std::optional<Octets> got = our_inflated(deflated, stretch, random);
      ASSERT_TRUE(got.has_value());
      EXPECT_TRUE(*got == data);
    }
  }
}

/// Wider noise needs longer codes and a larger table for decoding two codes at a time. Repeated noise gives matches,
/// and rare values get codes that are too long for the first table.
TEST(Inflate, RoundTripsNoiseOfAnyWidth) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (std::uint32_t width = 1; width <= 64; ++width) {
    Octets data;
    while (data.size() < std::size_t{60} << 10) {
      const std::uint32_t sum = random.below(width) + random.below(width) + random.below(width);
      data.push_back(static_cast<std::uint8_t>(random.below(2000) == 0 ? random.below(256) : sum));
      if (data.size() > 300 && random.below(500) == 0) {
        data.insert(data.end(), data.end() - 300, data.end() - 290);
      }
    }
    const Octets deflated = deflated_by_zlib(data, {.level = 6});
    const std::optional<Octets> got = our_inflated(deflated, 262144, random);
    ASSERT_TRUE(got.has_value()) << width;
    EXPECT_TRUE(*got == data) << width;
  }
}

/// Inflater buffers input in portions of 64 KiB. A stored block starts at a byte boundary, which can lie before the
/// portion.
TEST(Inflate, ReadsStoredBlocksAcrossInputPortions) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 20; ++round) {
    Octets data = mixed_data(random, 100000);
    z_stream stream{};
    deflateInit2(&stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    Octets deflated(2 * data.size());
    stream.next_in = data.data();
    stream.next_out = deflated.data();
    stream.avail_out = static_cast<uInt>(deflated.size());
    for (const uInt last = static_cast<uInt>(data.size()); stream.total_in < last;) {
      stream.avail_in = std::min<uInt>(1 + random.below(40), last - static_cast<uInt>(stream.total_in));
      ::deflate(&stream, stream.total_in + stream.avail_in == last ? Z_FINISH : Z_FULL_FLUSH);
    }
    deflated.resize(stream.total_out);
    deflateEnd(&stream);
    ASSERT_GT(deflated.size(), std::size_t{65536});
    const std::optional<Octets> got = our_inflated(deflated, 262144, random);
    ASSERT_TRUE(got.has_value()) << round;
    EXPECT_TRUE(*got == data);
  }
}

TEST(Inflate, AgreesWithZlibOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 3000; ++round) {
    const Octets data = mixed_data(random, random.below(1U << (2 + random.below(11))));
    const int strategy = random.below(3) == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY;
    Octets deflated = deflated_by_zlib(data, {.level = static_cast<int>(random.below(10)), .strategy = strategy});
    const std::uint32_t changes = random.below(3);
    for (std::uint32_t i = 0; i <= changes; ++i) {
      const std::uint32_t where = random.below(static_cast<std::uint32_t>(deflated.size()));
      deflated[where] ^= static_cast<std::uint8_t>(1U << random.below(8));
    }
    if (random.below(4) == 0) {
      deflated.resize(random.below(static_cast<std::uint32_t>(deflated.size()) + 1));
    }
    ASSERT_TRUE(same_verdict(deflated, random)) << round;
    taken += zlib_inflated(deflated).has_value() ? 1 : 0;
  }
  EXPECT_GT(taken, 100);
}

TEST(Inflate, AgreesWithZlibOnRandomCodes) {
  Random random;
  SCOPED_TRACE(random.trace());
  int taken = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::uint32_t> literals = random_lengths(random, 257 + random.below(30), 256);
    const std::vector<std::uint32_t> distances = random_lengths(random, 1 + random.below(30), 0);
    BitWriter writer = block_with(literals, distances);
    for (std::uint32_t words = random.below(60); words > 0; --words) {
      writer.add(random.below(0xFFFF), 16);
    }
    Octets deflated = writer.bytes();
    // A stream must end with its last byte, so the test truncates it where zlib stopped.
    if (const ZlibVerdict verdict = verdict_of_zlib(deflated, kMaxOutput);
        verdict.end == ZlibVerdict::End::last_block) {
      deflated.resize(verdict.taken);
      ++taken;
    }
    ASSERT_TRUE(same_verdict(deflated, random)) << round;
  }
  EXPECT_GT(taken, 100);
}

/// Writes symbols in the canonical code that these lengths define.
class SymbolWriter {
 public:
  SymbolWriter(BitWriter& writer, const std::vector<std::uint32_t>& lengths) : writer_(writer), lengths_(lengths) {
    std::uint32_t code = 0;
    for (std::uint32_t length = 1; length <= kMaxCodeBits; ++length, code <<= 1) {
      for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        codes_[symbol] = lengths[symbol] == length ? code++ : codes_[symbol];
      }
    }
  }
  void add(std::size_t symbol) {
    for (std::uint32_t bit = lengths_[symbol]; bit-- > 0;) {
      writer_.add(codes_[symbol] >> bit & 1U, 1);
    }
  }

 private:
  BitWriter& writer_;
  const std::vector<std::uint32_t>& lengths_;
  std::array<std::uint32_t, kLiteralSymbols> codes_{};
};

/// The codes of a match fill a table's index or exceed it by some bits; each code can need a second table.
TEST(Inflate, ReadsEveryLengthWithEveryDistance) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    auto literals = complete_code(random, kLiteralSymbols);
    const auto distances = complete_code(random, kDistanceSymbols);
    if (round % 2 == 0) {
      std::sort(literals.begin(), literals.end(), std::greater<>());  // match lengths get the shortest codes
    }
    BitWriter writer = block_with(literals, distances);
    SymbolWriter literal(writer, literals);
    SymbolWriter far(writer, distances);
    for (std::uint32_t i = 0; i < kMaxMatchDistance; ++i) {
      literal.add(random.below(256));
    }
    for (std::size_t i = 0; i < kLengthRanges.size() * kDistanceSymbols; ++i) {
      const std::size_t length = i % kLengthRanges.size();
      const std::size_t distance = i / kLengthRanges.size();
      literal.add(kFirstLengthSymbol + length);
      writer.add(random.below(1U << kLengthRanges[length].extra_bits),
                 static_cast<int>(kLengthRanges[length].extra_bits));
      far.add(distance);
      writer.add(random.below(1U << kDistanceRanges[distance].extra_bits),
                 static_cast<int>(kDistanceRanges[distance].extra_bits));
      for (std::uint32_t some = random.below(4); some > 0; --some) {
        literal.add(random.below(256));
      }
    }
    literal.add(kEndOfBlock);
    const std::optional<Octets> expected = zlib_inflated(writer.bytes());
    ASSERT_TRUE(expected && expected->size() > kMaxMatchDistance) << round;
    ASSERT_TRUE(same_verdict(writer.bytes(), random)) << round;
  }
}

TEST(Inflate, AgreesWithZlibOnEdgeCases) {
  Random random;
  std::vector<std::uint32_t> two(257);
  two[0] = two[256] = 1;
  std::vector<std::uint32_t> only_end(257);
  only_end[256] = 1;
  std::vector<std::uint32_t> no_end(257);
  no_end[0] = no_end[1] = 1;
  std::vector<std::uint32_t> unused = two;
  unused[256] = 2;
  std::vector<std::uint32_t> too_many = two;
  too_many[1] = 1;
  for (const auto& literals : {two, only_end, no_end, unused, too_many}) {
    for (const std::vector<std::uint32_t>& distances :
         {std::vector<std::uint32_t>{0}, {1}, {2}, {1, 1}, {1, 2}, {2, 2}, {1, 1, 1}}) {
      for (std::uint32_t data = 0; data < 8; ++data) {
        BitWriter writer = block_with(literals, distances);
        writer.add(data, 3);
        EXPECT_TRUE(same_verdict(writer.bytes(), random)) << data;
      }
    }
  }
  for (std::uint32_t bits = 0; bits < 1U << 13; ++bits) {  // covers block types and the first symbols of a fixed block
    BitWriter writer;
    writer.add(bits, 13);
    writer.add(0, 16);
    ASSERT_TRUE(same_verdict(writer.bytes(), random)) << bits;
  }
}

TEST(Inflate, RejectsOtherStreamHeaders) {
  const Octets deflated = deflated_by_zlib({1, 2, 3});
  for (std::uint32_t header = 0; header < 1U << 16; header += 1 + header % 5) {
    FileBytes whole;
    add_be(whole, header, 2);
    add_bytes(whole, std::as_bytes(std::span(deflated)));
    add_be(whole, 0, 4);
    const std::array<ByteSpan, 1> pieces = {whole};
    Inflater inflater(in_pieces(pieces));
    Octets out(8 + Inflater::kOvershoot);
    const bool taken = inflater.run(out.data(), out.data(), out.data() + 8) != nullptr && inflater.has_ended();
    const bool is_ours = header >> 8 == 0x78 && (header & 0x20U) == 0 && header % 31 == 0;
    ASSERT_EQ(taken, is_ours) << header;
  }
}

TEST(Inflate, RejectsTruncatedAndExtendedInput) {
  Random random;
  const Octets deflated = deflated_by_zlib(mixed_data(random, 3000));
  for (std::size_t size = 0; size < deflated.size(); ++size) {
    EXPECT_FALSE(
        our_inflated(Octets(deflated.begin(), deflated.begin() + static_cast<std::ptrdiff_t>(size)), 4000, random)
            .has_value());
  }
  Octets longer = deflated;
  longer.push_back(0);
  EXPECT_FALSE(our_inflated(longer, 4000, random).has_value());
}

}  // namespace
}  // namespace gpuimg::test_inflate

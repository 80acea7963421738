// The deflate encoder; zlib reads its output.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <queue>

#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/rfc1951.hpp"
#include "support/file_bytes.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_deflate {
using namespace codecs;
using namespace codecs::deflate;

namespace {

using namespace test;
using Octets = std::vector<std::uint8_t>;

constexpr std::size_t kMaxInput = 400000;

/// The data that zlib reads from a deflate stream.
struct ReadBack {
  Octets bytes;
  int code = 0;
  std::size_t unread = 0;
};

ReadBack read_back(std::span<const std::byte> deflated) {
  z_stream stream{};
  inflateInit2(&stream, -15);
  ReadBack result;
  result.bytes.resize(kMaxInput);
  FileBytes in(deflated.begin(), deflated.end());
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = result.bytes.data();
  stream.avail_out = static_cast<uInt>(result.bytes.size());
  result.code = inflate(&stream, Z_SYNC_FLUSH);
  result.bytes.resize(stream.total_out);
  result.unread = stream.avail_in;
  inflateEnd(&stream);
  return result;
}

/// Deflates into a buffer of deflate_bound bytes, and checks that the bytes after it are unchanged.
FileBytes deflated(StripDeflater& deflater, const Octets& bytes, bool is_last) {
  constexpr std::size_t kGuard = 64;
  constexpr std::byte kFill{0xCD};
  const std::size_t bound = deflate_bound(bytes.size());
  FileBytes out(bound + kGuard, kFill);
  const std::size_t size = deflater.deflate(std::as_bytes(std::span(bytes)), std::span(out).first(bound), is_last);
  EXPECT_LE(size, bound);
  EXPECT_TRUE(std::all_of(out.end() - kGuard, out.end(), [&](std::byte b) { return b == kFill; }));
  out.resize(size);
  return out;
}

::testing::AssertionResult reads_back(const Octets& bytes, const FileBytes& deflated, bool is_last) {
  const ReadBack read = read_back(deflated);
  if (read.code == (is_last ? Z_STREAM_END : Z_OK) && read.unread == 0 && read.bytes == bytes) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << bytes.size() << " bytes: zlib says " << read.code << ", reads "
                                       << read.bytes.size() << ", leaves " << read.unread;
}

enum class Kind { noise, constant, few_levels, runs, repeats, ramp, skewed };

Octets octets(Kind kind, std::size_t size, Random& random) {
  Octets bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    switch (kind) {
      case Kind::noise: bytes[i] = static_cast<std::uint8_t>(random.below(256)); break;
      case Kind::constant: bytes[i] = 0x5A; break;
      case Kind::few_levels: bytes[i] = static_cast<std::uint8_t>(random.below(3)); break;
      case Kind::runs:
        bytes[i] = i == 0 || random.below(30) == 0 ? static_cast<std::uint8_t>(random.below(256)) : bytes[i - 1];
        break;
      case Kind::repeats: {
        const std::size_t back = 1 + random.below(70000);  // may exceed the window
        const std::size_t length = std::min<std::size_t>(1 + random.below(400), size - i);
        for (std::size_t k = 0; k < length; ++k) {
          bytes[i + k] =
              i + k >= back && back % 4 != 0 ? bytes[i + k - back] : static_cast<std::uint8_t>(random.below(256));
        }
        i += length - 1;
        break;
      }
      case Kind::ramp: bytes[i] = static_cast<std::uint8_t>(i / 7); break;
      case Kind::skewed: bytes[i] = static_cast<std::uint8_t>(std::countl_zero(random.below(0x7FFFFFFFU) | 1U)); break;
    }
  }
  return bytes;
}

constexpr std::array kKinds = {Kind::noise,   Kind::constant, Kind::few_levels, Kind::runs,
                               Kind::repeats, Kind::ramp,     Kind::skewed};

TEST(Deflate, EveryLevelRoundTripsEveryKindOfData) {
  Random random;
  std::vector<std::size_t> sizes = {65535, 65536, 131063, 131064, 131065, 131070, 262144, kMaxInput - 1};
  for (std::size_t size = 0; size < 70; ++size) {
    sizes.push_back(size);
  }
  for (int level = 0; level <= 2; ++level) {
    StripDeflater deflater(level);
    for (const Kind kind : kKinds) {
      for (const std::size_t size : sizes) {
        const Octets bytes = octets(kind, size, random);
        for (const bool is_last : {true, false}) {
          ASSERT_TRUE(reads_back(bytes, deflated(deflater, bytes, is_last), is_last))
              << level << ' ' << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(Deflate, StripsJoinIntoOneStream) {
  Random random;
  StripDeflater deflater(1);
  Octets whole;
  FileBytes stream;
  for (int strip = 0; strip < 7; ++strip) {
    const Octets bytes = octets(Kind::runs, random.below(50000), random);
    add_bytes(stream, deflated(deflater, bytes, strip == 6));
    whole.insert(whole.end(), bytes.begin(), bytes.end());
  }
  EXPECT_TRUE(reads_back(whole, stream, true));
}

TEST(Deflate, OutputDependsOnlyOnTheInput) {
  Random random;
  for (int level = 0; level <= 2; ++level) {
    const Octets bytes = octets(Kind::repeats, 200000, random);
    StripDeflater fresh(level);
    const FileBytes expected = deflated(fresh, bytes, true);
    StripDeflater used(level);
    for (const Kind kind : kKinds) {
      deflated(used, octets(kind, random.below(300000), random), false);
      const Octets elsewhere = bytes;  // at another address
      ASSERT_EQ(deflated(used, elsewhere, true), expected) << level;
    }
  }
}

TEST(Deflate, StaysNearTheExpectedSize) {
  Random random;
  constexpr std::size_t kSize = 262144;
  StripDeflater deflater(1);
  EXPECT_LE(deflated(deflater, octets(Kind::noise, kSize, random), true).size(), kSize + 64);
  EXPECT_LE(deflated(deflater, octets(Kind::constant, kSize, random), true).size(), kSize / 200);
  // Values with probabilities 1/2, 1/4 …: two bits each on average, and block headers.
  EXPECT_LE(deflated(deflater, octets(Kind::skewed, kSize, random), true).size(), kSize / 4 + kSize / 200);
  // Three values and the end of block: codes of one to three bits, so also at most two bits on average.
  EXPECT_LE(deflated(deflater, octets(Kind::few_levels, kSize, random), true).size(), kSize / 4 + kSize / 200);
}

TEST(Deflate, FindsMatchesUpToTheWindowSize) {
  Random random;
  StripDeflater deflater(2);
  for (const auto& [distance, is_found] : {std::pair{std::size_t{32768}, true}, {std::size_t{32769}, false}}) {
    Octets bytes = octets(Kind::noise, distance, random);
    bytes.insert(bytes.end(), bytes.begin(), bytes.end());
    const std::size_t size = deflated(deflater, bytes, true).size();
    if (is_found) {
      EXPECT_LT(size, distance + distance / 10);
    } else {
      EXPECT_GT(size, 2 * distance);
    }
  }
}

TEST(Deflate, RejectsASmallBuffer) {
  const Octets bytes(1000);
  FileBytes out(deflate_bound(bytes.size()) - 1);
  EXPECT_THROW(StripDeflater(1).deflate(std::as_bytes(std::span(bytes)), out, true), std::logic_error);
}

/// Matches of every length, and of the distances at both ends of each symbol's range.
TEST(DeflateBlock, WritesEveryLengthAndDistance) {
  Random random;
  Octets bytes = octets(Kind::noise, 32768, random);
  std::vector<DeflateSequence> sequences;
  std::uint32_t pending = static_cast<std::uint32_t>(bytes.size());
  const auto add_match = [&](std::uint32_t length, std::uint32_t distance) {
    sequences.push_back({pending, static_cast<std::uint16_t>(length), static_cast<std::uint16_t>(distance - 1)});
    pending = 0;
    for (std::uint32_t k = 0; k < length; ++k) {
      bytes.push_back(bytes[bytes.size() - distance]);
    }
    for (std::uint32_t literals = random.below(9); literals > 0; --literals, ++pending) {
      bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
    }
  };
  for (std::uint32_t length = 3; length <= 258; ++length) {
    add_match(length, 1 + random.below(32768));
  }
  for (std::uint32_t power = 1; power <= 32768; power *= 2) {
    for (const std::uint32_t distance : {power - 1, power, power + 1, power + power / 2, power + power / 2 + 1}) {
      if (distance >= 1 && distance <= 32768) {
        add_match(3 + random.below(256), distance);
      }
    }
  }
  sequences.push_back({pending, 0, 0});
  FileBytes out(2 * bytes.size());
  BitWriter writer(out.data());
  write_deflate_block(bytes, sequences, true, writer);
  writer.fill_last_byte();
  out.resize(writer.whole_bytes());
  EXPECT_TRUE(reads_back(bytes, out, true));
}

/// The size of an optimal code without a length limit: the sum of the weights of all inner nodes of the Huffman tree.
std::uint64_t optimal_bits(const std::vector<std::uint32_t>& counts) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> weights;
  for (const std::uint32_t count : counts) {
    if (count > 0) {
      weights.push(count);
    }
  }
  std::uint64_t bits = 0;
  while (weights.size() > 1) {
    std::uint64_t joined = weights.top();
    weights.pop();
    joined += weights.top();
    weights.pop();
    weights.push(joined);
    bits += joined;
  }
  return bits;
}

TEST(HuffmanCode, IsOptimalWithinItsLimit) {
  Random random;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t symbols = 2 + random.below(kFixedLiteralSymbols - 1);
    const std::uint32_t spread = random.below(20);
    std::vector<std::uint32_t> counts(symbols);
    for (std::uint32_t& count : counts) {
      count = random.below(3) == 0 ? 0 : random.below(1U << random.below(spread + 1)) + 1;
    }
    counts[0] = counts[1] = 1;
    for (const std::uint32_t max_length : {9U, 14U, 15U}) {
      Octets lengths(symbols, 0xCD);
      choose_code_lengths(counts, max_length, lengths);
      std::uint64_t code_space = 0;
      std::uint64_t bits = 0;
      std::uint32_t deepest = 0;
      for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
        ASSERT_EQ(lengths[symbol] == 0, counts[symbol] == 0);
        code_space += lengths[symbol] == 0 ? 0 : 1U << (max_length - lengths[symbol]);
        bits += std::uint64_t{counts[symbol]} * lengths[symbol];
        deepest = std::max<std::uint32_t>(deepest, lengths[symbol]);
      }
      ASSERT_EQ(code_space, 1U << max_length);  // complete: zlib rejects incomplete codes
      ASSERT_LE(deepest, max_length);
      if (deepest < max_length) {
        ASSERT_EQ(bits, optimal_bits(counts));
      } else if (max_length >= 14) {
        ASSERT_LE(bits, optimal_bits(counts) * 21 / 20);
      }
    }
  }
}

TEST(HuffmanCode, HandlesFewSymbols) {
  std::array<std::uint8_t, 3> lengths{};
  choose_code_lengths(std::array<std::uint32_t, 3>{}, 15, lengths);
  EXPECT_EQ(lengths, (std::array<std::uint8_t, 3>{0, 0, 0}));
  choose_code_lengths(std::array<std::uint32_t, 3>{0, 9, 0}, 15, lengths);
  EXPECT_EQ(lengths, (std::array<std::uint8_t, 3>{0, 1, 0}));
  choose_code_lengths(std::array<std::uint32_t, 3>{1, 9, 1}, 15, lengths);
  EXPECT_EQ(lengths, (std::array<std::uint8_t, 3>{2, 1, 2}));
}

TEST(HuffmanCode, LimitsDeepTrees) {
  std::vector<std::uint32_t> fibonacci = {1, 1};
  while (fibonacci.size() < 40) {
    fibonacci.push_back(fibonacci.end()[-1] + fibonacci.end()[-2]);
  }
  Octets lengths(fibonacci.size());
  choose_code_lengths(fibonacci, 7, lengths);
  std::uint32_t code_space = 0;
  for (const std::uint8_t length : lengths) {
    ASSERT_LE(length, 7);
    code_space += 1U << (7 - length);
  }
  EXPECT_EQ(code_space, 128U);
  EXPECT_TRUE(std::is_sorted(lengths.rbegin(), lengths.rend()));
}

}  // namespace
}  // namespace gpuimg::test_deflate

// Headers of blocks: app/codecs/deflate/inflate_block_finder.hpp.
#include "codecs/deflate/inflate_block_finder.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace gpuimg {
namespace {

constexpr std::uint32_t kWholeCode = 128;  // in shares of a code of 7 bits, the longest
constexpr int kLengthBits = 12;            // of four code lengths

/// The shares of four code lengths of 3 bits each.
constexpr auto shares_of_lengths() {
  std::array<std::uint16_t, 1U << kLengthBits> shares{};
  for (std::uint32_t lengths = 0; lengths < shares.size(); ++lengths) {
    for (std::uint32_t left = lengths; left != 0; left >>= 3) {
      const std::uint32_t length = left & 7U;
      shares[lengths] = static_cast<std::uint16_t>(shares[lengths] + (length == 0 ? 0 : kWholeCode >> length));
    }
  }
  return shares;
}

constexpr std::array kShares = shares_of_lengths();

/// At least 57 bits of the stream.
std::uint64_t bits_at(const std::uint8_t* bytes, std::size_t bit) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + bit / 8, sizeof word);
  return word >> bit % 8;
}

constexpr std::size_t kFirstBits = 13;                // block type and two counts
constexpr std::size_t kAtOnce = 57 - kFirstBits + 1;  // starts that are seen in 57 bits

/// A bit for each of the next kAtOnce bits at which the first bits of a header can begin: 0, then the type, 2, lowest
/// bit first, and two counts of 5 bits that are neither 30 nor 31.
std::uint64_t possible_starts(std::uint64_t bits) {
  const std::uint64_t type = ~bits & ~(bits >> 1) & bits >> 2;
  const std::uint64_t too_many_literals = bits >> 4 & bits >> 5 & bits >> 6 & bits >> 7;
  const std::uint64_t too_many_distances = bits >> 9 & bits >> 10 & bits >> 11 & bits >> 12;
  return type & ~too_many_literals & ~too_many_distances & ((std::uint64_t{1} << kAtOnce) - 1);
}

bool has_whole_code(const std::uint8_t* bytes, std::size_t bit) {
  const std::uint64_t count = bits_at(bytes, bit + kFirstBits) & 15U;
  const std::uint64_t lengths = bits_at(bytes, bit + kFirstBits + 4) & ((std::uint64_t{1} << 3 * (count + 4)) - 1);
  std::uint32_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    sum += kShares[lengths >> i * kLengthBits & (kShares.size() - 1)];
  }
  return sum == kWholeCode;
}

}  // namespace

std::optional<std::size_t> find_block_header(const std::uint8_t* bytes, std::size_t begin, std::size_t end) {
  for (std::size_t first = begin; first < end; first += kAtOnce) {
    for (std::uint64_t starts = possible_starts(bits_at(bytes, first)); starts != 0; starts &= starts - 1) {
      const std::size_t bit = first + static_cast<std::size_t>(std::countr_zero(starts));
      if (bit < end && has_whole_code(bytes, bit)) {
        return bit;
      }
    }
  }
  return std::nullopt;
}

}  // namespace gpuimg

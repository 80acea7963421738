// Tests 45 bit positions at once for the first fields of a header, then checks the code lengths by table.
#include "codecs/deflate/inflate_block_finder.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "codecs/deflate/rfc1951.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::uint32_t kCompleteCode = 1U << kMaxCodeLengthBits;  // code space, in units of the longest code
constexpr int kFourLengthsBits = 12;

/// The code space taken by four codes whose lengths have 3 bits each.
constexpr auto code_space_table() {
  std::array<std::uint16_t, 1U << kFourLengthsBits> table{};
  for (std::uint32_t lengths = 0; lengths < table.size(); ++lengths) {
    for (std::uint32_t left = lengths; left != 0; left >>= 3) {
      const std::uint32_t length = left & 7U;
      table[lengths] = static_cast<std::uint16_t>(table[lengths] + (length == 0 ? 0 : kCompleteCode >> length));
    }
  }
  return table;
}

constexpr std::array kCodeSpace = code_space_table();

/// At least 57 bits of the stream, from bit `bit` on.
std::uint64_t bits_at(const std::uint8_t* bytes, std::size_t bit) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + bit / 8, sizeof word);
  return word >> bit % 8;
}

constexpr std::size_t kFirstBits = 13;                   // last-block flag, block type, two symbol counts
constexpr std::size_t kPositions = 57 - kFirstBits + 1;  // that 57 bits cover

/// A mask of the positions at which a header can start: last-block flag 0, block type 2, then two 5-bit counts, neither
/// of them 30 or 31.
std::uint64_t possible_starts(std::uint64_t bits) {
  const std::uint64_t type = ~bits & ~(bits >> 1) & bits >> 2;
  const std::uint64_t too_many_literals = bits >> 4 & bits >> 5 & bits >> 6 & bits >> 7;
  const std::uint64_t too_many_distances = bits >> 9 & bits >> 10 & bits >> 11 & bits >> 12;
  return type & ~too_many_literals & ~too_many_distances & ((std::uint64_t{1} << kPositions) - 1);
}

bool has_complete_code(const std::uint8_t* bytes, std::size_t bit) {
  const std::uint64_t count = bits_at(bytes, bit + kFirstBits) & 15U;
  const std::uint64_t lengths = bits_at(bytes, bit + kFirstBits + 4) & ((std::uint64_t{1} << 3 * (count + 4)) - 1);
  std::uint32_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    sum += kCodeSpace[lengths >> i * kFourLengthsBits & (kCodeSpace.size() - 1)];
  }
  return sum == kCompleteCode;
}

}  // namespace

std::optional<std::size_t> find_block_header(const std::uint8_t* bytes, std::size_t begin, std::size_t end) {
  for (std::size_t first = begin; first < end; first += kPositions) {
    for (std::uint64_t starts = possible_starts(bits_at(bytes, first)); starts != 0; starts &= starts - 1) {
      const std::size_t bit = first + static_cast<std::size_t>(std::countr_zero(starts));
      if (bit < end && has_complete_code(bytes, bit)) {
        return bit;
      }
    }
  }
  return std::nullopt;
}

}  // namespace gpuimg::codecs

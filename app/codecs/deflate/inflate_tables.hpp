// Look-up tables that decode symbols, up to three literals or a match at a time. RFC 1951, section 3.2.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/deflate/rfc1951.hpp"

namespace gpuimg::codecs {

/// What the next bits of a stream mean, packed into 32 bits:
/// bits 0–5: bits consumed in all; 6–7: number of literals. With literals, they follow from bit 8 on. Without,
/// 8–13: code bits, which precede the extra bits; 14–28: value; 29–31: kind. The value is that of a number without its
/// extra bits, the offset of a second table, or of a match: 14–15 the two highest bits of its distance - 1, of which
/// the others are the extra bits; 16–24 its length.
struct InflateEntry {
  enum Kind : std::uint32_t { match = 0, number = 1, end_of_block = 2, second_table = 3, impossible = 4 };

  std::uint32_t bits = impossible << 29;

  static constexpr InflateEntry of_literal(std::uint32_t value) { return {1U << 6 | value << 8}; }
  static constexpr InflateEntry of_number(std::uint32_t value, std::uint32_t extra_bits) {
    return {std::uint32_t{number} << 29 | extra_bits | value << 14};
  }
  static constexpr InflateEntry of_kind(Kind kind) { return {std::uint32_t{kind} << 29}; }
  /// The literals of `first` followed by the one of `next`, at most kMaxLiterals.
  static constexpr InflateEntry joined(InflateEntry first, InflateEntry next) {
    return {first.bits + next.width() + (1U << 6) + ((next.bits & 0xFF00U) << 8 * first.literals())};
  }
  static constexpr std::uint32_t kMaxLiterals = 3;
  /// A match of that length; all bits of `length_width` bits are known, and the entry of its distance follows.
  static constexpr InflateEntry of_match(std::uint32_t length, std::uint32_t length_width, InflateEntry distance) {
    const std::uint32_t highest = (distance.value() - 1) >> distance.extra_bits();
    return {(length_width + distance.width()) | (length_width + distance.code_bits()) << 8 | highest << 14 |
            length << 16};
  }

  /// This entry, reached through a code of `length` bits.
  [[nodiscard]] constexpr InflateEntry coded(std::uint32_t length) const {
    return {(bits + length) | (literals() == 0 ? length << 8 : 0)};
  }
  [[nodiscard]] constexpr std::uint32_t width() const { return bits & 63U; }
  [[nodiscard]] constexpr std::uint32_t literals() const { return bits >> 6 & 3U; }
  [[nodiscard]] constexpr std::uint32_t code_bits() const { return bits >> 8 & 63U; }
  [[nodiscard]] constexpr std::uint32_t extra_bits() const { return width() - code_bits(); }
  [[nodiscard]] constexpr std::uint32_t value() const { return bits >> 14 & 0x7FFFU; }
  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits >> 29); }
  /// Here and below, `stream` starts with this entry's code.
  [[nodiscard]] constexpr std::uint32_t extra(std::uint64_t stream) const {
    return static_cast<std::uint32_t>((stream & ((std::uint64_t{1} << width()) - 1)) >> code_bits());
  }
  /// Of a number.
  [[nodiscard]] constexpr std::uint32_t value(std::uint64_t stream) const { return value() + extra(stream); }
  /// Of a match.
  [[nodiscard]] constexpr std::uint32_t length() const { return bits >> 16; }
  [[nodiscard]] constexpr std::uint32_t distance(std::uint64_t stream) const {
    return ((bits >> 14 & 3U) << extra_bits()) + extra(stream) + 1;
  }
};

/// Of a first table and the second tables of up to `max_length` bits. At least two codes share a second table;
/// otherwise the code would be shorter.
constexpr std::size_t table_entries(std::size_t symbols, std::uint32_t first_bits, std::uint32_t max_length) {
  const std::uint32_t second_bits = max_length - first_bits;
  return (std::size_t{1} << first_bits) + (second_bits > 0 ? symbols / 2 << second_bits : 0);
}

/// A first table indexed by the next first_bits() bits, and second tables for longer codes.
template <std::uint32_t kFirstBits, std::uint32_t kMaxLength, std::size_t kSymbols>
struct InflateTable {
  static constexpr std::uint32_t first_bits() { return kFirstBits; }
  static constexpr std::uint32_t second_bits() { return kMaxLength - kFirstBits; }

  std::array<InflateEntry, table_entries(kSymbols, kFirstBits, kMaxLength)> entries;
};

using DistanceTable = InflateTable<9, kMaxCodeBits, kFixedDistanceSymbols>;
using CodeLengthTable = InflateTable<kMaxCodeLengthBits, kMaxCodeLengthBits, kCodeLengthSymbols>;

/// The same with a choice: many bits hold two literals more often, as in the noise of a photograph; few bits make a
/// table that is filled sooner.
struct LiteralTable {
  static constexpr std::uint32_t kFewBits = 10;
  static constexpr std::uint32_t kManyBits = 12;

  [[nodiscard]] std::uint32_t first_bits() const { return chosen_bits; }
  [[nodiscard]] std::uint32_t second_bits() const { return kMaxCodeBits - chosen_bits; }

  std::uint32_t chosen_bits = kFewBits;
  std::array<InflateEntry, std::max(table_entries(kFixedLiteralSymbols, kFewBits, kMaxCodeBits),
                                    table_entries(kFixedLiteralSymbols, kManyBits, kMaxCodeBits))>
      entries;
};

/// These take the code length of each symbol, 0 for symbols without a code. They return false for the sets of lengths
/// that zlib rejects: over-subscribed ones, and incomplete ones except a single code of one bit or, for distances only,
/// no codes at all.
bool build(std::span<const std::uint8_t> lengths, LiteralTable& table);
bool build(std::span<const std::uint8_t> lengths, DistanceTable& table);
bool build(std::span<const std::uint8_t> lengths, CodeLengthTable& table);

/// Makes one entry of a length and the distance that follows, where the first table's index covers both codes.
void join_matches(LiteralTable& literals, const DistanceTable& distances);

}  // namespace gpuimg::codecs

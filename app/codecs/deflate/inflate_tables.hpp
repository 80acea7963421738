// Look-up tables that turn the bits of a deflate stream into symbols, several literals at a time. RFC 1951,
// section 3.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuimg {

/// What the next bits of a stream mean. A value of 32 bits, taken apart by shifts:
/// bits 0–5 how many bits it takes in all; 6–7 how many literals it is; then either those literals from bit 8 on, or
/// 8–11 how many of its bits are its code, before extra bits; 12–27 the base value (or where a second table begins);
/// 28–31 the kind.
struct InflateEntry {
  enum Kind : std::uint32_t { base = 0, end_of_block = 1, second_table = 2, impossible = 3 };

  std::uint32_t bits = impossible << 28;

  static constexpr InflateEntry literal(std::uint32_t value) { return {1U << 6 | value << 8}; }
  static constexpr InflateEntry number(std::uint32_t value, std::uint32_t extra_bits) {
    return {extra_bits | value << 12};
  }
  static constexpr InflateEntry of_kind(Kind kind) { return {std::uint32_t{kind} << 28}; }
  /// Literals in one entry, at most kMostLiterals: what `first` and then `next`, which is one, would give.
  static constexpr InflateEntry joined(InflateEntry first, InflateEntry next) {
    return {first.bits + next.width() + (1U << 6) + ((next.bits & 0xFF00U) << 8 * first.literals())};
  }
  static constexpr std::uint32_t kMostLiterals = 3;

  /// The same behind a code of `length` bits.
  [[nodiscard]] constexpr InflateEntry coded(std::uint32_t length) const {
    return {(bits + length) | (literals() == 0 ? length << 8 : 0)};
  }
  [[nodiscard]] constexpr std::uint32_t width() const { return bits & 63U; }
  [[nodiscard]] constexpr std::uint32_t literals() const { return bits >> 6 & 3U; }
  [[nodiscard]] constexpr std::uint32_t value() const { return bits >> 12 & 0xFFFFU; }
  /// Base value and extra bits; `stream` begins with this entry's code.
  [[nodiscard]] constexpr std::uint32_t value(std::uint64_t stream) const {
    const std::uint64_t own = stream & ((std::uint64_t{1} << width()) - 1);
    return value() + static_cast<std::uint32_t>(own >> (bits >> 8 & 15U));
  }
  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits >> 28); }
};

/// A first table by the next kBits bits, and second tables for codes longer than that.
template <int kFirstBits, int kMaxLength, std::size_t kSymbols>
struct InflateTable {
  static constexpr int kBits = kFirstBits;
  static constexpr int kSecondBits = kMaxLength - kFirstBits;
  // Two long codes at least share a second table, or the code would be shorter.
  static constexpr std::size_t kSecondTables = kSecondBits > 0 ? kSymbols / 2 : 0;
  std::array<InflateEntry, (std::size_t{1} << kBits) + (kSecondTables << kSecondBits)> entries;
};

using LiteralTable = InflateTable<10, 15, 288>;
using DistanceTable = InflateTable<9, 15, 32>;
using LengthCodeTable = InflateTable<7, 7, 19>;

/// The builders take the code length of each symbol, 0 for symbols without a code. They return false for the sets of
/// lengths that zlib refuses too: those that ask for more codes than there are, and those that leave codes unused,
/// unless it is one code of one bit, or (distances alone) none at all.
bool build(std::span<const std::uint8_t> lengths, LiteralTable& table);
bool build(std::span<const std::uint8_t> lengths, DistanceTable& table);
bool build(std::span<const std::uint8_t> lengths, LengthCodeTable& table);

}  // namespace gpuimg

// The codes of a deflate block as tables that a group of threads builds and decodes with: an entry for each ten bits of
// a literal or match length, and for each eight of a distance; longer codes are looked up by their length.
// RFC 1951, sections 3.2.2 and 3.2.5.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/block_search.hpp"
#include "png/deflate.hpp"

namespace gpuimg::png {

// --- Entries ---------------------------------------------------------------------------------------------------------

/// What a code stands for.
enum class Meaning : std::uint32_t { literal = 0, match = 1, end_of_block = 2, nothing = 3 };

/// An entry: bits 0–3 how long the code is, 4–7 how many bits follow it, 8–9 its meaning; of a literal or match length,
/// 10–18 the bytes that it makes without the bits that follow, 24–31 the literal; of a distance, 16–31 the least one.
struct Coded {
  std::uint32_t entry;

  [[nodiscard]] GPUIMG_HD std::uint32_t code_bits() const { return entry & 15U; }
  [[nodiscard]] GPUIMG_HD std::uint32_t extra_bits() const { return entry >> 4 & 15U; }
  [[nodiscard]] GPUIMG_HD Meaning meaning() const { return static_cast<Meaning>(entry >> 8 & 3U); }
  [[nodiscard]] GPUIMG_HD std::uint32_t all_bits() const { return code_bits() + extra_bits(); }
  [[nodiscard]] GPUIMG_HD std::uint32_t extra_of(std::uint32_t bits) const {
    return bits >> code_bits() & ((1U << extra_bits()) - 1U);
  }
  /// `bits` begin with the code.
  [[nodiscard]] GPUIMG_HD std::uint32_t bytes(std::uint32_t bits) const {
    return (entry >> 10 & 511U) + extra_of(bits);
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t literal() const { return entry >> 24; }
  [[nodiscard]] GPUIMG_HD std::uint32_t distance(std::uint32_t bits) const { return (entry >> 16) + extra_of(bits); }
};

GPUIMG_HD constexpr std::uint32_t entry_of(std::uint32_t code_bits, std::uint32_t extra_bits, Meaning meaning) {
  return code_bits | extra_bits << 4 | static_cast<std::uint32_t>(meaning) << 8;
}

/// Of bits that are no code: one bit long, so that a walk from a guess can go on behind it.
constexpr std::uint32_t kNoCode = entry_of(1, 0, Meaning::nothing);
/// Of codes that are longer than a table's index.
constexpr std::uint32_t kLongCode = entry_of(0, 0, Meaning::nothing);

/// The least value of a symbol in groups of 2^group_bits, of which each covers values of one more bit: see coded_value.
GPUIMG_HD constexpr std::uint32_t least_value(std::uint32_t symbol, std::uint32_t extra_bits,
                                              std::uint32_t group_bits) {
  return (symbol - (extra_bits << group_bits)) << extra_bits;
}

GPUIMG_HD constexpr std::uint32_t literal_entry(std::uint32_t symbol, std::uint32_t code_bits) {
  if (symbol < kEndOfBlock) {
    return entry_of(code_bits, 0, Meaning::literal) | 1U << 10 | symbol << 24;
  }
  if (symbol == kEndOfBlock) {
    return entry_of(code_bits, 0, Meaning::end_of_block);
  }
  if (symbol >= kLiteralSymbols) {
    return kNoCode;
  }
  const std::uint32_t extra_bits = literal_extra_bits(symbol);
  const std::uint32_t length = symbol == kLiteralSymbols - 1
                                   ? kMaxMatchLength
                                   : kMinMatchLength + least_value(symbol - kFirstLengthSymbol, extra_bits, 2);
  return entry_of(code_bits, extra_bits, Meaning::match) | length << 10;
}

GPUIMG_HD constexpr std::uint32_t distance_entry(std::uint32_t symbol, std::uint32_t code_bits) {
  if (symbol >= kDistanceSymbols) {
    return kNoCode;
  }
  const std::uint32_t extra_bits = distance_extra_bits(symbol);
  return entry_of(code_bits, extra_bits, Meaning::match) | (1 + least_value(symbol, extra_bits, 1)) << 16;
}

// --- Tables ----------------------------------------------------------------------------------------------------------

/// How many symbols have each code length: sixteen counts of 16 bits, so that a group of threads can add them up.
struct LengthSums {
  std::uint64_t of[4] = {};

  GPUIMG_HD void add(std::uint32_t length, std::uint32_t count = 1) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      of[i] += length / 4 == i ? std::uint64_t{count} << 16 * (length % 4) : 0;
    }
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t at(std::uint32_t length) const {
    std::uint64_t four = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      four = length / 4 == i ? of[i] : four;
    }
    return static_cast<std::uint32_t>(four >> 16 * (length % 4)) & 0xFFFFU;
  }
  GPUIMG_HD friend LengthSums operator+(LengthSums a, const LengthSums& b) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      a.of[i] += b.of[i];
    }
    return a;
  }
};

/// A canonical code. Codes are left-aligned in 15 bits.
struct CanonicalCode {
  std::uint32_t limit[kMaxCodeBits + 1];     ///< of each length: the first code that is longer, or none
  std::uint32_t position[kMaxCodeBits + 1];  ///< to add to a code's number: the place of its symbol; may wrap
};

/// The codes of a block.
struct CodeTables {
  static constexpr std::uint32_t kLiteralBits = 10;
  static constexpr std::uint32_t kDistanceBits = 8;

  std::uint32_t literals[1U << kLiteralBits];
  std::uint32_t distances[1U << kDistanceBits];
  CanonicalCode literal_code;
  CanonicalCode distance_code;
  std::uint16_t ordered[kBlockLengths];  ///< symbols in order of their codes: of literals; from kDistanceLengths on
};

/// The code lengths of `count` symbols from `lengths` on.
template <std::uint32_t kCount>
GPUIMG_HD inline LengthSums length_sums(const std::uint8_t* lengths) {
  LengthSums sums;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    sums.add(lengths[i]);
  }
  return sums;
}

/// Puts kCount symbols, the first of which is `first`, in their places. `before` counts the symbols before them,
/// `total` those of the whole code.
template <std::uint32_t kCount>
GPUIMG_HD inline void order_symbols(const std::uint8_t* lengths, std::uint32_t first, const LengthSums& before,
                                    const LengthSums& total, std::uint16_t* ordered) {
  LengthSums next = before;
  std::uint32_t shorter = 0;
  for (std::uint32_t length = 1; length <= kMaxCodeBits; ++length) {
    next.add(length, shorter);
    shorter += total.at(length);
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (lengths[i] != 0) {
      ordered[next.at(lengths[i])] = static_cast<std::uint16_t>(first + i);
      next.add(lengths[i]);
    }
  }
}

GPUIMG_HD inline void set_limits(const LengthSums& total, CanonicalCode& code) {
  std::uint32_t next = 0;
  std::uint32_t symbols = 0;
  for (std::uint32_t length = 1; length <= kMaxCodeBits; ++length) {
    const std::uint32_t count = total.at(length);
    code.position[length] = symbols - next;
    next += count;
    symbols += count;
    code.limit[length] = next << (kMaxCodeBits - length);
    next <<= 1;
  }
}

/// The code length of the bits `aligned`, the first of which is bit 14; kMaxCodeBits + 1 if no code fits. Codes up to
/// kLonger − 1 bits are known not to fit.
template <std::uint32_t kLonger>
GPUIMG_HD inline std::uint32_t code_length_of(const CanonicalCode& code, std::uint32_t aligned) {
  std::uint32_t length = kLonger;
  while (length <= kMaxCodeBits && aligned >= code.limit[length]) {
    ++length;
  }
  return length;
}

GPUIMG_HD inline std::uint32_t place_of_symbol(const CanonicalCode& code, std::uint32_t aligned, std::uint32_t length) {
  return (aligned >> (kMaxCodeBits - length)) + code.position[length];
}

/// Entry `index` of a table: literals if kIsLiteral.
template <bool kIsLiteral>
GPUIMG_HD inline std::uint32_t table_entry(const CodeTables& tables, std::uint32_t index) {
  constexpr std::uint32_t kBits = kIsLiteral ? CodeTables::kLiteralBits : CodeTables::kDistanceBits;
  const CanonicalCode& code = kIsLiteral ? tables.literal_code : tables.distance_code;
  const std::uint32_t aligned = reversed_code(index, kMaxCodeBits);
  const std::uint32_t length = code_length_of<1>(code, aligned);
  if (length > kBits) {
    // Longer codes follow all shorter ones: if the index, followed by zeros, is beyond the last code, so is any with
    // it.
    return length > kMaxCodeBits ? kNoCode : kLongCode;
  }
  const std::uint32_t place = place_of_symbol(code, aligned, length);
  return kIsLiteral ? literal_entry(tables.ordered[place], length)
                    : distance_entry(tables.ordered[kDistanceLengths + place], length);
}

/// The entry of the code that `bits` begin with, which is longer than a table's index.
template <bool kIsLiteral>
GPUIMG_HD inline std::uint32_t long_entry(const CodeTables& tables, std::uint32_t bits) {
  constexpr std::uint32_t kBits = kIsLiteral ? CodeTables::kLiteralBits : CodeTables::kDistanceBits;
  const CanonicalCode& code = kIsLiteral ? tables.literal_code : tables.distance_code;
  const std::uint32_t aligned = reversed_code(bits & ((1U << kMaxCodeBits) - 1U), kMaxCodeBits);
  const std::uint32_t length = code_length_of<kBits + 1>(code, aligned);
  if (length > kMaxCodeBits) {
    return kNoCode;
  }
  const std::uint32_t place = place_of_symbol(code, aligned, length);
  return kIsLiteral ? literal_entry(tables.ordered[place], length)
                    : distance_entry(tables.ordered[kDistanceLengths + place], length);
}

GPUIMG_HD inline Coded coded_literal(const CodeTables& tables, std::uint32_t bits) {
  const std::uint32_t entry = tables.literals[bits & ((1U << CodeTables::kLiteralBits) - 1U)];
  return {entry == kLongCode ? long_entry<true>(tables, bits) : entry};
}

GPUIMG_HD inline Coded coded_distance_at(const CodeTables& tables, std::uint32_t bits) {
  const std::uint32_t entry = tables.distances[bits & ((1U << CodeTables::kDistanceBits) - 1U)];
  return {entry == kLongCode ? long_entry<false>(tables, bits) : entry};
}

/// A group of kTableLanes threads orders the symbols of a code; each takes this many, one after another.
constexpr std::uint32_t kTableLanes = 32;
constexpr std::uint32_t kLiteralsPerLane = kDistanceLengths / kTableLanes;
constexpr std::uint32_t kDistancesPerLane = (kBlockLengths - kDistanceLengths) / kTableLanes;
static_assert(kLiteralsPerLane * kTableLanes == kDistanceLengths);
static_assert(kDistancesPerLane * kTableLanes == kBlockLengths - kDistanceLengths);

/// Code lengths of a block with fixed codes.
GPUIMG_HD constexpr std::uint8_t fixed_length(std::uint32_t place) {
  return place < kDistanceLengths ? fixed_literal_length(place) : kFixedDistanceLength;
}

}  // namespace gpuimg::png

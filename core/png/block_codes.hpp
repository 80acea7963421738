// Dynamic blocks of a deflate stream, for decoding by many threads. Finds where a block may begin: first tests a few
// header fields at every bit, then the complete header. Builds the tables of a block's codes, which a group of threads
// shares: one entry for each value of 10 bits (literals and match lengths) or 8 bits (distances). Longer codes are
// looked up by length. RFC 1951, sections 3.2.2, 3.2.5 and 3.2.7. Rejects the same blocks as zlib's inflate.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/deflate.hpp"

namespace gpuimg::png {

// --- Search ----------------------------------------------------------------------------------------------------------

/// The 32 bits of `words` from bit `bit` on, first bit lowest. Reads the word that holds this bit, and the next word.
GPUIMG_HD inline std::uint32_t bits_at(const std::uint32_t* words, std::uint32_t bit) {
  const std::uint64_t both = words[bit / 32] | std::uint64_t{words[bit / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(both >> bit % 32);
}

/// The first block of a zlib stream comes after a header of two bytes.
constexpr std::uint32_t kFirstBlockBit = 16;

/// The search accepts a last block only this close to the end of the stream. Elsewhere, accepting last blocks would
/// only double the number of false candidates.
constexpr std::uint32_t kLastBlockBits = 1U << 20;

/// Encoders store at least twelve lengths of the code for code lengths. Blocks with fewer are found only by following
/// the chain of blocks.
constexpr std::uint32_t kMinStatedLengths = 12;

/// Tests 32 bits at once. Bit k of the result is set if a dynamic block may begin k bits after the first bit of `low`,
/// judging by its type, its numbers of symbols, and its number of stored code lengths. `high` is the next word.
GPUIMG_HD inline std::uint32_t block_candidates(std::uint32_t low, std::uint32_t high, bool may_be_last) {
  const std::uint64_t both = low | std::uint64_t{high} << 32;
  const auto bit = [&](std::uint32_t k) { return static_cast<std::uint32_t>(both >> k); };
  static_assert(kMinStatedLengths == 4 + 8);  // so bit 16, the top bit of HCLEN, must be set
  const std::uint32_t is_dynamic = ~bit(1) & bit(2);
  const std::uint32_t too_many_literals = bit(4) & bit(5) & bit(6) & bit(7);      // 287 or 288
  const std::uint32_t too_many_distances = bit(9) & bit(10) & bit(11) & bit(12);  // 31 or 32
  return is_dynamic & ~too_many_literals & ~too_many_distances & bit(16) & (may_be_last ? ~0U : ~bit(0));
}

/// The part of the code space (in units of 1/128) that one code of this length occupies; 0 if length is 0.
GPUIMG_HD constexpr std::uint32_t precode_space(std::uint32_t length) {
  return length == 0 ? 0U : 1U << kMaxCodeLengthBits >> length;
}
constexpr std::uint32_t kWholePrecode = 1U << kMaxCodeLengthBits;

/// is_complete_precode() looks up the total space of four lengths, of three bits each, in a table with this many
/// entries.
constexpr std::uint32_t kPrecodeSpaces = 1U << 12;
GPUIMG_HD constexpr std::uint16_t precode_spaces(std::uint32_t lengths) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    sum += precode_space(lengths >> 3 * i & 7U);
  }
  return static_cast<std::uint16_t>(sum);
}

/// True if the candidate block at `begin` stores a complete code for code lengths. Reads 74 bits.
GPUIMG_HD inline bool is_complete_precode(const std::uint32_t* words, std::uint32_t begin,
                                          const std::uint16_t* spaces) {
  const std::uint32_t at = begin + 13;
  const std::uint32_t count = (bits_at(words, at) & 15U) + 4;
  const std::uint64_t all = bits_at(words, at + 4) | std::uint64_t{bits_at(words, at + 36)} << 32;
  const std::uint64_t lengths = all & ((std::uint64_t{1} << 3 * count) - 1);
  std::uint32_t sum = 0;
  for (std::uint32_t shift = 0; shift < 3 * kCodeLengthSymbols; shift += 12) {
    sum += spaces[lengths >> shift & (kPrecodeSpaces - 1)];
  }
  return sum == kWholePrecode;
}

/// How much of its code space a code occupies.
struct CodeSpace {
  static constexpr std::uint32_t kWhole = 1U << kMaxCodeBits;

  std::uint32_t taken = 0;
  std::uint32_t codes = 0;

  /// Adds `count` codes of length 1 to 15. With at most 320 codes in all, nothing overflows.
  GPUIMG_HD void add(std::uint32_t length, std::uint32_t count) {
    taken += count * (kWhole >> length);
    codes += count;
  }
  /// zlib accepts an incomplete code only if it consists of a single one-bit code.
  [[nodiscard]] GPUIMG_HD bool is_valid() const { return taken == kWhole || (codes == 1 && taken == kWhole / 2); }
};

/// The code lengths of a block: first for literals and match lengths; from kDistanceLengths on, for distances.
constexpr std::uint32_t kDistanceLengths = kFixedLiteralSymbols;
constexpr std::uint32_t kBlockLengths = kDistanceLengths + kFixedDistanceSymbols;

/// Decodes code lengths. There is one entry for each value of seven bits. It holds the symbol and, from bit 5 on, the
/// length of its code. The entries of one table lie `stride` apart.
struct PrecodeTable {
  static constexpr std::uint32_t kEntries = 1U << kMaxCodeLengthBits;

  std::uint8_t* entries = nullptr;
  std::uint32_t stride = 1;

  [[nodiscard]] GPUIMG_HD std::uint32_t at(std::uint32_t bits) const { return entries[bits % kEntries * stride]; }

  /// Reads `count` stored lengths from bit `bit` on. Returns false if the code is not complete.
  GPUIMG_HD bool build(const std::uint32_t* words, std::uint32_t bit, std::uint32_t count) {
    std::uint64_t lengths = 0;    // three bits per symbol
    std::uint64_t of_length = 0;  // eight bits per length: number of symbols
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t length = bits_at(words, bit + 3 * i) & 7U;
      lengths |= length << 3 * code_length_order(i);
      of_length += std::uint64_t{1} << 8 * length;
    }
    std::uint64_t next = 0;  // eight bits per length: its next code
    std::uint32_t space = 0;
    for (std::uint32_t length = 1, code = 0; length <= kMaxCodeLengthBits; ++length) {
      next |= std::uint64_t{code & 0xFFU} << 8 * length;
      const std::uint32_t codes = of_length >> 8 * length & 0xFFU;
      space += codes * precode_space(length);
      code = (code + codes) << 1;
    }
    if (space != kWholePrecode) {
      return false;
    }
    for (std::uint32_t symbol = 0; symbol < kCodeLengthSymbols; ++symbol) {
      const std::uint32_t length = lengths >> 3 * symbol & 7U;
      if (length != 0) {
        fill(symbol, length, next >> 8 * length & 0xFFU);
        next += std::uint64_t{1} << 8 * length;
      }
    }
    return true;
  }

 private:
  GPUIMG_HD void fill(std::uint32_t symbol, std::uint32_t length, std::uint32_t code) {
    for (std::uint32_t bits = reversed_code(code, length); bits < kEntries; bits += 1U << length) {
      entries[bits * stride] = static_cast<std::uint8_t>(symbol | length << 5);
    }
  }
};

/// A run of equal code lengths, and the number of bits that encode it.
struct LengthRun {
  std::uint32_t length;
  std::uint32_t count;
  std::uint32_t bits;
};

/// Decodes the run at the beginning of `bits`. `previous` is the length before it.
GPUIMG_HD inline LengthRun length_run(const PrecodeTable& table, std::uint32_t bits, std::uint32_t previous) {
  const std::uint32_t entry = table.at(bits);
  const std::uint32_t symbol = entry & 31U;
  const std::uint32_t used = entry >> 5;
  const std::uint32_t extra = bits >> used;
  switch (symbol) {
    case kRepeatPrevious: return {previous, 3 + (extra & 3U), used + 2};
    case kShortZeroRun: return {0, 3 + (extra & 7U), used + 3};
    case kLongZeroRun: return {0, 11 + (extra & 127U), used + 7};
    default: return {symbol, 1, used};
  }
}

/// Reads the code lengths of a dynamic block; its three header bits end before `bit`. Calls put(place, length, count)
/// for each run of nonzero lengths; places are 0 … kBlockLengths − 1. Returns the first bit of the block's data, or 0
/// if zlib would reject the header or if the header extends beyond bit `end`.
template <class Put>
GPUIMG_HD inline std::uint32_t read_code_lengths(const std::uint32_t* words, std::uint32_t bit, std::uint32_t end,
                                                 PrecodeTable table, Put&& put) {
  const std::uint32_t counts = bits_at(words, bit);
  const std::uint32_t literals = (counts & 31U) + 257;
  const std::uint32_t all = literals + (counts >> 5 & 31U) + 1;
  const std::uint32_t stated = (counts >> 10 & 15U) + 4;
  bit += 14;
  if (literals > kLiteralSymbols || all - literals > kDistanceSymbols || !table.build(words, bit, stated)) {
    return 0;
  }
  bit += 3 * stated;
  CodeSpace of_literals;
  CodeSpace of_distances;
  bool has_end = false;
  std::uint32_t previous = kRepeatPrevious;  // not a length: there is nothing to repeat yet
  for (std::uint32_t i = 0; i < all;) {
    const LengthRun run = length_run(table, bits_at(words, bit), previous);
    if (run.length > kMaxCodeBits || run.count > all - i || bit > end) {
      return 0;
    }
    if (run.length != 0) {
      const std::uint32_t left = i < literals ? literals - i : 0;
      const std::uint32_t first = run.count < left ? run.count : left;
      of_literals.add(run.length, first);
      of_distances.add(run.length, run.count - first);
      put(i, run.length, first);
      put(kDistanceLengths + i + first - literals, run.length, run.count - first);
      has_end = has_end || (i <= kEndOfBlock && kEndOfBlock < i + run.count);
    }
    previous = run.length;
    bit += run.bits;
    i += run.count;
  }
  const bool is_valid = has_end && of_literals.is_valid() && (of_distances.codes == 0 || of_distances.is_valid());
  return is_valid && bit <= end ? bit : 0;
}

// --- Entries ---------------------------------------------------------------------------------------------------------

/// The kinds of symbols that a code can stand for.
enum class Meaning : std::uint32_t { literal = 0, match = 1, end_of_block = 2, nothing = 3 };

/// A table entry. Bits 0–3: length of the code. Bits 4–7: number of extra bits. Bits 8–9: meaning. For a literal or
/// match length: bits 10–18 are the number of bytes that it produces, without extra bits; bits 24–31 are the literal.
/// For a distance: bits 16–31 are the smallest distance.
struct Coded {
  std::uint32_t entry;

  [[nodiscard]] GPUIMG_HD std::uint32_t code_bits() const { return entry & 15U; }
  [[nodiscard]] GPUIMG_HD std::uint32_t extra_bits() const { return entry >> 4 & 15U; }
  [[nodiscard]] GPUIMG_HD Meaning meaning() const { return static_cast<Meaning>(entry >> 8 & 3U); }
  [[nodiscard]] GPUIMG_HD std::uint32_t all_bits() const { return code_bits() + extra_bits(); }
  [[nodiscard]] GPUIMG_HD std::uint32_t extra_of(std::uint32_t bits) const {
    return bits >> code_bits() & ((1U << extra_bits()) - 1U);
  }
  /// `bits` must begin with the code.
  [[nodiscard]] GPUIMG_HD std::uint32_t bytes(std::uint32_t bits) const {
    return (entry >> 10 & 511U) + extra_of(bits);
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t literal() const { return entry >> 24; }
  [[nodiscard]] GPUIMG_HD std::uint32_t distance(std::uint32_t bits) const { return (entry >> 16) + extra_of(bits); }
};

GPUIMG_HD constexpr std::uint32_t entry_of(std::uint32_t code_bits, std::uint32_t extra_bits, Meaning meaning) {
  return code_bits | extra_bits << 4 | static_cast<std::uint32_t>(meaning) << 8;
}

/// The entry for bits that match no code. Its length is one bit, so that a walk from a guess can continue.
constexpr std::uint32_t kNoCode = entry_of(1, 0, Meaning::nothing);
/// The entry for codes longer than the index of the table.
constexpr std::uint32_t kLongCode = entry_of(0, 0, Meaning::nothing);

/// The smallest value of a symbol. Symbols form groups of 2^group_bits; each group has one more extra bit than the one
/// before: see coded_value.
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

/// Number of symbols of each code length: sixteen 16-bit counts, packed so that a group of threads can add them up.
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

/// A canonical code. All codes are left-aligned in 15 bits.
struct CanonicalCode {
  std::uint32_t limit[kMaxCodeBits + 1];     ///< per length: end of its codes, which is the first possible longer code
  std::uint32_t position[kMaxCodeBits + 1];  ///< per length: add this to a code to get its place in `ordered`; may wrap
};

/// The codes of a block.
struct CodeTables {
  static constexpr std::uint32_t kLiteralBits = 10;
  static constexpr std::uint32_t kDistanceBits = 8;

  std::uint32_t literals[1U << kLiteralBits];
  std::uint32_t distances[1U << kDistanceBits];
  CanonicalCode literal_code;
  CanonicalCode distance_code;
  std::uint16_t ordered[kBlockLengths];  ///< symbols in order of their codes; distances begin at kDistanceLengths
};

/// Counts the code lengths of kCount symbols from `lengths` on.
template <std::uint32_t kCount>
GPUIMG_HD inline LengthSums length_sums(const std::uint8_t* lengths) {
  LengthSums sums;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    sums.add(lengths[i]);
  }
  return sums;
}

/// Sorts the kCount symbols from `first` on into their places. `before` counts the symbols before `first`, and `total`
/// counts all symbols of the code.
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

/// The length of the code at the beginning of `aligned`, whose first bit is bit 14; kMaxCodeBits + 1 if no code
/// matches. The caller must know that no code shorter than kLonger bits matches.
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

/// Computes entry `index` of a table: of literals if kIsLiteral, else of distances.
template <bool kIsLiteral>
GPUIMG_HD inline std::uint32_t table_entry(const CodeTables& tables, std::uint32_t index) {
  constexpr std::uint32_t kBits = kIsLiteral ? CodeTables::kLiteralBits : CodeTables::kDistanceBits;
  const CanonicalCode& code = kIsLiteral ? tables.literal_code : tables.distance_code;
  const std::uint32_t aligned = reversed_code(index, kMaxCodeBits);
  const std::uint32_t length = code_length_of<1>(code, aligned);
  if (length > kBits) {
    // Longer codes come after all shorter codes. So if the index, padded with zeros, is beyond the last code, then so
    // is every continuation of it.
    return length > kMaxCodeBits ? kNoCode : kLongCode;
  }
  const std::uint32_t place = place_of_symbol(code, aligned, length);
  return kIsLiteral ? literal_entry(tables.ordered[place], length)
                    : distance_entry(tables.ordered[kDistanceLengths + place], length);
}

/// The entry for the code at the beginning of `bits`, if it is longer than the index of the table.
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

/// A group of kTableLanes threads sorts the symbols of a code. Each thread handles kLiteralsPerLane or
/// kDistancesPerLane consecutive symbols.
constexpr std::uint32_t kTableLanes = 32;
constexpr std::uint32_t kLiteralsPerLane = kDistanceLengths / kTableLanes;
constexpr std::uint32_t kDistancesPerLane = (kBlockLengths - kDistanceLengths) / kTableLanes;
static_assert(kLiteralsPerLane * kTableLanes == kDistanceLengths);
static_assert(kDistancesPerLane * kTableLanes == kBlockLengths - kDistanceLengths);

/// The code length of a symbol in a block with fixed codes.
GPUIMG_HD constexpr std::uint8_t fixed_length(std::uint32_t place) {
  return place < kDistanceLengths ? fixed_literal_length(place) : kFixedDistanceLength;
}

}  // namespace gpuimg::png

// Where blocks with dynamic codes may begin in a deflate stream: fields of their headers, tested at every bit, and the
// headers in full. RFC 1951, section 3.2.7; what is refused: zlib's inflate.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/deflate.hpp"

namespace gpuimg::png {

/// The 32 bits of `words` from bit `bit` on, the first one lowest. Reads the word with that bit and the next one.
GPUIMG_HD inline std::uint32_t bits_at(const std::uint32_t* words, std::uint32_t bit) {
  const std::uint64_t both = words[bit / 32] | std::uint64_t{words[bit / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(both >> bit % 32);
}

/// The first block of a zlib stream follows two bytes.
constexpr std::uint32_t kFirstBlockBit = 16;

/// Only near the end of a stream is the last block looked for: a false last block is as likely as a false other one.
constexpr std::uint32_t kLastBlockBits = 1U << 20;

/// Encoders state at least twelve code lengths of the code for code lengths. Blocks that state fewer are found by
/// following the chain.
constexpr std::uint32_t kMinStatedLengths = 12;

/// Bit k is set if a dynamic block may begin k bits after the first bit of `low`: its type, its numbers of symbols, and
/// how many code lengths it states. `high` is the next word.
GPUIMG_HD inline std::uint32_t block_candidates(std::uint32_t low, std::uint32_t high, bool may_be_last) {
  const std::uint64_t both = low | std::uint64_t{high} << 32;
  const auto bit = [&](std::uint32_t k) { return static_cast<std::uint32_t>(both >> k); };
  static_assert(kMinStatedLengths == 4 + 8);  // the top bit of the four that say how many there are beyond four
  const std::uint32_t is_dynamic = ~bit(1) & bit(2);
  const std::uint32_t too_many_literals = bit(4) & bit(5) & bit(6) & bit(7);      // 287 or 288
  const std::uint32_t too_many_distances = bit(9) & bit(10) & bit(11) & bit(12);  // 31 or 32
  return is_dynamic & ~too_many_literals & ~too_many_distances & bit(16) & (may_be_last ? ~0U : ~bit(0));
}

/// The space that a code of that length takes in a code for code lengths; 0 for none.
GPUIMG_HD constexpr std::uint32_t precode_space(std::uint32_t length) {
  return length == 0 ? 0U : 1U << kMaxCodeLengthBits >> length;
}
constexpr std::uint32_t kWholePrecode = 1U << kMaxCodeLengthBits;

/// The same for four lengths of three bits each: an entry of the table that is_complete_precode() reads.
constexpr std::uint32_t kPrecodeSpaces = 1U << 12;
GPUIMG_HD constexpr std::uint16_t precode_spaces(std::uint32_t lengths) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    sum += precode_space(lengths >> 3 * i & 7U);
  }
  return static_cast<std::uint16_t>(sum);
}

/// Whether the dynamic block that may begin at `begin` states a complete code for code lengths. Reads 74 bits.
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

/// How much of a code's space its code lengths take.
struct CodeSpace {
  static constexpr std::uint32_t kWhole = 1U << kMaxCodeBits;

  std::uint32_t taken = 0;
  std::uint32_t codes = 0;

  /// `count` codes of a length of 1 to 15; at most 320 in all, so nothing wraps.
  GPUIMG_HD void add(std::uint32_t length, std::uint32_t count) {
    taken += count * (kWhole >> length);
    codes += count;
  }
  /// zlib takes an incomplete code only if it is one code of one bit.
  [[nodiscard]] GPUIMG_HD bool is_valid() const { return taken == kWhole || (codes == 1 && taken == kWhole / 2); }
};

/// Code lengths of a block: of literals and match lengths, then from kDistanceLengths on of distances.
constexpr std::uint32_t kDistanceLengths = kFixedLiteralSymbols;
constexpr std::uint32_t kBlockLengths = kDistanceLengths + kFixedDistanceSymbols;

/// Decodes code lengths: an entry for each seven bits, of the symbol and from bit 5 on its length. The entries of one
/// user lie `stride` apart.
struct PrecodeTable {
  static constexpr std::uint32_t kEntries = 1U << kMaxCodeLengthBits;

  std::uint8_t* entries = nullptr;
  std::uint32_t stride = 1;

  [[nodiscard]] GPUIMG_HD std::uint32_t at(std::uint32_t bits) const { return entries[bits % kEntries * stride]; }

  /// Reads `count` stated lengths from bit `bit` on. Returns false unless the code is complete.
  GPUIMG_HD bool build(const std::uint32_t* words, std::uint32_t bit, std::uint32_t count) {
    std::uint64_t lengths = 0;    // three bits each, by symbol
    std::uint64_t of_length = 0;  // eight bits each: how many symbols have it
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t length = bits_at(words, bit + 3 * i) & 7U;
      lengths |= length << 3 * code_length_order(i);
      of_length += std::uint64_t{1} << 8 * length;
    }
    std::uint64_t next = 0;  // eight bits each: the next code of that length
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

/// A run of equal code lengths, and how many bits state it.
struct LengthRun {
  std::uint32_t length;
  std::uint32_t count;
  std::uint32_t bits;
};

/// The run that `bits` begin with. `previous` is the length before it.
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

/// Reads the code lengths of a dynamic block whose type and finality end at `bit`. Calls put(place, length, count) for
/// each run of lengths that are not 0: they lie in kBlockLengths places. Returns the first bit of the block's data; 0
/// if zlib refuses the header, or if it extends beyond bit `end`.
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
  std::uint32_t previous = kRepeatPrevious;  // no length: there is none to repeat
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

}  // namespace gpuimg::png

// The constants of the deflate format, each stated once: alphabets, code lengths, base values and extra bits.
// RFC 1951, section 3.2.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gpuimg::codecs {

enum class BlockType : std::uint8_t { stored = 0, fixed = 1, dynamic = 2 };

inline constexpr std::size_t kMaxStoredBytes = 65535;  ///< in one stored block

inline constexpr std::uint32_t kMinMatchLength = 3;
inline constexpr std::uint32_t kMaxMatchLength = 258;
inline constexpr std::uint32_t kMaxMatchDistance = 32768;

inline constexpr std::uint32_t kEndOfBlock = 256;
inline constexpr std::uint32_t kFirstLengthSymbol = kEndOfBlock + 1;
inline constexpr std::size_t kLiteralSymbols = 286;  ///< literals, end of block, match lengths
inline constexpr std::size_t kDistanceSymbols = 30;
inline constexpr std::size_t kCodeLengthSymbols = 19;

/// The fixed codes also cover symbols that no stream may contain.
inline constexpr std::size_t kFixedLiteralSymbols = 288;
inline constexpr std::size_t kFixedDistanceSymbols = 32;

inline constexpr std::uint32_t kMaxCodeBits = 15;       ///< of a literal/length or distance code
inline constexpr std::uint32_t kMaxCodeLengthBits = 7;  ///< of a code for code lengths
inline constexpr std::uint32_t kMaxDistanceExtraBits = 13;

/// The values that one symbol covers: `base` plus a number of `extra_bits` bits.
struct SymbolRange {
  std::uint32_t base = 0;
  std::uint32_t extra_bits = 0;

  [[nodiscard]] constexpr std::uint32_t last() const { return base + (1U << extra_bits) - 1; }
};

/// Consecutive ranges from `first` on: after the first group of `group_size` symbols, each group has one extra bit more
/// than the group before.
template <std::size_t kSymbols>
constexpr std::array<SymbolRange, kSymbols> symbol_ranges(std::uint32_t first, std::size_t group_size) {
  std::array<SymbolRange, kSymbols> ranges{};
  for (std::size_t i = 0; i < kSymbols; ++i) {
    ranges[i] = {first, static_cast<std::uint32_t>(i < group_size ? 0 : i / group_size - 1)};
    first = ranges[i].last() + 1;
  }
  return ranges;
}

/// Match lengths, by symbol − kFirstLengthSymbol. The longest has a symbol without extra bits.
inline constexpr auto kLengthRanges = [] {
  auto ranges = symbol_ranges<29>(kMinMatchLength, 4);
  ranges.back() = {kMaxMatchLength, 0};
  return ranges;
}();
static_assert(kFirstLengthSymbol + kLengthRanges.size() == kLiteralSymbols);

/// Match distances, by symbol.
inline constexpr auto kDistanceRanges = symbol_ranges<kDistanceSymbols>(1, 2);
static_assert(kDistanceRanges.back().extra_bits == kMaxDistanceExtraBits);

/// Code lengths are themselves coded: symbols 0 to 15 are lengths, these three are runs.
inline constexpr std::uint8_t kRepeatPrevious = 16;
inline constexpr std::uint8_t kShortZeroRun = 17;
inline constexpr std::uint8_t kLongZeroRun = 18;

/// Run lengths, by symbol − kRepeatPrevious.
inline constexpr std::array<SymbolRange, 3> kRunRanges = {{{3, 2}, {3, 3}, {11, 7}}};

/// The order in which a dynamic block states the lengths of the code for code lengths.
inline constexpr std::array<std::uint8_t, kCodeLengthSymbols> kCodeLengthOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};

/// Section 3.2.6.
inline constexpr auto kFixedLiteralLengths = [] {
  std::array<std::uint8_t, kFixedLiteralSymbols> lengths{};
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
  }
  return lengths;
}();
inline constexpr std::uint8_t kFixedDistanceLength = 5;

/// A value as the encoder writes it: its symbol, then `extra` in `extra_bits` bits.
struct CodedValue {
  std::uint32_t symbol = 0;
  std::uint32_t extra_bits = 0;
  std::uint32_t extra = 0;
};

/// Inverse of symbol_ranges<…>(0, 2^group_bits).
constexpr CodedValue coded_value(std::uint32_t value, std::uint32_t group_bits) {
  const auto width = static_cast<std::uint32_t>(std::bit_width(value | 1U));
  const std::uint32_t extra_bits = width > group_bits ? width - 1 - group_bits : 0;
  return {(extra_bits << group_bits) + (value >> extra_bits), extra_bits, value & ((1U << extra_bits) - 1)};
}

/// 3 … 258: symbols 257 … 285.
constexpr CodedValue coded_length(std::uint32_t length) {
  CodedValue coded =
      length == kMaxMatchLength ? CodedValue{kLengthRanges.size() - 1} : coded_value(length - kMinMatchLength, 2);
  coded.symbol += kFirstLengthSymbol;
  return coded;
}

/// 1 … 32768: symbols 0 … 29.
constexpr CodedValue coded_distance(std::uint32_t distance) { return coded_value(distance - 1, 1); }

/// The arithmetic above and the tables agree on the first and the last value of each symbol.
static_assert([] {
  bool agree = coded_length(kMaxMatchLength).symbol == kLiteralSymbols - 1;
  for (std::uint32_t i = 0; i + 1 < kLengthRanges.size(); ++i) {
    const std::uint32_t symbol = kFirstLengthSymbol + i;
    const std::uint32_t last =
        kLengthRanges[i].last() < kMaxMatchLength ? kLengthRanges[i].last() : kMaxMatchLength - 1;
    agree = agree && coded_length(kLengthRanges[i].base).symbol == symbol && coded_length(last).symbol == symbol;
  }
  for (std::uint32_t symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    agree = agree && coded_distance(kDistanceRanges[symbol].base).symbol == symbol &&
            coded_distance(kDistanceRanges[symbol].last()).symbol == symbol;
  }
  return agree;
}());

/// Huffman codes are packed starting with their most significant bit, everything else with the least significant.
/// `length` is 1 to 16.
constexpr std::uint32_t reversed_code(std::uint32_t code, std::uint32_t length) {
  code = (code & 0x5555U) << 1 | (code >> 1 & 0x5555U);
  code = (code & 0x3333U) << 2 | (code >> 2 & 0x3333U);
  code = (code & 0x0F0FU) << 4 | (code >> 4 & 0x0F0FU);
  code = (code & 0x00FFU) << 8 | code >> 8;
  return code >> (16 - length);
}

}  // namespace gpuimg::codecs

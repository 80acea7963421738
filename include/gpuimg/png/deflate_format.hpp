// What encoders of deflate share with the devices: alphabets, and how values become symbols. RFC 1951, section 3.2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/host_device.hpp"

namespace gpuimg::png {

enum class BlockType : std::uint8_t { stored = 0, fixed = 1, dynamic = 2 };

constexpr std::size_t kMaxStoredBytes = 65535;  ///< in one stored block

constexpr std::uint32_t kMinMatchLength = 3;
constexpr std::uint32_t kMaxMatchLength = 258;
constexpr std::uint32_t kMaxMatchDistance = 32768;

constexpr std::uint32_t kEndOfBlock = 256;
constexpr std::uint32_t kFirstLengthSymbol = kEndOfBlock + 1;
constexpr std::size_t kLiteralSymbols = 286;  ///< literals, end of block, match lengths
constexpr std::size_t kDistanceSymbols = 30;
constexpr std::size_t kCodeLengthSymbols = 19;

/// The fixed codes also cover symbols that no stream may contain.
constexpr std::size_t kFixedLiteralSymbols = 288;
constexpr std::size_t kFixedDistanceSymbols = 32;

constexpr std::uint32_t kMaxCodeBits = 15;       ///< of a literal/length or distance code
constexpr std::uint32_t kMaxCodeLengthBits = 7;  ///< of a code for code lengths
constexpr std::uint32_t kMaxDistanceExtraBits = 13;
constexpr std::uint32_t kBlockHeaderBits = 3;

/// Section 3.2.6.
GPUIMG_HD constexpr std::uint8_t fixed_literal_length(std::uint32_t symbol) {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}
constexpr std::uint8_t kFixedDistanceLength = 5;

/// Code lengths are themselves coded: symbols 0 to 15 are lengths, these three are runs.
constexpr std::uint8_t kRepeatPrevious = 16;
constexpr std::uint8_t kShortZeroRun = 17;
constexpr std::uint8_t kLongZeroRun = 18;

/// The symbol whose code length a dynamic block states as number `i`.
GPUIMG_HD constexpr std::uint8_t code_length_order(std::uint32_t i) {
  constexpr std::uint8_t kOrder[kCodeLengthSymbols] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
  return kOrder[i];
}

/// A value as the encoder writes it: its symbol, then `extra` in `extra_bits` bits.
struct CodedValue {
  std::uint32_t symbol = 0;
  std::uint32_t extra_bits = 0;
  std::uint32_t extra = 0;
};

/// Groups of 2^group_bits symbols: after the first two, each covers values of one more bit than the group before.
GPUIMG_HD inline CodedValue coded_value(std::uint32_t value, std::uint32_t group_bits) {
  const std::uint32_t extra_bits = bit_width(value | 1U << group_bits) - 1 - group_bits;
  return {(extra_bits << group_bits) + (value >> extra_bits), extra_bits, value & ((1U << extra_bits) - 1)};
}

/// 3 … 258: symbols 257 … 285. The longest has a symbol without extra bits.
GPUIMG_HD inline CodedValue coded_length(std::uint32_t length) {
  CodedValue coded = length == kMaxMatchLength ? CodedValue{kLiteralSymbols - 1 - kFirstLengthSymbol}
                                               : coded_value(length - kMinMatchLength, 2);
  coded.symbol += kFirstLengthSymbol;
  return coded;
}

/// 1 … 32768: symbols 0 … 29.
GPUIMG_HD inline CodedValue coded_distance(std::uint32_t distance) { return coded_value(distance - 1, 1); }

/// Of a symbol of the literal and length alphabet; 0 for literals and the end of the block.
GPUIMG_HD constexpr std::uint32_t literal_extra_bits(std::uint32_t symbol) {
  return symbol < kFirstLengthSymbol + 8 || symbol == kLiteralSymbols - 1 ? 0 : (symbol - kFirstLengthSymbol) / 4 - 1;
}

GPUIMG_HD constexpr std::uint32_t distance_extra_bits(std::uint32_t symbol) { return symbol < 4 ? 0 : symbol / 2 - 1; }

/// Huffman codes are packed starting with their most significant bit, everything else with the least significant.
/// `length` is 1 to 16.
GPUIMG_HD constexpr std::uint32_t reversed_code(std::uint32_t code, std::uint32_t length) {
  code = (code & 0x5555U) << 1 | (code >> 1 & 0x5555U);
  code = (code & 0x3333U) << 2 | (code >> 2 & 0x3333U);
  code = (code & 0x0F0FU) << 4 | (code >> 4 & 0x0F0FU);
  code = (code & 0x00FFU) << 8 | code >> 8;
  return code >> (16 - length);
}

}  // namespace gpuimg::png

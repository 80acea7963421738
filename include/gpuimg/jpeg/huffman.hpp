// Look-up tables for the Huffman codes of a JPEG (ITU-T T.81, annex C and F.2.2). A symbol comes with its value bits;
// one look-up can take several symbols.
#pragma once

#include <cstdint>

#include "gpuimg/codec.hpp"
#include "gpuimg/host_device.hpp"

namespace gpuimg::jpeg {

constexpr std::uint32_t kLookupBits = 11;
constexpr std::uint32_t kLookupEntries = 1U << kLookupBits;
constexpr std::uint32_t kTableCount = 4;     ///< DC 0, DC 1, AC 0, AC 1
constexpr std::uint32_t kMaxLongCodes = 64;  ///< prefixes of 11 bits that longer codes share
constexpr std::uint32_t kLongEntries = 1U << (16 - kLookupBits);
constexpr std::uint32_t kLongTables = kTableCount * kLookupEntries;  ///< where their entries begin
constexpr std::uint32_t kSymbolEntries = kLongTables + kMaxLongCodes * kLongEntries;
constexpr std::uint32_t kGroupBits = 12;
constexpr std::uint32_t kGroupEntries = kTableCount << kGroupBits;

/// One code and the value behind it. `advance` is the distance to the next coefficient in zigzag order; 64 for the end
/// of the block.
struct SymbolEntry {
  std::uint32_t packed = 0;  ///< bits of code and value | bits of the value << 5 | advance << 9

  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t bits() const { return packed & 31U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t value_bits() const { return packed >> 5 & 15U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t advance() const { return packed >> 9; }
};

constexpr std::uint32_t kEndOfBlock = 64;

/// For bits that are no code: ends the block. No code has 31 bits without value bits.
constexpr std::uint16_t kNoCode = 31U | 127U << 9;

/// As many symbols of one block as have their codes in kGroupBits bits; a DC symbol is alone. 0 bits: none.
struct GroupEntry {
  std::uint32_t packed = 0;  ///< bits | advance << 5 | ends the block << 11 | bits of a DC value << 12

  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t bits() const { return packed & 31U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t advance() const { return packed >> 5 & 63U; }
  /// 64 if the group ends its block.
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t end_of_block() const { return packed >> 5 & kEndOfBlock; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t value_bits() const { return packed >> 12; }
};

struct HuffmanTables {
  std::uint16_t symbols[kSymbolEntries];
  std::uint16_t groups[kGroupEntries];
};

/// Returns false for tables that libjpeg-turbo must judge: a code that does not fit or has only ones, a DC symbol above
/// 15, or more long codes than there is room for. Defined in core/jpeg_huffman.cpp.
bool build_huffman_tables(const EncodedJpeg& jpeg, HuffmanTables& tables);

/// `window` begins with the code.
GPUIMG_HD inline SymbolEntry find_symbol(const std::uint16_t* symbols, std::uint32_t table, std::uint32_t window) {
  std::uint32_t entry = symbols[table * kLookupEntries + (window >> (32 - kLookupBits))];
  if ((entry & 31U) == 0) {  // the code is longer: the entry is the place of a second table
    entry = symbols[kLongTables + entry + (window >> 16 & (kLongEntries - 1))];
  }
  return {entry};
}

GPUIMG_HD inline GroupEntry find_group(const std::uint16_t* groups, std::uint32_t table, std::uint32_t window) {
  return {groups[(table << kGroupBits) + (window >> (32 - kGroupBits))]};
}

/// The value whose `value_bits` bits end `bits` bits into `window`: EXTEND of T.81, figure F.12. Modulo 2³².
GPUIMG_HD inline std::uint32_t signed_value(std::uint32_t window, std::uint32_t bits, std::uint32_t value_bits) {
  const std::uint32_t aligned = window << (bits - value_bits);
  const std::uint32_t magnitude = (aligned >> 1) >> (31 - value_bits);
  const bool is_negative = (aligned & 0x80000000U) == 0;
  return is_negative ? magnitude + (~0U << value_bits) + 1U : magnitude;
}

}  // namespace gpuimg::jpeg

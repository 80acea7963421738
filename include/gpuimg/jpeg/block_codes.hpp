// From quantized coefficients to Huffman codes and packed bits (ITU-T T.81, F.1.2).
#pragma once

#include <cstdint>

#include "gpuimg/codec.hpp"
#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/layout.hpp"

namespace gpuimg::jpeg {

/// The code of a symbol; without bits if the table lacks it.
struct SymbolCode {
  std::uint32_t packed;  ///< code << 5 | bits

  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t bits() const { return packed & 31U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t code() const { return packed >> 5; }
};

constexpr std::uint32_t kEndOfBlockSymbol = 0x00;
constexpr std::uint32_t kSixteenZeros = 0xF0;
constexpr std::uint32_t kDcSymbols = 12;  ///< baseline: differences below 2¹¹
constexpr std::uint32_t kMaxAcBits = 10;  ///< of a value

struct CodeTable {
  SymbolCode dc[16];
  SymbolCode ac[256];
};

/// For luma, and for chroma.
struct CodeTables {
  CodeTable of[2];
};

/// Returns false if the two chroma components have different tables, or if a table lacks a symbol that pixels may need.
/// Defined in core/jpeg_codes.cpp.
bool build_code_tables(const JpegScanFormat& format, CodeTables& tables);

/// Value bits: T.81, F.1.2.1. Negative values are stored less 1.
struct ValueBits {
  std::uint32_t count;
  std::uint32_t bits;

  GPUIMG_HD explicit ValueBits(std::int32_t value)
      : count(bit_width(static_cast<std::uint32_t>(value < 0 ? -value : value))),
        bits(static_cast<std::uint32_t>(value < 0 ? value - 1 : value) & ((1U << count) - 1U)) {}
};

/// The zeros before the AC coefficient at `place`. Bit i of `nonzero` is coefficient i in zigzag order; bit 0, for DC,
/// is clear.
GPUIMG_HD inline std::uint32_t zeros_before(std::uint64_t nonzero, std::uint32_t place) {
  const std::uint64_t before = (nonzero & ((std::uint64_t{1} << place) - 1)) | 1U;
  return place - bit_width(before);
}

GPUIMG_HD inline bool has_end_of_block(std::uint64_t nonzero) { return nonzero >> (kBlockSize - 1) == 0; }

/// Bits of the AC symbols whose values are coefficients 8 · part … 8 · part + 7. The end of the block counts as part 0.
GPUIMG_HD inline std::uint32_t ac_bits(const std::int16_t* coefficients, std::uint64_t nonzero, std::uint32_t part,
                                       const CodeTable& table) {
  std::uint32_t bits = part == 0 && has_end_of_block(nonzero) ? table.ac[kEndOfBlockSymbol].bits() : 0U;
  const std::uint32_t first = part * kBlockSide;
  for (std::uint64_t left = nonzero >> first & 0xFFU; left != 0; left &= left - 1) {
    const std::uint32_t place = first + lowest_bit(left);
    const std::uint32_t zeros = zeros_before(nonzero, place);
    const std::uint32_t value_bits = ValueBits(coefficients[place]).count;
    bits += zeros / 16 * table.ac[kSixteenZeros].bits() + table.ac[zeros % 16 << 4 | value_bits].bits() + value_bits;
  }
  return bits;
}

GPUIMG_HD inline std::uint32_t dc_bits(std::int32_t difference, const CodeTable& table) {
  const std::uint32_t value_bits = ValueBits(difference).count;
  return table.dc[value_bits].bits() + value_bits;
}

/// Calls put(bits, count) for each symbol with its value, at most 27 bits. Reads no coefficients but those whose bits
/// are set.
template <class Put>
GPUIMG_HD inline void code_block(const std::int16_t* coefficients, std::uint64_t nonzero, std::int32_t dc_difference,
                                 const CodeTable& table, Put&& put) {
  const auto put_value = [&](SymbolCode symbol, const ValueBits& value) {
    put(symbol.code() << value.count | value.bits, symbol.bits() + value.count);
  };
  const ValueBits difference(dc_difference);
  put_value(table.dc[difference.count], difference);
  for (std::uint64_t left = nonzero; left != 0; left &= left - 1) {
    const std::uint32_t place = lowest_bit(left);
    std::uint32_t zeros = zeros_before(nonzero, place);
    for (; zeros >= 16; zeros -= 16) {
      put(table.ac[kSixteenZeros].code(), table.ac[kSixteenZeros].bits());
    }
    const ValueBits value(coefficients[place]);
    put_value(table.ac[zeros << 4 | value.count], value);
  }
  if (has_end_of_block(nonzero)) {
    put(table.ac[kEndOfBlockSymbol].code(), table.ac[kEndOfBlockSymbol].bits());
  }
}

/// Packs bits into words of 32, the first bit highest. `add_word(index, word)` must combine by "or": neighbors share
/// their first and last words, whose other bits are 0.
template <class AddWord>
class BitPacker {
 public:
  GPUIMG_HD BitPacker(std::uint32_t first_bit, AddWord add_word)
      : word_(first_bit >> 5), count_(first_bit & 31U), add_word_(add_word) {}

  /// The last `count` bits of `bits`, 1 to 32; the others are 0.
  GPUIMG_HD void put(std::uint32_t bits, std::uint32_t count) {
    waiting_ |= static_cast<std::uint64_t>(bits) << (64U - count_ - count);
    count_ += count;
    if (count_ >= 32) {
      add_word_(word_++, static_cast<std::uint32_t>(waiting_ >> 32));
      waiting_ <<= 32;
      count_ -= 32;
    }
  }

  /// Adds the last word, if it has any bits.
  GPUIMG_HD void finish() {
    if (count_ > 0) {
      add_word_(word_, static_cast<std::uint32_t>(waiting_ >> 32));
    }
  }

 private:
  std::uint64_t waiting_ = 0;  ///< `count_` bits, at the top; those before the first are 0
  std::uint32_t word_;
  std::uint32_t count_;
  AddWord add_word_;
};

/// How many bits of 1 fill the last byte of a scan.
GPUIMG_HD inline std::uint32_t fill_bits(std::uint64_t bits) { return static_cast<std::uint32_t>(0U - bits) & 7U; }

template <class AddWord>
GPUIMG_HD inline void fill_last_byte(BitPacker<AddWord>& packer, std::uint64_t bits) {
  if (const std::uint32_t count = fill_bits(bits); count > 0) {
    packer.put((1U << count) - 1U, count);
  }
}

}  // namespace gpuimg::jpeg

// Look-up tables for the Huffman codes of a JPEG scan: most codes with the bits that follow them. ITU-T T.81, annex C,
// F.2.2 and G.1.2.
#pragma once

#include <array>
#include <cstdint>

#include "gpuimg/codec.hpp"

namespace gpuimg::codecs {

/// What the next JpegCodeTable::kBits bits begin with.
struct JpegCodeEntry {
  std::uint32_t packed;

  constexpr JpegCodeEntry() : packed(0) {}
  constexpr JpegCodeEntry(int value, unsigned advance, unsigned bits)
      : packed(static_cast<std::uint32_t>(value) << 16 | advance << 8 | bits) {}

  [[nodiscard]] constexpr int value() const { return static_cast<std::int16_t>(packed >> 16); }
  /// Zeros before the coefficient, or one of the constants below.
  [[nodiscard]] constexpr unsigned advance() const { return packed >> 8 & 0xFF; }
  /// Of the code and what else has been looked up. In the lowest six bits, where shifts take their count from.
  [[nodiscard]] constexpr unsigned bits() const { return packed & 63; }

  static constexpr unsigned kEndOfBand = 64;  ///< `value`: so many blocks have no further coefficient here
  static constexpr unsigned kSymbol = 65;     ///< `value`: a symbol whose further bits do not fit
  static constexpr unsigned kLong = 66;       ///< see JpegCodeTable::long_code
};

class JpegCodeTable {
 public:
  static constexpr unsigned kBits = 10;

  /// A symbol and the length of its code, which is 0 if there is none.
  struct Symbol {
    unsigned symbol = 0;
    unsigned bits = 0;
  };

  /// Both return false if libjpeg would refuse the table. For DC, `value` is the difference and `advance` 0.
  bool set_dc(const JpegHuffmanTable& from);
  /// Coefficients of at most `max_value_bits` bits, multiplied by 2^shift; those of more bits stay symbols.
  bool set_ac(const JpegHuffmanTable& from, unsigned shift, unsigned max_value_bits);

  [[nodiscard]] JpegCodeEntry entry(std::uint64_t index) const { return entries_[index]; }

  /// A code longer than kBits at the beginning of 16 bits.
  [[nodiscard]] Symbol long_code(unsigned window) const;

 private:
  template <class Entry>
  bool set(const JpegHuffmanTable& from, Entry entry_of);

  static constexpr unsigned kMaxLength = 16;

  std::array<JpegCodeEntry, 1U << kBits> entries_;
  std::array<std::uint8_t, 256> symbols_;
  std::array<unsigned, kMaxLength + 1> end_;    // after the last code of each length
  std::array<unsigned, kMaxLength + 1> index_;  // in symbols_, less the first code of each length; modulo 2^32
};

/// The value of `count` (0 … 15) bits: EXTEND of T.81, figure F.12.
constexpr int jpeg_value(unsigned bits, unsigned count) {
  const auto value = static_cast<int>(bits);
  return count == 0 || value >> (count - 1) != 0 ? value : value - (1 << count) + 1;
}

}  // namespace gpuimg::codecs

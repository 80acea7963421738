// Parallel Huffman decoding of a scan. It is cut into subsequences of equal length. A decoder that starts anywhere soon
// agrees with one that came from the beginning, so each subsequence is first skimmed from a guess, then again from
// where its predecessor ends, until nothing changes (Weissenberger and Schmidt 2021, arXiv:2111.09219). BlockWalk
// (block_walk.hpp) then writes the coefficients, and proves that each subsequence ends where its successor began.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/huffman.hpp"
#include "gpuimg/jpeg/layout.hpp"

namespace gpuimg::jpeg {

/// Why the host must decode a file: bits of a mask.
enum Defect : std::uint32_t {
  bad_code = 1U << 0,         ///< bits that are no code
  bad_index = 1U << 1,        ///< a coefficient beyond the last
  bad_block_count = 1U << 2,  ///< too few or too many blocks
  bits_left = 1U << 3,        ///< 8 or more bits behind the last block of a segment
  broken_chain = 1U << 4,     ///< a subsequence does not end where its successor began
  wild_block = 1U << 5,       ///< numbers that libjpeg-turbo's 16-bit arithmetic does not hold
  bad_marker = 1U << 6,       ///< restart markers out of order, or fill bytes
  bad_end = 1U << 7,          ///< no EOI behind the scan
  bad_dc = 1U << 8,           ///< a DC value out of range
  not_synchronized = 1U << 9  ///< the states did not agree in time; the host can find them
};

constexpr std::uint32_t kMaxDcBits = 11;

/// Between two symbols.
struct DecoderState {
  std::uint32_t bit = 0;    ///< of the scan without stuffed bytes and markers
  std::uint16_t block = 0;  ///< in the MCU
  std::uint16_t index = 0;  ///< of the next coefficient in zigzag order; 0: the block begins

  GPUIMG_HD friend bool operator==(const DecoderState& a, const DecoderState& b) {
    return a.bit == b.bit && a.block == b.block && a.index == b.index;
  }
};

/// What the symbols of a stretch add up to.
struct ScanSums {
  std::uint32_t blocks = 0;  ///< that end in it
  std::uint32_t dc0 = 0;     ///< DC differences of each component, modulo 2³²
  std::uint32_t dc1 = 0;
  std::uint32_t dc2 = 0;

  GPUIMG_HD void add_dc(std::uint32_t component, std::uint32_t difference) {
    dc0 += component == 0 ? difference : 0;
    dc1 += component == 1 ? difference : 0;
    dc2 += component == 2 ? difference : 0;
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t dc(std::uint32_t component) const {
    return component == 0 ? dc0 : component == 1 ? dc1 : dc2;
  }
  GPUIMG_HD friend ScanSums operator+(const ScanSums& a, const ScanSums& b) {
    return {a.blocks + b.blocks, a.dc0 + b.dc0, a.dc1 + b.dc1, a.dc2 + b.dc2};
  }
  GPUIMG_HD friend bool operator==(const ScanSums& a, const ScanSums& b) {
    return a.blocks == b.blocks && a.dc0 == b.dc0 && a.dc1 == b.dc1 && a.dc2 == b.dc2;
  }
};

/// The blocks of an MCU in coded order: their components, and which of the two tables of each kind decodes them. Bits
/// of words instead of arrays, so that a step from block to block is no look-up.
struct McuCode {
  std::uint32_t block_count = 1;
  std::uint32_t components = 0;  ///< two bits a block
  std::uint32_t dc_tables = 0;   ///< one bit a block
  std::uint32_t ac_tables = 0;   ///< one bit a block
};

inline McuCode mcu_code_of(const EncodedJpeg& jpeg) {
  McuCode mcu;
  const int luma_blocks = jpeg.horizontal_sampling * jpeg.vertical_sampling;
  mcu.block_count = static_cast<std::uint32_t>(luma_blocks + jpeg.component_count - 1);
  for (std::uint32_t i = 0; i < mcu.block_count; ++i) {
    const int number = static_cast<int>(i) - luma_blocks + 1;
    const auto component = static_cast<std::uint32_t>(number > 0 ? number : 0);
    const EncodedJpegComponent& tables = jpeg.components[component];
    mcu.components |= component << (2 * i);
    mcu.dc_tables |= static_cast<std::uint32_t>(tables.dc_table) << i;
    mcu.ac_tables |= static_cast<std::uint32_t>(tables.ac_table) << i;
  }
  return mcu;
}

/// The coded bytes without stuffing, and how to read them. Readable for kReadableBytesAfterScan bytes behind the end.
struct ScanCode {
  const std::uint32_t* words = nullptr;  ///< the bytes, in order
  const std::uint16_t* symbols = nullptr;
  const std::uint16_t* groups = nullptr;  ///< for skim()
  McuCode mcu;
};

constexpr std::uint32_t kReadableBytesAfterScan = 16;

/// The next bits of a scan, in registers.
class BitWindow {
 public:
  GPUIMG_HD BitWindow(const std::uint32_t* words, std::uint32_t bit)
      : words_(words + (bit >> 5) + 3),
        high_(from_big_endian(words_[-3])),
        low_(from_big_endian(words_[-2])),
        next_(words_[-1]) {}

  /// The 32 bits from `bit` on, which must be the current position.
  [[nodiscard]] GPUIMG_HD std::uint32_t at(std::uint32_t bit) const {
#ifdef __CUDA_ARCH__
    return __funnelshift_l(low_, high_, bit);
#else
    const std::uint64_t both = static_cast<std::uint64_t>(high_) << 32 | low_;
    return static_cast<std::uint32_t>(both << (bit & 31U) >> 32);
#endif
  }

  /// Moves the position, by less than 32 bits.
  GPUIMG_HD void move(std::uint32_t from, std::uint32_t to) {
    if (((from ^ to) >> 5) != 0) {
      high_ = low_;
      low_ = from_big_endian(next_);
      next_ = *words_++;
    }
  }

 private:
  GPUIMG_HD static std::uint32_t from_big_endian(std::uint32_t word) {
#ifdef __CUDA_ARCH__
    return __byte_perm(word, 0, 0x0123);
#else
    return word << 24 | (word & 0xFF00U) << 8 | (word >> 8 & 0xFF00U) | word >> 24;
#endif
  }

  const std::uint32_t* words_;
  std::uint32_t high_;
  std::uint32_t low_;
  std::uint32_t next_;
};

/// Moves over symbols.
class ScanCursor {
 public:
  GPUIMG_HD ScanCursor(const ScanCode& code, const DecoderState& state)
      : mcu_(code.mcu), window_(code.words, state.bit), bit_(state.bit), block_(state.block), index_(state.index) {}

  [[nodiscard]] GPUIMG_HD std::uint32_t bit() const { return bit_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t index() const { return index_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t component() const { return mcu_.components >> (2 * block_) & 3U; }
  /// The number in HuffmanTables of the table for the next symbol: for a DC, or for one behind it.
  [[nodiscard]] GPUIMG_HD std::uint32_t dc_table() const { return mcu_.dc_tables >> block_ & 1U; }
  [[nodiscard]] GPUIMG_HD std::uint32_t ac_table() const { return 2U + (mcu_.ac_tables >> block_ & 1U); }
  [[nodiscard]] GPUIMG_HD std::uint32_t table() const { return index_ == 0 ? dc_table() : ac_table(); }
  [[nodiscard]] GPUIMG_HD std::uint32_t window() const { return window_.at(bit_); }
  [[nodiscard]] GPUIMG_HD DecoderState state() const {
    return has_ended() ? DecoderState{bit_, static_cast<std::uint16_t>(following_block()), 0}
                       : DecoderState{bit_, static_cast<std::uint16_t>(block_), static_cast<std::uint16_t>(index_)};
  }

  /// `bits` is below 32.
  GPUIMG_HD void move(std::uint32_t bits, std::uint32_t advance) {
    window_.move(bit_, bit_ + bits);
    bit_ += bits;
    index_ += advance;
  }
  /// True if the last move went to the end of the block or beyond. next_block() comes before another symbol then.
  [[nodiscard]] GPUIMG_HD bool has_ended() const { return index_ >= static_cast<std::uint32_t>(kBlockSize); }
  GPUIMG_HD void next_block() {
    index_ = 0;
    block_ = following_block();
  }

 private:
  [[nodiscard]] GPUIMG_HD std::uint32_t following_block() const {
    return block_ + 1 == mcu_.block_count ? 0 : block_ + 1;
  }

  McuCode mcu_;
  BitWindow window_;
  std::uint32_t bit_;
  std::uint32_t block_;
  std::uint32_t index_;
};

/// Decodes the symbols that begin before bit `end`, moves behind them, and adds them up.
GPUIMG_HD inline ScanSums skim(const ScanCode& code, ScanCursor& cursor, std::uint32_t end) {
  ScanSums sums;
  // Up to here all symbols of a group begin before the end.
  const std::uint32_t groups_end = end > kGroupBits ? end - kGroupBits : 0;
  while (cursor.bit() < end) {
    const std::uint32_t window = cursor.window();
    const GroupEntry group = find_group(code.groups, cursor.table(), window);
    std::uint32_t bits = group.bits();
    std::uint32_t advance = group.advance();
    std::uint32_t value_bits = group.value_bits();
    if (bits == 0 || cursor.bit() >= groups_end || cursor.index() + advance >= static_cast<std::uint32_t>(kBlockSize)) {
      const SymbolEntry symbol = find_symbol(code.symbols, cursor.table(), window);
      bits = symbol.bits();
      advance = symbol.advance();
      value_bits = symbol.value_bits();
    } else {
      advance += group.end_of_block();
    }
    if (cursor.index() == 0) {
      sums.add_dc(cursor.component(), signed_value(window, bits, value_bits));
    }
    cursor.move(bits, advance);
    if (cursor.has_ended()) {
      ++sums.blocks;
      cursor.next_block();
    }
  }
  return sums;
}

/// The same from a state, which moves behind the symbols.
GPUIMG_HD inline ScanSums skim(const ScanCode& code, DecoderState& state, std::uint32_t end) {
  if (state.bit >= end) {
    return {};
  }
  ScanCursor cursor(code, state);
  const ScanSums sums = skim(code, cursor, end);
  state = cursor.state();
  return sums;
}

}  // namespace gpuimg::jpeg

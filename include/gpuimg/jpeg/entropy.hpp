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

/// The tables of one block of an MCU: first entries in HuffmanTables.
struct CodedBlock {
  std::uint16_t component = 0;
  std::uint16_t dc_table = 0;
  std::uint16_t ac_table = 0;
};

struct McuCode {
  CodedBlock blocks[kMaxBlocksPerMcu];
  std::uint32_t block_count = 1;
};

inline McuCode mcu_code_of(const EncodedJpeg& jpeg) {
  McuCode mcu;
  const int luma_blocks = jpeg.horizontal_sampling * jpeg.vertical_sampling;
  mcu.block_count = static_cast<std::uint32_t>(luma_blocks + jpeg.component_count - 1);
  for (std::uint32_t i = 0; i < mcu.block_count; ++i) {
    const int number = static_cast<int>(i) - luma_blocks + 1;
    const auto component = static_cast<std::uint16_t>(number > 0 ? number : 0);
    const EncodedJpegComponent& tables = jpeg.components[component];
    const auto dc = static_cast<std::uint32_t>(tables.dc_table);
    const auto ac = static_cast<std::uint32_t>(tables.ac_table);
    mcu.blocks[i] = {component, static_cast<std::uint16_t>(dc * kLookupEntries),
                     static_cast<std::uint16_t>((2 + ac) * kLookupEntries)};
  }
  return mcu;
}

/// The coded bytes without stuffing, and how to read them. Readable for kReadableBytesAfterScan bytes behind the end.
struct ScanCode {
  const std::uint32_t* words = nullptr;  ///< the bytes, in order
  const std::uint16_t* symbols = nullptr;
  const std::uint16_t* groups = nullptr;  ///< for skim()
  const McuCode* mcu = nullptr;
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
    const std::uint64_t both = static_cast<std::uint64_t>(high_) << 32 | low_;
    return static_cast<std::uint32_t>(both << (bit & 31U) >> 32);
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
    return word << 24 | (word & 0xFF00U) << 8 | (word >> 8 & 0xFF00U) | word >> 24;
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
      : code_(code), window_(code.words, state.bit), bit_(state.bit), block_(state.block), index_(state.index) {
    enter_block();
    table_ = index_ == 0 ? coded_.dc_table : coded_.ac_table;
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t bit() const { return bit_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t index() const { return index_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t component() const { return coded_.component; }
  [[nodiscard]] GPUIMG_HD std::uint32_t table() const { return table_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t window() const { return window_.at(bit_); }
  [[nodiscard]] GPUIMG_HD DecoderState state() const {
    return {bit_, static_cast<std::uint16_t>(block_), static_cast<std::uint16_t>(index_)};
  }

  /// Returns true if that ends a block.
  GPUIMG_HD bool move(std::uint32_t bits, std::uint32_t advance) {
    window_.move(bit_, bit_ + bits);
    bit_ += bits;
    index_ += advance;
    if (index_ < static_cast<std::uint32_t>(kBlockSize)) {
      table_ = coded_.ac_table;
      return false;
    }
    index_ = 0;
    block_ = block_ + 1 == code_.mcu->block_count ? 0 : block_ + 1;
    enter_block();
    table_ = coded_.dc_table;
    return true;
  }

 private:
  GPUIMG_HD void enter_block() { coded_ = code_.mcu->blocks[block_]; }

  const ScanCode& code_;
  BitWindow window_;
  CodedBlock coded_;
  std::uint32_t bit_;
  std::uint32_t block_;
  std::uint32_t index_;
  std::uint32_t table_ = 0;
};

/// Decodes the symbols that begin before bit `end`, moves `state` behind them, and adds them up.
GPUIMG_HD inline ScanSums skim(const ScanCode& code, DecoderState& state, std::uint32_t end) {
  ScanSums sums;
  if (state.bit >= end) {
    return sums;
  }
  ScanCursor cursor(code, state);
  // Up to here all symbols of a group begin before the end.
  const std::uint32_t groups_end = end > kLookupBits ? end - kLookupBits : 0;
  while (cursor.bit() < end) {
    const std::uint32_t window = cursor.window();
    const GroupEntry group = cursor.bit() < groups_end ? find_group(code.groups, cursor.table(), window) : GroupEntry{};
    std::uint32_t bits = group.bits();
    std::uint32_t advance = group.advance();
    std::uint32_t value_bits = group.value_bits();
    if (bits == 0 || cursor.index() + advance >= static_cast<std::uint32_t>(kBlockSize)) {
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
    sums.blocks += cursor.move(bits, advance) ? 1 : 0;
  }
  state = cursor.state();
  return sums;
}

}  // namespace gpuimg::jpeg

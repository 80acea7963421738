// Parallel Huffman decoding of a scan. It is cut into subsequences of equal length. A decoder that starts anywhere soon
// agrees with one that came from the beginning, so each subsequence is first skimmed from a guess, then again from
// where its predecessor ends, until nothing changes (Weissenberger and Schmidt 2021, arXiv:2111.09219). BlockWalk then
// writes the coefficients, and proves that each subsequence ends where its successor began.
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

/// A subsequence with what skim() found, counted from the beginning of its restart segment.
struct SubsequenceTask {
  DecoderState from;
  DecoderState to;
  ScanSums before;
  ScanSums own;
  std::uint32_t end = 0;          ///< bit
  std::uint32_t segment_end = 0;  ///< bit
  bool is_last = false;           ///< in its segment
  std::uint32_t first_block = 0;  ///< of the segment
  std::uint32_t segment_blocks = 0;
};

/// Decodes the blocks that begin in a subsequence, up to the end of the last one in the successor's bits. Skips the
/// block in which the subsequence begins: it is its predecessor's. If no walk of a scan has a defect, the blocks are
/// those of sequential decoding: by induction, each walk starts from the state and the sums at which its predecessor
/// arrived.
class BlockWalk {
 public:
  static constexpr std::uint32_t kForeign = ~0U;

  GPUIMG_HD BlockWalk(const ScanCode& code, const SubsequenceTask& task)
      : code_(code),
        task_(task),
        cursor_(code, task.from),
        sums_(task.before),
        limit_(task.before.blocks < task.segment_blocks ? task.end : 0),
        skips_(task.from.index != 0) {
    if (cursor_.bit() >= task_.end) {
      check_chain();
    }
  }

  [[nodiscard]] GPUIMG_HD bool is_live() const { return cursor_.bit() < limit_; }

  /// Decodes a symbol and calls put(place in zigzag order, value) for a coefficient that is not zero, and for every DC.
  /// Returns true if that ends a block.
  template <class Put>
  GPUIMG_HD bool step(const Put& put) {
    const std::uint32_t window = cursor_.window();
    const SymbolEntry symbol = find_symbol(code_.symbols, cursor_.table(), window);
    const std::uint32_t value = signed_value(window, symbol.bits(), symbol.value_bits());
    defects_ |= symbol.packed == kNoCode ? Defect::bad_code : 0U;
    if (cursor_.index() == 0) {
      sums_.add_dc(cursor_.component(), value);
      const auto dc = static_cast<std::int32_t>(sums_.dc(cursor_.component()));
      defects_ |= dc != static_cast<std::int16_t>(dc) || symbol.value_bits() > kMaxDcBits ? Defect::bad_dc : 0U;
      put(0U, static_cast<std::int16_t>(dc));
    } else {
      std::uint32_t place = cursor_.index() + symbol.advance() - 1;
      if (place >= static_cast<std::uint32_t>(kBlockSize)) {
        defects_ |= symbol.advance() != kEndOfBlock ? Defect::bad_index : 0U;
        place = kBlockSize - 1;
      }
      if (symbol.value_bits() > 0) {
        put(place, static_cast<std::int16_t>(value));
      }
    }
    const bool ends_block = cursor_.move(symbol.bits(), symbol.advance());
    if (ends_block) {
      finished_ = skips_ ? kForeign : task_.first_block + sums_.blocks;
      ++sums_.blocks;
    }
    if (cursor_.bit() >= limit_) {
      pass_limit(ends_block);
    }
    if (ends_block) {
      skips_ = false;
      limit_ = sums_.blocks == task_.segment_blocks ? 0 : limit_;
    }
    return ends_block;
  }

  /// The number of the block that the last step ended; kForeign if it is the predecessor's.
  [[nodiscard]] GPUIMG_HD std::uint32_t finished_block() const { return finished_; }

  /// After the last step.
  [[nodiscard]] GPUIMG_HD std::uint32_t defects() const {
    constexpr std::uint32_t kByte = 8;
    std::uint32_t defects = defects_;
    if (sums_.blocks == task_.segment_blocks) {  // at most padding may follow
      defects |= cursor_.bit() > task_.segment_end ? Defect::bad_block_count : 0U;
      defects |= cursor_.bit() + kByte <= task_.segment_end ? Defect::bits_left : 0U;
    } else {
      defects |= task_.is_last || sums_.blocks > task_.segment_blocks ? Defect::bad_block_count : 0U;
      // A walk on into the successor's bits ended with the segment, and not with its block.
      defects |= limit_ != 0 && cursor_.bit() >= task_.segment_end ? Defect::bad_block_count : 0U;
    }
    return defects;
  }

 private:
  /// At the end of the subsequence, then at the end of the segment.
  GPUIMG_HD void pass_limit(bool ends_block) {
    if (limit_ == task_.end) {
      check_chain();
    }
    limit_ = ends_block || skips_ ? 0 : task_.segment_end;
  }

  GPUIMG_HD void check_chain() {
    const bool agrees = cursor_.state() == task_.to && sums_ == task_.before + task_.own;
    defects_ |= agrees || task_.is_last ? 0U : Defect::broken_chain;
  }

  const ScanCode& code_;
  const SubsequenceTask& task_;
  ScanCursor cursor_;
  ScanSums sums_;
  std::uint32_t limit_;
  std::uint32_t finished_ = kForeign;
  std::uint32_t defects_ = 0;
  bool skips_;
};

}  // namespace gpuimg::jpeg

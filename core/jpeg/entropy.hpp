// Parallel Huffman decoding of a scan. The scan is cut into subsequences of equal length. A decoder that starts in a
// wrong state soon reaches the same state as a decoder that started at the beginning. So each subsequence is first
// skimmed from a guessed state, then again from the state in which its predecessor ended, until nothing changes
// (Weissenberger and Schmidt 2021, arXiv:2111.09219). Finally BlockWalk writes the coefficients, and proves that each
// subsequence ends in the state in which its successor began.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/encoded_image.hpp"
#include "host_device.hpp"
#include "jpeg/layout.hpp"

namespace gpuimg::jpeg {

// --- Look-up tables for Huffman codes (ITU-T T.81, annex C and F.2.2): each symbol includes its value bits -----------

constexpr std::uint32_t kLookupBits = 11;
constexpr std::uint32_t kLookupEntries = 1U << kLookupBits;
constexpr std::uint32_t kTableCount = 4;     ///< DC 0, DC 1, AC 0, AC 1
constexpr std::uint32_t kMaxLongCodes = 64;  ///< distinct 11-bit prefixes of codes longer than 11 bits
constexpr std::uint32_t kLongEntries = 1U << (16 - kLookupBits);
constexpr std::uint32_t kLongTables = kTableCount * kLookupEntries;  ///< index of the first entry for long codes
constexpr std::uint32_t kSymbolEntries = kLongTables + kMaxLongCodes * kLongEntries;
constexpr std::uint32_t kGroupBits = 12;
constexpr std::uint32_t kGroupEntries = kTableCount << kGroupBits;

/// A code together with its value bits. `advance` is the distance to the next coefficient in zigzag order, or 64 at the
/// end of a block.
struct SymbolEntry {
  std::uint32_t packed = 0;  ///< bits of code and value | value bits << 5 | advance << 9

  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t bits() const { return packed & 31U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t value_bits() const { return packed >> 5 & 15U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t advance() const { return packed >> 9; }
};

constexpr std::uint32_t kEndOfBlock = 64;

/// The entry for bits that match no code; it ends the block. No real code has 31 bits without value bits.
constexpr std::uint16_t kNoCode = 31U | 127U << 9;

/// The next symbols of one block: all whose codes end within kGroupBits bits. A DC symbol is always alone. If not even
/// one symbol fits, bits() is 0.
struct GroupEntry {
  std::uint32_t packed = 0;  ///< bits | advance << 5 | ends the block << 11 | bits of a DC value << 12

  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t bits() const { return packed & 31U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t advance() const { return packed >> 5 & 63U; }
  /// 64 if the group ends its block, else 0.
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t end_of_block() const { return packed >> 5 & kEndOfBlock; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t value_bits() const { return packed >> 12; }
};

struct HuffmanTables {
  std::uint16_t symbols[kSymbolEntries];
  std::uint16_t groups[kGroupEntries];
};

/// Returns false for an unusual table, which must be left to libjpeg-turbo: a code does not fit into its length or has
/// only ones, a DC symbol is above 15, or there are more long codes than entries for them.
bool build_huffman_tables(const EncodedJpeg& jpeg, HuffmanTables& tables);

/// `window` must begin with the code.
GPUIMG_HD inline SymbolEntry find_symbol(const std::uint16_t* symbols, std::uint32_t table, std::uint32_t window) {
  std::uint32_t entry = symbols[table * kLookupEntries + (window >> (32 - kLookupBits))];
  if ((entry & 31U) == 0) {  // the code is longer: the entry is the index of a second table
    entry = symbols[kLongTables + entry + (window >> 16 & (kLongEntries - 1))];
  }
  return {entry};
}

GPUIMG_HD inline GroupEntry find_group(const std::uint16_t* groups, std::uint32_t table, std::uint32_t window) {
  return {groups[(table << kGroupBits) + (window >> (32 - kGroupBits))]};
}

/// Decodes the signed value of the symbol in the first `bits` bits of `window`. The value is in the last `value_bits`
/// of these bits. EXTEND of T.81, figure F.12; modulo 2³².
GPUIMG_HD inline std::uint32_t signed_value(std::uint32_t window, std::uint32_t bits, std::uint32_t value_bits) {
  const std::uint32_t aligned = window << (bits - value_bits);
  const std::uint32_t magnitude = (aligned >> 1) >> (31 - value_bits);
  const bool is_negative = (aligned & 0x80000000U) == 0;
  return is_negative ? magnitude + (~0U << value_bits) + 1U : magnitude;
}

// --- Skimming --------------------------------------------------------------------------------------------------------

/// Reasons why the host must decode a file, as bits of a mask.
enum Defect : std::uint32_t {
  bad_code = 1U << 0,         ///< bits that match no code
  bad_index = 1U << 1,        ///< a coefficient beyond the end of its block
  bad_block_count = 1U << 2,  ///< too few or too many blocks
  bits_left = 1U << 3,        ///< 8 or more bits after the last block of a segment
  broken_chain = 1U << 4,     ///< a subsequence does not end in the state in which its successor began
  wild_block = 1U << 5,       ///< numbers that overflow libjpeg-turbo's 16-bit arithmetic
  bad_marker = 1U << 6,       ///< restart markers out of order, or fill bytes before a marker
  bad_end = 1U << 7,          ///< no EOI marker after the scan
  bad_dc = 1U << 8,           ///< a DC value out of range
  not_synchronized = 1U << 9  ///< states did not agree within the allowed rounds and steps; the host can still
                              ///< determine the states
};

constexpr std::uint32_t kMaxDcBits = 11;

/// The state of a decoder between two symbols.
struct DecoderState {
  std::uint32_t bit = 0;    ///< position in the scan, not counting stuffed bytes and markers
  std::uint16_t block = 0;  ///< index of the block in its MCU
  std::uint16_t index = 0;  ///< index of the next coefficient in zigzag order; 0 = at the beginning of a block

  GPUIMG_HD friend bool operator==(const DecoderState& a, const DecoderState& b) {
    return a.bit == b.bit && a.block == b.block && a.index == b.index;
  }
};

/// Sums over the symbols of a part of the scan.
struct ScanSums {
  std::uint32_t blocks = 0;  ///< number of blocks that end in this part
  std::uint32_t dc0 = 0;     ///< sum of the DC differences of each component, modulo 2³²
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

/// The blocks of an MCU in coded order: the component of each, and which DC and AC tables decode it. Packed into words,
/// so that a step to the next block needs no table look-up.
struct McuCode {
  std::uint32_t block_count = 1;
  std::uint32_t components = 0;  ///< two bits per block
  std::uint32_t dc_tables = 0;   ///< one bit per block
  std::uint32_t ac_tables = 0;   ///< one bit per block
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

/// A scan without stuffed bytes, and the tables to decode it. At least kReadableBytesAfterScan bytes after the end must
/// be readable.
struct ScanCode {
  const std::uint32_t* words = nullptr;  ///< the bytes of the scan, in order
  const std::uint16_t* symbols = nullptr;
  const std::uint16_t* groups = nullptr;  ///< only skim() needs them
  McuCode mcu;
};

constexpr std::uint32_t kReadableBytesAfterScan = 16;

/// A window of the next bits of a scan, kept in registers.
class BitWindow {
 public:
  GPUIMG_HD BitWindow(const std::uint32_t* words, std::uint32_t bit)
      : words_(words + (bit >> 5) + 3),
        high_(from_big_endian(words_[-3])),
        low_(from_big_endian(words_[-2])),
        next_(words_[-1]) {}

  /// The 32 bits from `bit` on; `bit` must be the current position.
  [[nodiscard]] GPUIMG_HD std::uint32_t at(std::uint32_t bit) const {
#ifdef __CUDA_ARCH__
    return __funnelshift_l(low_, high_, bit);
#else
    const std::uint64_t both = static_cast<std::uint64_t>(high_) << 32 | low_;
    return static_cast<std::uint32_t>(both << (bit & 31U) >> 32);
#endif
  }

  /// Moves the position from `from` to `to`, less than 32 bits ahead.
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

/// A position in a scan that moves from symbol to symbol.
class ScanCursor {
 public:
  GPUIMG_HD ScanCursor(const ScanCode& code, const DecoderState& state)
      : mcu_(code.mcu), window_(code.words, state.bit), bit_(state.bit), block_(state.block), index_(state.index) {}

  [[nodiscard]] GPUIMG_HD std::uint32_t bit() const { return bit_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t index() const { return index_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t component() const { return mcu_.components >> (2 * block_) & 3U; }
  /// Index in HuffmanTables of the table for the next symbol: dc_table() for a DC symbol, ac_table() for any other.
  [[nodiscard]] GPUIMG_HD std::uint32_t dc_table() const { return mcu_.dc_tables >> block_ & 1U; }
  [[nodiscard]] GPUIMG_HD std::uint32_t ac_table() const { return 2U + (mcu_.ac_tables >> block_ & 1U); }
  [[nodiscard]] GPUIMG_HD std::uint32_t table() const { return index_ == 0 ? dc_table() : ac_table(); }
  [[nodiscard]] GPUIMG_HD std::uint32_t window() const { return window_.at(bit_); }
  [[nodiscard]] GPUIMG_HD DecoderState state() const {
    return has_ended() ? DecoderState{bit_, static_cast<std::uint16_t>(following_block()), 0}
                       : DecoderState{bit_, static_cast<std::uint16_t>(block_), static_cast<std::uint16_t>(index_)};
  }

  /// `bits` must be below 32.
  GPUIMG_HD void move(std::uint32_t bits, std::uint32_t advance) {
    window_.move(bit_, bit_ + bits);
    bit_ += bits;
    index_ += advance;
  }
  /// True if the last move reached or passed the end of the block. Then call next_block() before reading another
  /// symbol.
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

/// Decodes and sums the symbols that begin before bit `end`. Leaves the cursor after the last of these symbols.
GPUIMG_HD inline ScanSums skim(const ScanCode& code, ScanCursor& cursor, std::uint32_t end) {
  ScanSums sums;
  // If a group begins before this bit, all of its symbols begin before `end`.
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

/// Like the function above, but starts from `state` and updates it.
GPUIMG_HD inline ScanSums skim(const ScanCode& code, DecoderState& state, std::uint32_t end) {
  if (state.bit >= end) {
    return {};
  }
  ScanCursor cursor(code, state);
  const ScanSums sums = skim(code, cursor, end);
  state = cursor.state();
  return sums;
}

// --- The writing pass: the blocks of a subsequence -------------------------------------------------------------------

/// A subsequence and the results of skim() for it. Sums start at the beginning of its restart segment.
struct SubsequenceTask {
  DecoderState from;
  DecoderState to;
  ScanSums before;
  ScanSums own;
  std::uint32_t end = 0;          ///< end of the subsequence, in bits
  std::uint32_t segment_end = 0;  ///< end of the segment, in bits
  bool is_last = false;           ///< last subsequence of its segment
  std::uint32_t first_block = 0;  ///< index of the segment's first block in the scan
  std::uint32_t segment_blocks = 0;
};

/// Decodes the blocks that begin in a subsequence. The last block may extend into the bits of the successor. Skips a
/// block that began before the subsequence, because the predecessor decodes it. If no walk of a scan finds a defect,
/// the result equals sequential decoding. Proof by induction: each walk starts with the final state and sums of its
/// predecessor.
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

  /// True if the next symbol is a DC symbol. If true, call step_dc(), else step_ac().
  [[nodiscard]] GPUIMG_HD bool is_at_dc() const { return cursor_.index() == 0; }

  /// Decodes a DC difference and calls put(0, DC value).
  template <class Put>
  GPUIMG_HD void step_dc(const Put& put) {
    const std::uint32_t window = cursor_.window();
    const SymbolEntry symbol = find_symbol(code_.symbols, cursor_.dc_table(), window);
    sums_.add_dc(cursor_.component(), signed_value(window, symbol.bits(), symbol.value_bits()));
    const auto dc = static_cast<std::int32_t>(sums_.dc(cursor_.component()));
    defects_ |= symbol.packed == kNoCode ? Defect::bad_code : 0U;
    defects_ |= dc != static_cast<std::int16_t>(dc) || symbol.value_bits() > kMaxDcBits ? Defect::bad_dc : 0U;
    put(0U, static_cast<std::int16_t>(dc));
    constexpr std::uint32_t kOneCoefficient = 1;  // even if the bits match no code
    cursor_.move(symbol.bits(), kOneCoefficient);
    if (cursor_.bit() >= limit_) {
      pass_limit();
    }
  }

  /// Decodes an AC symbol, and calls put(place in zigzag order, value) if it is a nonzero coefficient. Returns true if
  /// the symbol ends the block; the caller must then call end_block().
  template <class Put>
  GPUIMG_HD bool step_ac(const Put& put) {
    const std::uint32_t window = cursor_.window();
    last_ = find_symbol(code_.symbols, cursor_.ac_table(), window);
    cursor_.move(last_.bits(), last_.advance());
    if (last_.value_bits() > 0) {
      constexpr std::uint32_t kLastPlace = kBlockSize - 1;  // larger positions wrap around; end_block() reports them
      put((cursor_.index() - 1) & kLastPlace,
          static_cast<std::int16_t>(signed_value(window, last_.bits(), last_.value_bits())));
    }
    sums_.blocks += cursor_.has_ended() ? 1 : 0;
    if (cursor_.bit() >= limit_) {
      pass_limit();
    }
    return cursor_.has_ended();
  }

  /// Returns the number of the block, or kForeign if the predecessor decodes it.
  GPUIMG_HD std::uint32_t end_block() {
    const bool is_past_end =
        last_.advance() != kEndOfBlock && cursor_.index() != static_cast<std::uint32_t>(kBlockSize);
    defects_ |= last_.packed == kNoCode ? Defect::bad_code : is_past_end ? Defect::bad_index : 0U;
    cursor_.next_block();
    const std::uint32_t number = skips_ ? kForeign : task_.first_block + sums_.blocks - 1;
    skips_ = false;
    limit_ = overruns_ || sums_.blocks == task_.segment_blocks ? 0 : limit_;
    return number;
  }

  /// Call this after the last step.
  [[nodiscard]] GPUIMG_HD std::uint32_t defects() const {
    constexpr std::uint32_t kByte = 8;
    std::uint32_t defects = defects_;
    if (sums_.blocks == task_.segment_blocks) {  // only padding may follow
      defects |= cursor_.bit() > task_.segment_end ? Defect::bad_block_count : 0U;
      defects |= cursor_.bit() + kByte <= task_.segment_end ? Defect::bits_left : 0U;
    } else {
      defects |= task_.is_last || sums_.blocks > task_.segment_blocks ? Defect::bad_block_count : 0U;
      // The last block, which extends into the successor's bits, was cut off by the end of the segment.
      defects |= limit_ != 0 && cursor_.bit() >= task_.segment_end ? Defect::bad_block_count : 0U;
    }
    return defects;
  }

 private:
  /// Called at the end of the subsequence. If the last block continues, called again at the end of the segment.
  GPUIMG_HD void pass_limit() {
    if (limit_ == task_.end) {
      check_chain();
    }
    overruns_ = !cursor_.has_ended() && !skips_;
    limit_ = overruns_ ? task_.segment_end : 0;
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
  SymbolEntry last_;  ///< the last symbol of step_ac()
  std::uint32_t defects_ = 0;
  bool overruns_ = false;  ///< is finishing its last block in the successor's bits
  bool skips_;             ///< is skipping the predecessor's last block
};

}  // namespace gpuimg::jpeg

// The writing pass of entropy.hpp: decodes the blocks of a subsequence, and checks that it ends where its successor
// began.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/jpeg/entropy.hpp"

namespace gpuimg::jpeg {

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

  /// True if the next symbol is a DC: take it by step_dc(), any other by step_ac().
  [[nodiscard]] GPUIMG_HD bool is_at_dc() const { return cursor_.index() == 0; }

  /// Decodes a DC difference and calls put(place, value) with place 0 and the DC.
  template <class Put>
  GPUIMG_HD void step_dc(const Put& put) {
    const std::uint32_t window = cursor_.window();
    const SymbolEntry symbol = find_symbol(code_.symbols, cursor_.dc_table(), window);
    sums_.add_dc(cursor_.component(), signed_value(window, symbol.bits(), symbol.value_bits()));
    const auto dc = static_cast<std::int32_t>(sums_.dc(cursor_.component()));
    defects_ |= symbol.packed == kNoCode ? Defect::bad_code : 0U;
    defects_ |= dc != static_cast<std::int16_t>(dc) || symbol.value_bits() > kMaxDcBits ? Defect::bad_dc : 0U;
    put(0U, static_cast<std::int16_t>(dc));
    constexpr std::uint32_t kOneCoefficient = 1;  // also if the code is none
    cursor_.move(symbol.bits(), kOneCoefficient);
    if (cursor_.bit() >= limit_) {
      pass_limit();
    }
  }

  /// Decodes a symbol behind the DC and calls put(place in zigzag order, value) if it is a coefficient and not zero.
  /// Returns true if that ends the block: end_block() comes next then.
  template <class Put>
  GPUIMG_HD bool step_ac(const Put& put) {
    const std::uint32_t window = cursor_.window();
    last_ = find_symbol(code_.symbols, cursor_.ac_table(), window);
    cursor_.move(last_.bits(), last_.advance());
    if (last_.value_bits() > 0) {
      constexpr std::uint32_t kLastPlace = kBlockSize - 1;  // places beyond it become any other: end_block() finds them
      put((cursor_.index() - 1) & kLastPlace,
          static_cast<std::int16_t>(signed_value(window, last_.bits(), last_.value_bits())));
    }
    sums_.blocks += cursor_.has_ended() ? 1 : 0;
    if (cursor_.bit() >= limit_) {
      pass_limit();
    }
    return cursor_.has_ended();
  }

  /// Returns the block's number; kForeign if it is the predecessor's.
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
  /// At the end of the subsequence; then at the end of the segment, if its last block has no end.
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
  SymbolEntry last_;  ///< behind a DC
  std::uint32_t defects_ = 0;
  bool overruns_ = false;  ///< finishes its last block in the successor's bits
  bool skips_;             ///< passes over the predecessor's last block
};

}  // namespace gpuimg::jpeg

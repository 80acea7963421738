// Decodes Huffman codes to blocks of coefficients. The speed is limited by the dependency chain from one code to the
// next, and by mispredicted branches.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/jpeg/jpeg_block_codes.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "codecs/jpeg/jpeg_scan_codes.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::jpeg::HWY_NAMESPACE {

/// Takes the next code. Returns false if the table has no such code.
HWY_INLINE bool take_symbol(JpegBitCursor& in, const JpegCodeTable& table, JpegCodeEntry entry, unsigned& symbol) {
  constexpr unsigned kMaxLength = 16;
  if (entry.advance() == JpegCodeEntry::kSymbol) {
    in.skip(entry.bits());
    symbol = static_cast<unsigned>(entry.value());
    return true;
  }
  const JpegCodeTable::Symbol found = table.long_code(static_cast<unsigned>(in.peek(kMaxLength)));
  in.skip(found.bits);
  symbol = found.symbol;
  return found.bits != 0;
}

HWY_INLINE int take_value(JpegBitCursor& in, unsigned bits) {
  return bits == 0 ? 0 : jpeg_value(static_cast<unsigned>(in.take(bits)), bits);
}

/// The number of blocks that an end-of-band code stands for.
HWY_INLINE std::uint32_t take_end_run(JpegBitCursor& in, unsigned log2) {
  return (1U << log2) + (log2 == 0 ? 0U : static_cast<std::uint32_t>(in.take(log2)));
}

HWY_INLINE bool read_difference(JpegBitCursor& in, const JpegCodeTable& table, int& difference) {
  in.refill();
  const JpegCodeEntry entry = table.entry(in.peek(JpegCodeTable::kBits));
  if (entry.advance() == 0) [[likely]] {
    in.skip(entry.bits());
    difference = entry.value();
    return true;
  }
  unsigned symbol = 0;
  if (!take_symbol(in, table, entry, symbol)) {
    return false;
  }
  difference = take_value(in, symbol);
  return true;
}

/// Reads the DC coefficient of a block.
HWY_INLINE bool read_dc(JpegBitCursor& in, JpegScanState::Part& part, unsigned shift, JCOEF* block) {
  int difference = 0;
  if (!read_difference(in, part.dc, difference)) {
    return false;
  }
  part.last_dc += difference;
  const auto value = static_cast<JCOEF>(part.last_dc * (1 << shift));
  block[0] = value;
  return value >> shift == part.last_dc;
}

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
/// Bit deposit (PDEP) takes hundreds of cycles on AMD's first two Zen generations.
bool has_fast_deposit() { return !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2"); }

HWY_INLINE std::uint64_t deposit(std::uint64_t bits, std::uint64_t mask) { return __builtin_ia32_pdep_di(bits, mask); }
#else
bool has_fast_deposit() { return false; }

HWY_INLINE std::uint64_t deposit(std::uint64_t /*bits*/, std::uint64_t /*mask*/) { return 0; }
#endif

/// The set bit that has exactly `n` set bits below it; 0 if there is none.
HWY_INLINE std::uint64_t nth_bit(std::uint64_t bits, unsigned n, bool deposits) {
  if (deposits) [[likely]] {
    return deposit(std::uint64_t{1} << n, bits);
  }
  for (; n > 0; --n) {
    bits &= bits - 1;
  }
  return bits & (~bits + 1);
}

/// The range of coefficients that a scan codes in each block: up to `last`, in zigzag order.
struct Band {
  const JpegCodeTable& table;
  unsigned last;
  unsigned shift;
  unsigned max_value_bits;
  bool deposits = false;  ///< for refine_band

  [[nodiscard]] HWY_INLINE JpegCodeEntry next(const JpegBitCursor& in) const {
    return table.entry(in.peek(JpegCodeTable::kBits));
  }
};

/// A symbol for which the table has no entry with a complete coefficient.
struct OtherSymbol {
  bool is_sound = false;
  unsigned zeros = 0;         ///< number of zeros before the coefficient
  int value = 0;              ///< value of the coefficient; can be zero
  std::uint32_t end_run = 0;  ///< number of blocks whose band ends, including this one; 0 for a coefficient
};

HWY_INLINE OtherSymbol read_rare_symbol(JpegBitCursor& in, const Band& band, JpegCodeEntry entry) {
  unsigned symbol = 0;
  if (!take_symbol(in, band.table, entry, symbol)) {
    return {};
  }
  const unsigned zeros = symbol >> 4;
  const unsigned bits = symbol & 15;
  constexpr unsigned kZeros = 15;
  if (bits == 0 && zeros < kZeros) {
    return {.is_sound = true, .end_run = take_end_run(in, zeros)};
  }
  const int value = take_value(in, bits);
  const bool is_sound = bits <= band.max_value_bits;
  return {.is_sound = is_sound, .zeros = zeros, .value = is_sound ? value * (1 << band.shift) : 0};
}

HWY_INLINE OtherSymbol read_other_symbol(JpegBitCursor& in, const Band& band, JpegCodeEntry entry) {
  if (entry.advance() == JpegCodeEntry::kEndOfBand) [[likely]] {
    in.skip(entry.bits());
    return {.is_sound = true, .end_run = static_cast<std::uint32_t>(entry.value())};
  }
  JpegBitCursor after = in;
  const OtherSymbol other = read_rare_symbol(after, band, entry);
  in = after;
  return other;
}

/// Reads the coefficients of a block, starting at number `k`. They must be zero before the call. Sets in `nonzero` the
/// bit of each coefficient that becomes nonzero. Sets `end_run` to the number of following blocks without
/// coefficients.
HWY_INLINE bool read_band(JpegBitCursor& in, const Band& band, unsigned k, JCOEF* block, std::uint64_t& nonzero,
                          std::uint32_t& end_run) {
  in.refill();
  while (k <= band.last) {
    const JpegCodeEntry entry = band.next(in);
    in.refill();
    if (k + entry.advance() <= band.last) [[likely]] {
      in.skip(entry.bits());
      k += entry.advance();
      block[kJpegZigzag[k]] = static_cast<JCOEF>(entry.value());
      nonzero |= std::uint64_t{1} << k;
      ++k;
      continue;
    }
    if (entry.advance() < JpegCodeEntry::kEndOfBand) {
      return false;
    }
    const OtherSymbol other = read_other_symbol(in, band, entry);
    if (other.end_run != 0) {
      end_run = other.end_run - 1;
      return true;
    }
    k += other.zeros;
    if (!other.is_sound || k > band.last) {
      return false;
    }
    if (other.value != 0) {
      block[kJpegZigzag[k]] = static_cast<JCOEF>(other.value);
      nonzero |= std::uint64_t{1} << k;
    }
    ++k;
  }
  return true;
}

HWY_INLINE unsigned count_of(std::uint64_t bits) { return static_cast<unsigned>(std::popcount(bits)); }

HWY_INLINE std::uint64_t reversed(std::uint64_t bits) {
  bits = (bits >> 1 & 0x5555555555555555U) | (bits & 0x5555555555555555U) << 1;
  bits = (bits >> 2 & 0x3333333333333333U) | (bits & 0x3333333333333333U) << 2;
  bits = (bits >> 4 & 0x0F0F0F0F0F0F0F0FU) | (bits & 0x0F0F0F0F0F0F0F0FU) << 4;
  return __builtin_bswap64(bits);
}

/// Moves a coefficient away from zero.
HWY_INLINE void move_from_zero(JCOEF& coefficient, int by) {
  const int sign = coefficient >> 15;
  coefficient = static_cast<JCOEF>(coefficient + ((by ^ sign) - sign));
}

/// The bits that refine the known coefficients of a block, in the order of the coefficients; the lowest bit belongs
/// to the last coefficient.
struct Corrections {
  std::uint64_t bits = 0;

  /// Requires at least 32 bits in the cursor.
  HWY_INLINE void take(JpegBitCursor& in, unsigned count) {
    constexpr unsigned kMost = 29;
    if (count > kMost) [[unlikely]] {
      bits = bits << kMost | in.take(kMost);
      count -= kMost;
      in.refill();
    }
    bits = bits << count | in.bits >> 1 >> (63 - count);
    in.skip(count);
  }

  /// Moves the coefficients in `known` away from zero by `one`, except those whose correction bit is 0.
  HWY_INLINE void apply(std::uint64_t known, int one, bool deposits, JCOEF* block) const {
    if (deposits) [[likely]] {
      for (std::uint64_t left = deposit(bits, reversed(known)); left != 0; left &= left - 1) {
        move_from_zero(block[kJpegZigzag[63 - static_cast<unsigned>(std::countr_zero(left))]], one);
      }
      return;
    }
    for (std::uint64_t left = bits; left != 0; left >>= 1) {
      const unsigned k = 63 - static_cast<unsigned>(std::countl_zero(known));
      known ^= std::uint64_t{1} << k;
      move_from_zero(block[kJpegZigzag[k]], one & -static_cast<int>(left & 1));
    }
  }
};

/// Reads one more bit for the coefficients of a block that are in the bit set `all`. Coefficients in `nonzero` are
/// known and get refined; the others may become ±2^shift. `end_run` works as in read_band; if it is not 0 on entry, the
/// block has no new coefficients.
HWY_INLINE bool refine_band(JpegBitCursor& in, const Band& band, std::uint64_t all, JCOEF* block,
                            std::uint64_t& nonzero, std::uint32_t& end_run) {
  const std::uint64_t known = nonzero & all;
  std::uint64_t left = all;                                // coefficients that are still to be visited
  auto k = static_cast<unsigned>(std::countr_zero(left));  // the first bit of `left`
  Corrections corrections;
  in.refill();
  while (end_run == 0 && (known & left) != 0) {
    const JpegCodeEntry entry = band.next(in);
    in.refill();
    OtherSymbol symbol{.is_sound = true, .zeros = entry.advance(), .value = entry.value()};
    if (entry.advance() < JpegCodeEntry::kEndOfBand) [[likely]] {
      in.skip(entry.bits());
    } else {
      symbol = read_other_symbol(in, band, entry);
      end_run = symbol.end_run;
      if (end_run != 0) {
        break;
      }
    }
    const std::uint64_t target = nth_bit(left & ~known, symbol.zeros, band.deposits);
    if (target == 0 || !symbol.is_sound) {
      return false;
    }
    const auto at = static_cast<unsigned>(std::countr_zero(target));
    corrections.take(in, at - k - symbol.zeros);  // all other coefficients up to the target are known
    left = all & ~std::uint64_t{1} << at;
    k = at + 1;
    if (symbol.value != 0) {
      block[kJpegZigzag[at]] = static_cast<JCOEF>(symbol.value);
      nonzero |= target;
    }
  }
  if (end_run == 0) {
    corrections.apply(known, 1 << band.shift, band.deposits, block);
    return read_band(in, band, k, block, nonzero, end_run);
  }
  --end_run;
  in.refill();
  corrections.take(in, count_of(known & left));
  corrections.apply(known, 1 << band.shift, band.deposits, block);
  return true;
}

bool dc(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  JpegBitCursor in = state.cursor;
  for (std::size_t mcu = begin; mcu < end; ++mcu) {
    for (const JpegBlockRow::Place& place : row.places) {
      if (!state.in.load_block(in) ||
          !read_dc(in, state.parts[place.part], state.shift, place.first[mcu * place.step])) {
        return false;
      }
    }
  }
  state.cursor = in;
  return true;
}

bool dc_bit(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  JpegBitCursor in = state.cursor;
  for (std::size_t mcu = begin; mcu < end; ++mcu) {
    for (const JpegBlockRow::Place& place : row.places) {
      if (!state.in.load_block(in)) {
        return false;
      }
      in.refill();
      JCOEF& to = place.first[mcu * place.step][0];
      to = static_cast<JCOEF>(to | static_cast<int>(in.take(1) << state.shift));
    }
  }
  state.cursor = in;
  return true;
}

bool ac(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  const JpegBlockRow::Place& place = row.places.front();
  const Band band{state.parts.front().ac, state.last, state.shift, state.max_value_bits};
  JpegBitCursor in = state.cursor;
  std::uint32_t end_run = state.end_run;
  for (std::size_t i = begin; i < end; ++i) {
    if (end_run > 0) {
      const std::size_t skipped = std::min<std::size_t>(end_run, end - i);
      end_run -= static_cast<std::uint32_t>(skipped);
      i += skipped - 1;
      continue;
    }
    std::uint64_t nonzero = place.nonzero[i];
    if (!state.in.load_block(in) || !read_band(in, band, state.first, place.first[i], nonzero, end_run)) {
      return false;
    }
    place.nonzero[i] = nonzero;
  }
  state.end_run = end_run;
  state.cursor = in;
  return true;
}

bool ac_bit(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  const JpegBlockRow::Place& place = row.places.front();
  const Band band{state.parts.front().ac, state.last, state.shift, state.max_value_bits, has_fast_deposit()};
  const std::uint64_t all = ~std::uint64_t{0} << state.first & ~std::uint64_t{0} >> (63 - state.last);
  JpegBitCursor in = state.cursor;
  std::uint32_t end_run = state.end_run;
  for (std::size_t i = begin; i < end; ++i) {
    std::uint64_t nonzero = place.nonzero[i];
    if (end_run > 0 && (nonzero & all) == 0) {
      --end_run;
      continue;
    }
    if (!state.in.load_block(in) || !refine_band(in, band, all, place.first[i], nonzero, end_run)) {
      return false;
    }
    place.nonzero[i] = nonzero;
  }
  state.end_run = end_run;
  state.cursor = in;
  return true;
}

bool whole_blocks(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  JpegBitCursor in = state.cursor;
  for (std::size_t mcu = begin; mcu < end; ++mcu) {
    for (const JpegBlockRow::Place& place : row.places) {
      JpegScanState::Part& part = state.parts[place.part];
      JCOEF* const block = place.first[mcu * place.step];
      std::uint64_t nonzero = 0;
      std::uint32_t end_run = 0;
      if (!state.in.load_block(in) || !read_dc(in, part, 0, block) ||
          !read_band(in, {part.ac, state.last, 0, state.max_value_bits}, 1, block, nonzero, end_run) || end_run != 0) {
        return false;
      }
    }
  }
  state.cursor = in;
  return true;
}

}  // namespace gpuimg::codecs::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs::jpeg {
namespace {
HWY_EXPORT(dc);
HWY_EXPORT(dc_bit);
HWY_EXPORT(ac);
HWY_EXPORT(ac_bit);
HWY_EXPORT(whole_blocks);
}  // namespace

bool decode_jpeg_dc(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(dc)(state, row, begin, end);
}

bool decode_jpeg_dc_bit(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(dc_bit)(state, row, begin, end);
}

bool decode_jpeg_ac(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(ac)(state, row, begin, end);
}

bool decode_jpeg_ac_bit(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(ac_bit)(state, row, begin, end);
}

bool decode_jpeg_whole_blocks(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(whole_blocks)(state, row, begin, end);
}

}  // namespace gpuimg::codecs::jpeg
#endif

// Decodes a deflate stream (RFC 1951): a bit reader, look-up tables for symbols, the symbols of a block, and the
// blocks. zlib_stream.hpp decodes the zlib stream that contains it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "codecs/deflate/rfc1951.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::deflate {

/// The next bits, least significant bit first. Small enough to stay in registers in the inner loop.
struct InflateBits {
  const std::uint8_t* next = nullptr;  ///< the first byte whose bits are not yet counted in `counter`
  std::uint64_t bits = 0;
  std::uint32_t counter = 0;  ///< its lowest six bits are the number of bits available

  [[nodiscard]] std::uint32_t count() const { return counter & 63U; }
  /// Makes at least 56 bits available.
  void refill() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    bits |= word << count();
    next += 7 - (counter >> 3 & 7U);
    counter |= 56U;
  }
  [[nodiscard]] std::size_t peek(std::uint32_t width) const { return bits & ((std::uint64_t{1} << width) - 1); }
  /// Uses only the lowest six bits of `width`, like the processor's shifts, so that callers can pass a whole table
  /// entry.
  void consume(std::uint32_t width) {
    bits >>= width & 63U;
    counter -= width;
  }
  /// Like peek() and consume(), requires that refill() has made the bits available.
  std::uint32_t take(std::uint32_t width) {
    const auto value = static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1));
    consume(width);
    return value;
  }
  /// The first byte that has not been consumed at all.
  [[nodiscard]] const std::uint8_t* byte() const { return next - (count() >> 3); }
};

/// Copies the stream into a buffer, one portion at a time. Zeros follow the end of the input, so that reads may go past
/// the end; is_overrun() then returns true.
class InflateInput {
 public:
  explicit InflateInput(RandomAccess stream) : stream_(std::move(stream)), size_(stream_.size) { move_to(0); }
  InflateInput(const InflateInput&) = delete;
  InflateInput& operator=(const InflateInput&) = delete;

  /// Larger than any block header, and than the input consumed between two comparisons with limit().
  static constexpr std::size_t kReserve = 1024;

  InflateBits bits;

  /// Number of consumed bits of the stream.
  [[nodiscard]] std::uint64_t position() const {
    return 8 * (gathered_ - static_cast<std::uint64_t>(end_ - bits.next)) - bits.count();
  }
  /// Continues at bit `position`, which must not lie past the end of the stream.
  void move_to(std::uint64_t position);

  /// When bits.next has passed this address, call gather() before reading more.
  [[nodiscard]] const std::uint8_t* limit() const { return limit_; }
  void gather();

  /// Drops the bits up to the next byte boundary. Whole bytes that `bits` has loaded ahead become unread again.
  void align();
  /// Copies up to `count` bytes, but at least one unless the input has ended. Returns the number of copied bytes. Call
  /// align() first.
  std::size_t copy(std::uint8_t* to, std::size_t count);

  /// True if more bits have been consumed than the stream has.
  [[nodiscard]] bool is_overrun() const { return bits.byte() > end_; }
  /// True if all bytes have been consumed.
  [[nodiscard]] bool is_at_end() const { return gathered_ == size_ && bits.byte() == end_; }

 private:
  void gather_from(std::uint64_t byte);

  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

  RandomAccess stream_;
  std::uint64_t size_;          // size of the stream; smaller if its end cannot be read
  std::uint64_t gathered_ = 0;  // number of stream bytes that lie before end_
  std::array<std::uint8_t, kBufferBytes + 2 * kReserve> buffer_;
  const std::uint8_t* end_ = buffer_.data();
  const std::uint8_t* limit_ = buffer_.data();
};

/// An entry of the look-up tables that decode symbols: up to three literals, or a match. RFC 1951, section 3.2. An
/// entry packs the meaning of the next bits of a stream into 32 bits.
/// Bits 0–5: total number of bits consumed; 6–7: number of literals. If there are literals, they start at bit 8.
/// Without literals: 8–13: number of code bits, which precede the extra bits; 14–28: value; 29–31: kind. The value is a
/// number without its extra bits, or the offset of a second table.
/// For a match: 14–15: the two highest bits of its distance − 1, whose lower bits are the extra bits; 16–24: its
/// length.
struct InflateEntry {
  enum Kind : std::uint32_t { match = 0, number = 1, end_of_block = 2, second_table = 3, impossible = 4 };

  std::uint32_t bits = impossible << 29;

  static constexpr InflateEntry of_literal(std::uint32_t value) { return {1U << 6 | value << 8}; }
  static constexpr InflateEntry of_number(std::uint32_t value, std::uint32_t extra_bits) {
    return {std::uint32_t{number} << 29 | extra_bits | value << 14};
  }
  static constexpr InflateEntry of_kind(Kind kind) { return {std::uint32_t{kind} << 29}; }
  /// Merges the literals of `first` with the literal of `next`. `first` must have fewer than kMaxLiterals.
  static constexpr InflateEntry joined(InflateEntry first, InflateEntry next) {
    return {first.bits + next.width() + (1U << 6) + ((next.bits & 0xFF00U) << 8 * first.literals())};
  }
  static constexpr std::uint32_t kMaxLiterals = 3;
  /// A match of length `length`, whose code and extra bits have `length_width` bits. `distance` is the entry of the
  /// code that follows.
  static constexpr InflateEntry of_match(std::uint32_t length, std::uint32_t length_width, InflateEntry distance) {
    const std::uint32_t highest = (distance.value() - 1) >> distance.extra_bits();
    return {(length_width + distance.width()) | (length_width + distance.code_bits()) << 8 | highest << 14 |
            length << 16};
  }

  /// This entry as the meaning of a code of `length` bits.
  [[nodiscard]] constexpr InflateEntry coded(std::uint32_t length) const {
    return {(bits + length) | (literals() == 0 ? length << 8 : 0)};
  }
  [[nodiscard]] constexpr std::uint32_t width() const { return bits & 63U; }
  [[nodiscard]] constexpr std::uint32_t literals() const { return bits >> 6 & 3U; }
  [[nodiscard]] constexpr std::uint32_t code_bits() const { return bits >> 8 & 63U; }
  [[nodiscard]] constexpr std::uint32_t extra_bits() const { return width() - code_bits(); }
  [[nodiscard]] constexpr std::uint32_t value() const { return bits >> 14 & 0x7FFFU; }
  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits >> 29); }
  /// Here and in the next functions, `stream` must start with this entry's code.
  [[nodiscard]] constexpr std::uint32_t extra(std::uint64_t stream) const {
    return static_cast<std::uint32_t>((stream & ((std::uint64_t{1} << width()) - 1)) >> code_bits());
  }
  /// Only for the entry of a number.
  [[nodiscard]] constexpr std::uint32_t value(std::uint64_t stream) const { return value() + extra(stream); }
  /// Only for the entry of a match.
  [[nodiscard]] constexpr std::uint32_t length() const { return bits >> 16; }
  [[nodiscard]] constexpr std::uint32_t distance(std::uint64_t stream) const {
    return ((bits >> 14 & 3U) << extra_bits()) + extra(stream) + 1;
  }
};

/// Total number of entries of a first table and its second tables, for codes of up to `max_length` bits. Each second
/// table has at least two codes; with a single one, the code would be shorter.
constexpr std::size_t table_entries(std::size_t symbols, std::uint32_t first_bits, std::uint32_t max_length) {
  const std::uint32_t second_bits = max_length - first_bits;
  return (std::size_t{1} << first_bits) + (second_bits > 0 ? symbols / 2 << second_bits : 0);
}

/// A first table, whose index is the next first_bits() bits, and second tables for longer codes.
template <std::uint32_t kFirstBits, std::uint32_t kMaxLength, std::size_t kSymbols>
struct InflateTable {
  static constexpr std::uint32_t first_bits() { return kFirstBits; }
  static constexpr std::uint32_t second_bits() { return kMaxLength - kFirstBits; }

  std::array<InflateEntry, table_entries(kSymbols, kFirstBits, kMaxLength)> entries;
};

using DistanceTable = InflateTable<9, kMaxCodeBits, kFixedDistanceSymbols>;

/// Like InflateTable, but chooses the number of index bits. With many bits, an entry holds two literals more often, for
/// example in the noise of a photograph. With few bits, the table is built faster.
struct LiteralTable {
  static constexpr std::uint32_t kFewBits = 10;
  static constexpr std::uint32_t kManyBits = 12;

  [[nodiscard]] std::uint32_t first_bits() const { return chosen_bits; }
  [[nodiscard]] std::uint32_t second_bits() const { return kMaxCodeBits - chosen_bits; }

  std::uint32_t chosen_bits = kFewBits;
  std::array<InflateEntry, std::max(table_entries(kFixedLiteralSymbols, kFewBits, kMaxCodeBits),
                                    table_entries(kFixedLiteralSymbols, kManyBits, kMaxCodeBits))>
      entries;
};

/// The tables of one block, for inflate_symbols.
struct SymbolTables {
  const LiteralTable& literals;
  const DistanceTable& distances;
};

enum class SymbolsEnd : std::uint8_t {
  interrupted,  ///< the output is full, or the buffered input has been used up
  end_of_block,
  damaged,
};

/// The end of the output, and the reason why decoding stopped.
template <class Out>
struct SymbolRun {
  Out* out = nullptr;
  SymbolsEnd ending = SymbolsEnd::interrupted;
};

/// Decodes symbols from `input` into `out` up to `end`; may write Inflater::kOvershoot elements past it. Matches may
/// reach back to `oldest`.
SymbolRun<std::uint8_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint8_t* oldest,
                                        std::uint8_t* out, const std::uint8_t* end);
/// Like above, with 16-bit elements. Matches copy elements unchanged, so earlier output may hold values above 255
/// (speculative_inflate.hpp).
SymbolRun<std::uint16_t> inflate_symbols(InflateInput& input, const SymbolTables& tables, const std::uint16_t* oldest,
                                         std::uint16_t* out, const std::uint16_t* end);

/// Decodes the blocks of a stream. Accepts and rejects the same streams as zlib.
class InflateBlocks {
 public:
  enum class Stage : std::uint8_t {
    header,  ///< at the start of a block
    stored,  ///< inside a stored block
    coded,   ///< inside a block of symbols
    ended,   ///< after the last block
    damaged,
  };

  explicit InflateBlocks(RandomAccess stream) : input(std::move(stream)) {}

  /// Callers may consume input only before the first block and after the last one.
  InflateInput input;

  [[nodiscard]] Stage stage() const { return stage_; }

  /// Continues with the block at bit `position` of the stream, or with the bytes after the last block.
  void move_to(std::uint64_t position, bool is_after_last = false);

  /// Consumes a block header, or as much of a block as the buffered input and the space from `out` to `end` allow.
  /// Returns the end of the output; may write Inflater::kOvershoot elements past `end`. Matches may reach back to
  /// `oldest`. Out is std::uint8_t or std::uint16_t (see inflate_symbols).
  template <class Out>
  Out* advance(const Out* oldest, Out* out, const Out* end);

 private:
  void read_header();
  void read_stored_length();
  bool read_code_lengths();
  template <class Out>
  Out* copy_stored(Out* out, const Out* end);
  template <class Out>
  Out* decode(const Out* oldest, Out* out, const Out* end);
  [[nodiscard]] Stage after_block() const { return is_last_ ? Stage::ended : Stage::header; }

  Stage stage_ = Stage::header;
  bool is_last_ = false;
  bool is_fixed_ = false;  ///< the block uses the fixed codes
  std::size_t stored_left_ = 0;
  LiteralTable literals_;
  DistanceTable distances_;
};

}  // namespace gpuimg::codecs::deflate

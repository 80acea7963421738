// Deflates filtered pixels in independent strips that are joined into one zlib stream. RFC 1951.
// docs/decisions/0007-own-deflate.md explains why gpuimg has its own compressor.
// Start with StripDeflater, below, to understand compression, and with zlib_stream.hpp to understand decompression.
// rfc1951.hpp has the constants.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codecs/deflate/rfc1951.hpp"
#include "png/deflate.hpp"
#include "png/matches.hpp"

namespace gpuimg::codecs::deflate {

static_assert(std::endian::native == std::endian::little, "BitWriter stores whole words without swapping bytes");

/// A string of bits: the low `count` bits of `value`. The higher bits are 0.
struct Bits {
  std::uint64_t value = 0;
  std::uint32_t count = 0;

  /// These bits followed by `next`; at most 64 bits in total.
  [[nodiscard]] constexpr Bits then(Bits next) const { return {value | next.value << count, count + next.count}; }
};

/// Packs bits into bytes, least significant bit first. RFC 1951, section 3.1.1. May write up to kSlack bytes past the
/// end of its output.
class BitWriter {
 public:
  static constexpr std::size_t kSlack = 8;
  static constexpr std::uint32_t kMaxBits = 56;  ///< per call of write()

  explicit BitWriter(std::byte* out) : begin_(out), out_(out) {}

  void write(Bits bits) {
    const Bits all = pending_.then(bits);
    std::memcpy(out_, &all.value, sizeof all.value);
    out_ += all.count / 8;
    // Never shifts by 64: fewer than 64 bits are pending.
    pending_ = {all.value >> (all.count & ~7U), all.count & 7U};
  }

  void fill_last_byte() { write({0, (8U - pending_.count) & 7U}); }

  /// The output must end at a byte boundary.
  void write_bytes(std::span<const std::uint8_t> bytes) {
    const auto whole = std::as_bytes(bytes);
    out_ = std::copy(whole.begin(), whole.end(), out_);
  }

  [[nodiscard]] std::size_t whole_bytes() const { return static_cast<std::size_t>(out_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* out_;
  Bits pending_;  ///< fewer than 8 bits
};

/// A number of literals followed by a match.
struct DeflateSequence {
  std::uint32_t literals = 0;
  std::uint16_t match_length = 0;  ///< 0 only in the last sequence of a block, which has no match
  std::uint16_t distance_minus_one = 0;
};

/// Settings that trade speed for compression.
struct MatchSettings {
  std::uint32_t hash_bits = 13;  ///< the hash table holds 2^hash_bits positions
  gpuimg::png::SearchSettings search;
  bool is_lazy = false;  ///< also try the next position, hash every position, and do not divide blocks
};

/// Finds matches, sequences of bytes that repeat earlier bytes. For levels 0 and 1, core/png/matches.hpp defines the
/// search.
class MatchFinder {
 public:
  explicit MatchFinder(const MatchSettings& settings);

  /// Forgets all positions; call it before the next buffer.
  void restart();

  /// Divides a block, the bytes [begin, end), into sequences, which may refer to any earlier bytes. Successive calls
  /// must cover a strip, `bytes`, from its beginning without gaps. A strip has at most 2³⁰ bytes. The result is valid
  /// until the next call.
  std::span<const DeflateSequence> find(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t end);

 private:
  MatchSettings settings_;
  std::vector<DeflateSequence> sequences_;  ///< has room for the largest number in a block
  std::vector<std::uint16_t> positions_;    ///< maps the hash of eight bytes to their last position, modulo 2¹⁶
};

/// Canonical Huffman codes, RFC 1951, section 3.2.2. Chooses code lengths of at most `max_length` bits for symbols that
/// occur `counts[symbol]` times. The length is 0 for symbols that do not occur, and 1 for a symbol that is the only
/// one. Deterministic. Requires max_length ≤ 15, at most kFixedLiteralSymbols symbols, at most 2^max_length of them
/// with a nonzero count, and counts that add up to less than 2³².
void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t max_length,
                         std::span<std::uint8_t> lengths);

/// Assigns each symbol its canonical code, in the bit order of the output. A symbol of length 0 gets an empty code.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes);

/// How often each symbol occurs.
struct SymbolCounts {
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::array<std::uint32_t, kDistanceSymbols> distances{};
};

/// The code length of each symbol in bits; 0 for symbols that do not occur.
struct CodeLengths {
  std::array<std::uint8_t, kFixedLiteralSymbols> literals{};
  std::array<std::uint8_t, kDistanceSymbols> distances{};
};

static_assert(4 * kMaxLiteralCodeBits <= BitWriter::kMaxBits, "four literals must fit into one write");

/// Counts the symbols of all sequences of `bytes`, plus one end of block.
SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences);

/// Writes the symbols that count_symbols counts.
void write_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences,
                   const CodeLengths& lengths, BitWriter& out);

/// Writes one block in its smallest form: stored, with the fixed codes, or with its own codes. `sequences` describe all
/// of `bytes`. `is_last` marks the last block of the stream.
void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, bool is_last,
                         BitWriter& out);

inline constexpr std::size_t kMaxStripBytes = std::size_t{1} << 30;  ///< because positions have 32 bits

/// An upper bound for the deflated size of `size` bytes. `size` is at most kMaxStripBytes.
constexpr std::size_t deflate_bound(std::size_t size) {
  constexpr std::size_t kBlockHeader = 6;
  constexpr std::size_t kSlack = 16;
  return size + (size / kMaxStoredBytes + 3) * kBlockHeader + kSlack;
}

/// Deflates strips one after another; not thread-safe. Holds less than 400 KB for strips of up to 256 KB. The output
/// depends only on the input and the level, not on the processor.
class StripDeflater {
 public:
  explicit StripDeflater(int level);  ///< 0 (fastest), 1 or 2 (smallest)

  /// Writes the deflated strip to `out`, which must have at least deflate_bound(strip.size()) bytes, and returns its
  /// size. The output ends at a byte boundary. If `is_last`, it also ends the deflate stream.
  std::size_t deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last);

 private:
  MatchFinder finder_;
};

}  // namespace gpuimg::codecs::deflate

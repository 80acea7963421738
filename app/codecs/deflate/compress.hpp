// Deflate for filtered pixels: independent strips that are joined into one zlib stream. RFC 1951. Why gpuimg has its
// own: docs/decisions/0007-own-deflate.md. To read this folder, start at StripDeflater, below, for compression and in
// zlib_stream.hpp for decompression; rfc1951.hpp has the constants.
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

/// The low `count` bits of `value`; the higher ones are 0.
struct Bits {
  std::uint64_t value = 0;
  std::uint32_t count = 0;

  /// These bits followed by `next`; at most 64 in all.
  [[nodiscard]] constexpr Bits then(Bits next) const { return {value | next.value << count, count + next.count}; }
};

/// Packs bits into bytes, least significant bit first. RFC 1951, section 3.1.1. Writes up to kSlack bytes past the end
/// of its output.
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
  Bits pending_;  ///< fewer than 8
};

/// Literals, then a match.
struct DeflateSequence {
  std::uint32_t literals = 0;
  std::uint16_t match_length = 0;  ///< 0 only in the last sequence of a block, which has no match
  std::uint16_t distance_minus_one = 0;
};

/// The trade-off between speed and compression.
struct MatchSettings {
  std::uint32_t hash_bits = 13;  ///< the hash table holds 2^hash_bits positions
  gpuimg::png::SearchSettings search;
  bool is_lazy = false;  ///< also tries the next position, hashes every position, and does not divide blocks
};

/// Finds bytes that repeat earlier ones. Levels 0 and 1 search as core/png/matches.hpp says.
class MatchFinder {
 public:
  explicit MatchFinder(const MatchSettings& settings);

  /// Forgets all positions; call it before the next buffer.
  void restart();

  /// Divides bytes [begin, end), a block, into sequences, which may refer to anything before them. Successive calls
  /// must cover `bytes`, a strip, from its beginning without gaps. At most 2³⁰ bytes. The result is valid until the
  /// next call.
  std::span<const DeflateSequence> find(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t end);

 private:
  MatchSettings settings_;
  std::vector<DeflateSequence> sequences_;  ///< as many as a block can have
  std::vector<std::uint16_t> positions_;    ///< by hash of eight bytes: where they last occurred, modulo 2¹⁶
};

/// Canonical Huffman codes, RFC 1951, section 3.2.2. Chooses code lengths of at most `max_length` bits for symbols that
/// occur `counts[symbol]` times; 0 for symbols that do not occur, 1 for a symbol that is the only one. Deterministic.
/// Requires max_length ≤ 15, at most kFixedLiteralSymbols symbols, at most 2^max_length of them with a count, and
/// counts that add up to less than 2³².
void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t max_length,
                         std::span<std::uint8_t> lengths);

/// Assigns each symbol its canonical code, in the bit order in which it is written; no bits for length 0.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes);

/// How often each symbol occurs.
struct SymbolCounts {
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::array<std::uint32_t, kDistanceSymbols> distances{};
};

/// Bits per symbol; 0 for symbols that do not occur.
struct CodeLengths {
  std::array<std::uint8_t, kFixedLiteralSymbols> literals{};
  std::array<std::uint8_t, kDistanceSymbols> distances{};
};

static_assert(4 * kMaxLiteralCodeBits <= BitWriter::kMaxBits, "four literals must fit into one write");

/// Counts the symbols of all sequences of `bytes` and one end of block.
SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences);

/// Writes the same symbols.
void write_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences,
                   const CodeLengths& lengths, BitWriter& out);

/// Writes one block in its smallest form: stored, with the fixed codes, or with codes of its own. `sequences` describe
/// all of `bytes`. `is_last` marks the last block of the stream.
void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, bool is_last,
                         BitWriter& out);

inline constexpr std::size_t kMaxStripBytes = std::size_t{1} << 30;  ///< positions are 32-bit

/// An upper bound for the deflated size of `size` bytes, at most kMaxStripBytes.
constexpr std::size_t deflate_bound(std::size_t size) {
  constexpr std::size_t kBlockHeader = 6;
  constexpr std::size_t kSlack = 16;
  return size + (size / kMaxStoredBytes + 3) * kBlockHeader + kSlack;
}

/// Deflates strips one after another; not thread-safe. Holds less than 400 KB, or more for strips longer than 256 KB.
/// The output depends only on the input and the level, not on the processor.
class StripDeflater {
 public:
  explicit StripDeflater(int level);  ///< 0 (fastest), 1 or 2 (smallest)

  /// Writes the deflated strip to `out`, which holds at least deflate_bound(strip.size()) bytes, and returns its size.
  /// The output ends at a byte boundary; `is_last` also ends the deflate stream.
  std::size_t deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last);

 private:
  MatchFinder finder_;
};

}  // namespace gpuimg::codecs::deflate

// Which kind of block, and what stands before its symbols: app/codecs/deflate/compress_block.hpp.
#include "codecs/deflate/compress_block.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "codecs/deflate/compress_symbols.hpp"
#include "codecs/deflate/huffman_code.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kLengthSymbols = 19;
constexpr std::uint32_t kBlockHeaderBits = 3;
constexpr std::size_t kMostStored = 65535;

enum class BlockKind : std::uint8_t { stored = 0, fixed = 1, dynamic = 2 };

Bits block_header(BlockKind kind, bool is_last) {
  return {(is_last ? 1U : 0U) | static_cast<std::uint64_t>(kind) << 1, kBlockHeaderBits};
}

/// Section 3.2.6.
CodeLengths fixed_lengths() {
  CodeLengths lengths;
  for (std::size_t symbol = 0; symbol < lengths.literals.size(); ++symbol) {
    lengths.literals[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
  }
  lengths.distances.fill(5);
  return lengths;
}

/// The bits of all symbols, extra bits included.
std::uint64_t bits_of(const SymbolCounts& counts, const CodeLengths& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t symbol = 0; symbol < kLiteralSymbols; ++symbol) {
    const std::size_t length = symbol - (kEndOfBlock + 1);
    const std::size_t extra = symbol <= kEndOfBlock + 4 || symbol == kLiteralSymbols - 1 ? 0 : length / 4 - 1;
    bits += counts.literals[symbol] * (lengths.literals[symbol] + extra);
  }
  for (std::size_t symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    bits += counts.distances[symbol] * (lengths.distances[symbol] + (symbol < 2 ? 0 : symbol / 2 - 1));
  }
  return bits;
}

/// Code lengths as a dynamic block announces them: runs of equal ones shortened, coded once more. Section 3.2.7.
class Announcement {
 public:
  explicit Announcement(const CodeLengths& lengths) {
    literals_ = used(lengths.literals, kEndOfBlock + 1, kLiteralSymbols);
    distances_ = used(lengths.distances, 1, kDistanceSymbols);
    std::array<std::uint8_t, kLiteralSymbols + kDistanceSymbols> all{};
    std::copy_n(lengths.literals.begin(), literals_, all.begin());
    std::copy_n(lengths.distances.begin(), distances_, all.begin() + static_cast<std::ptrdiff_t>(literals_));
    shorten(std::span(all).first(literals_ + distances_));
    std::array<std::uint32_t, kLengthSymbols> counts{};
    for (const Item& item : items_) {
      ++counts[item.symbol];
    }
    choose_code_lengths(counts, 7, lengths_);
    while (announced_ > 4 && lengths_[kOrder[announced_ - 1]] == 0) {
      --announced_;
    }
  }

  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t bits = 14 + 3 * announced_;
    for (const Item& item : items_) {
      bits += lengths_[item.symbol] + item.extra.count;
    }
    return bits;
  }

  void write(BitWriter& out) const {
    std::array<Bits, kLengthSymbols> codes;
    assign_codes(lengths_, codes);
    out.write({(literals_ - 257) | (distances_ - 1) << 5 | (announced_ - 4) << 10, 14});
    for (std::size_t i = 0; i < announced_; ++i) {
      out.write({lengths_[kOrder[i]], 3});
    }
    for (const Item& item : items_) {
      out.write(codes[item.symbol].then(item.extra));
    }
  }

 private:
  static constexpr std::array<std::uint8_t, kLengthSymbols> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
  struct Item {
    std::uint8_t symbol = 0;
    Bits extra;
  };

  static std::size_t used(std::span<const std::uint8_t> lengths, std::size_t least, std::size_t most) {
    while (most > least && lengths[most - 1] == 0) {
      --most;
    }
    return most;
  }

  void shorten(std::span<const std::uint8_t> lengths) {
    constexpr std::uint8_t kCopyLast = 16;
    constexpr std::uint8_t kFewZeros = 17;
    constexpr std::uint8_t kManyZeros = 18;
    for (std::size_t i = 0; i < lengths.size();) {
      const std::uint8_t length = lengths[i];
      const auto same = std::find_if(lengths.begin() + static_cast<std::ptrdiff_t>(i), lengths.end(),
                                     [&](std::uint8_t other) { return other != length; });
      std::size_t run = static_cast<std::size_t>(same - lengths.begin()) - i;
      i += run;
      if (length != 0) {
        items_.push_back({length, {}});
        --run;
      }
      while (run >= 3) {
        const std::size_t taken = std::min<std::size_t>(run, length == 0 ? 138 : 6);
        items_.push_back(length != 0  ? Item{kCopyLast, {taken - 3, 2}}
                         : taken < 11 ? Item{kFewZeros, {taken - 3, 3}}
                                      : Item{kManyZeros, {taken - 11, 7}});
        run -= taken;
      }
      items_.insert(items_.end(), run, {length, {}});
    }
  }

  std::size_t literals_ = 0;
  std::size_t distances_ = 0;
  std::size_t announced_ = kLengthSymbols;
  std::vector<Item> items_;
  std::array<std::uint8_t, kLengthSymbols> lengths_{};
};

void write_stored(std::span<const std::uint8_t> bytes, bool is_last, BitWriter& out) {
  do {
    const auto part = bytes.first(std::min(bytes.size(), kMostStored));
    bytes = bytes.subspan(part.size());
    out.write(block_header(BlockKind::stored, is_last && bytes.empty()));
    out.fill_last_byte();
    out.write({part.size() | (~part.size() & 0xFFFFU) << 16, 32});
    out.write_bytes(part);
  } while (!bytes.empty());
}

/// At most, for each stored block begins somewhere in a byte.
std::uint64_t stored_bits(std::size_t bytes) {
  constexpr std::size_t kHeaderBits = 7 + kBlockHeaderBits + 32;
  return 8 * bytes + (bytes / kMostStored + 1) * kHeaderBits;
}

}  // namespace

void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps, bool is_last,
                         BitWriter& out) {
  static const CodeLengths kFixed = fixed_lengths();
  const SymbolCounts counts = count_symbols(bytes, steps);
  CodeLengths own;
  choose_code_lengths(counts.literals, kLongestLiteralCode, std::span(own.literals).first(kLiteralSymbols));
  choose_code_lengths(counts.distances, 15, own.distances);
  const Announcement announcement(own);

  const std::uint64_t dynamic = announcement.bits() + bits_of(counts, own);
  const std::uint64_t fixed = bits_of(counts, kFixed);
  if (stored_bits(bytes.size()) <= kBlockHeaderBits + std::min(dynamic, fixed)) {
    write_stored(bytes, is_last, out);
  } else if (fixed <= dynamic) {
    out.write(block_header(BlockKind::fixed, is_last));
    write_steps(bytes, steps, kFixed, out);
  } else {
    out.write(block_header(BlockKind::dynamic, is_last));
    announcement.write(out);
    write_steps(bytes, steps, own, out);
  }
}

void write_sync_marker(BitWriter& out) { write_stored({}, false, out); }

}  // namespace gpuimg

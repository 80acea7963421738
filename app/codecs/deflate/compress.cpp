// A strip becomes blocks, and each block takes its smallest form: stored, fixed or dynamic. RFC 1951, sections 3.2.3 to
// 3.2.7.
#include "codecs/deflate/compress.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "codecs/deflate/compress_symbols.hpp"
#include "codecs/deflate/huffman_code.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kBlockBytes = 2 * kMaxStoredBytes;  // fills two stored blocks if nothing else is smaller

constexpr std::array<MatchSettings, 3> kLevels = {{
    {.hash_bits = 13, .min_length = 16, .skip_bits = 2, .is_lazy = false},
    {.hash_bits = 13, .min_length = 12, .skip_bits = 3, .is_lazy = false},
    {.hash_bits = 15, .min_length = 10, .skip_bits = 8, .is_lazy = true},
}};

constexpr std::uint32_t kBlockHeaderBits = 3;

Bits block_header(BlockType type, bool is_last) {
  return {(is_last ? 1U : 0U) | static_cast<std::uint64_t>(type) << 1, kBlockHeaderBits};
}

CodeLengths fixed_lengths() {
  CodeLengths lengths;
  lengths.literals = kFixedLiteralLengths;
  lengths.distances.fill(kFixedDistanceLength);
  return lengths;
}

/// The size of all symbols in bits, including extra bits.
std::uint64_t symbol_bits(const SymbolCounts& counts, const CodeLengths& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t symbol = 0; symbol < kLiteralSymbols; ++symbol) {
    const bool is_length = symbol >= kFirstLengthSymbol;
    const std::uint32_t extra = is_length ? kLengthRanges[symbol - kFirstLengthSymbol].extra_bits : 0;
    bits += std::uint64_t{counts.literals[symbol]} * (lengths.literals[symbol] + extra);
  }
  for (std::size_t symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    bits += std::uint64_t{counts.distances[symbol]} * (lengths.distances[symbol] + kDistanceRanges[symbol].extra_bits);
  }
  return bits;
}

/// The code lengths at the start of a dynamic block: run-length encoded, then Huffman coded. Section 3.2.7.
class DynamicHeader {
 public:
  explicit DynamicHeader(const CodeLengths& lengths) {
    literals_ = used(lengths.literals, kFirstLengthSymbol, kLiteralSymbols);
    distances_ = used(lengths.distances, 1, kDistanceSymbols);
    std::array<std::uint8_t, kLiteralSymbols + kDistanceSymbols> all{};
    std::copy_n(lengths.literals.begin(), literals_, all.begin());
    std::copy_n(lengths.distances.begin(), distances_, all.begin() + static_cast<std::ptrdiff_t>(literals_));
    encode_runs(std::span(all).first(literals_ + distances_));
    std::array<std::uint32_t, kCodeLengthSymbols> counts{};
    for (const Item& item : items_) {
      ++counts[item.symbol];
    }
    choose_code_lengths(counts, kMaxCodeLengthBits, lengths_);
    while (stated_lengths_ > 4 && lengths_[kCodeLengthOrder[stated_lengths_ - 1]] == 0) {
      --stated_lengths_;
    }
  }

  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t bits = 14 + 3 * stated_lengths_;
    for (const Item& item : items_) {
      bits += lengths_[item.symbol] + item.extra.count;
    }
    return bits;
  }

  void write(BitWriter& out) const {
    std::array<Bits, kCodeLengthSymbols> codes;
    assign_codes(lengths_, codes);
    out.write({(literals_ - kFirstLengthSymbol) | (distances_ - 1) << 5 | (stated_lengths_ - 4) << 10, 14});
    for (std::size_t i = 0; i < stated_lengths_; ++i) {
      out.write({lengths_[kCodeLengthOrder[i]], 3});
    }
    for (const Item& item : items_) {
      out.write(codes[item.symbol].then(item.extra));
    }
  }

 private:
  struct Item {
    std::uint8_t symbol = 0;
    Bits extra;
  };

  /// How many lengths remain when zeros at the end are dropped.
  static std::size_t used(std::span<const std::uint8_t> lengths, std::size_t min, std::size_t max) {
    while (max > min && lengths[max - 1] == 0) {
      --max;
    }
    return max;
  }

  static constexpr SymbolRange run_range(std::uint8_t symbol) { return kRunRanges[symbol - kRepeatPrevious]; }

  void encode_runs(std::span<const std::uint8_t> lengths) {
    for (std::size_t i = 0; i < lengths.size();) {
      const std::uint8_t length = lengths[i];
      const auto run_end = std::find_if(lengths.begin() + static_cast<std::ptrdiff_t>(i), lengths.end(),
                                        [&](std::uint8_t other) { return other != length; });
      std::size_t run = static_cast<std::size_t>(run_end - lengths.begin()) - i;
      i += run;
      if (length != 0) {
        items_.push_back({length, {}});
        --run;
      }
      const std::uint8_t short_run = length != 0 ? kRepeatPrevious : kShortZeroRun;
      while (run >= run_range(short_run).base) {
        const bool is_long = length == 0 && run >= run_range(kLongZeroRun).base;
        const std::uint8_t symbol = is_long ? kLongZeroRun : short_run;
        const SymbolRange range = run_range(symbol);
        const std::size_t taken = std::min<std::size_t>(run, range.last());
        items_.push_back({symbol, {taken - range.base, range.extra_bits}});
        run -= taken;
      }
      items_.insert(items_.end(), run, {length, {}});
    }
  }

  std::size_t literals_ = 0;
  std::size_t distances_ = 0;
  std::size_t stated_lengths_ = kCodeLengthSymbols;
  std::vector<Item> items_;
  std::array<std::uint8_t, kCodeLengthSymbols> lengths_{};
};

void write_stored(std::span<const std::uint8_t> bytes, bool is_last, BitWriter& out) {
  do {
    const auto part = bytes.first(std::min(bytes.size(), kMaxStoredBytes));
    bytes = bytes.subspan(part.size());
    out.write(block_header(BlockType::stored, is_last && bytes.empty()));
    out.fill_last_byte();
    out.write({part.size() | (~part.size() & 0xFFFFU) << 16, 32});
    out.write_bytes(part);
  } while (!bytes.empty());
}

/// An upper bound: each stored block may start at any bit of a byte.
std::uint64_t stored_bits(std::size_t bytes) {
  constexpr std::size_t kHeaderBits = 7 + kBlockHeaderBits + 32;
  return 8 * bytes + (bytes / kMaxStoredBytes + 1) * kHeaderBits;
}

}  // namespace

void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, bool is_last,
                         BitWriter& out) {
  static const CodeLengths kFixed = fixed_lengths();
  const SymbolCounts counts = count_symbols(bytes, sequences);
  CodeLengths own;
  choose_code_lengths(counts.literals, kMaxLiteralCodeBits, std::span(own.literals).first(kLiteralSymbols));
  choose_code_lengths(counts.distances, kMaxCodeBits, own.distances);
  const DynamicHeader header(own);

  const std::uint64_t dynamic = header.bits() + symbol_bits(counts, own);
  const std::uint64_t fixed = symbol_bits(counts, kFixed);
  if (stored_bits(bytes.size()) <= kBlockHeaderBits + std::min(dynamic, fixed)) {
    write_stored(bytes, is_last, out);
  } else if (fixed <= dynamic) {
    out.write(block_header(BlockType::fixed, is_last));
    write_symbols(bytes, sequences, kFixed, out);
  } else {
    out.write(block_header(BlockType::dynamic, is_last));
    header.write(out);
    write_symbols(bytes, sequences, own, out);
  }
}

StripDeflater::StripDeflater(int level) : finder_(kLevels.at(static_cast<std::size_t>(level))) {}

std::size_t StripDeflater::deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last) {
  if (strip.size() > kMaxStripBytes || out.size() < deflate_bound(strip.size())) {
    throw std::logic_error("a strip to deflate is too long or its output too small");
  }
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(strip.data()), strip.size());
  BitWriter writer(out.data());
  finder_.restart();
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(bytes.size(), begin + kBlockBytes);
    finder_.find(bytes, begin, end, sequences_);
    write_deflate_block(bytes.subspan(begin, end - begin), sequences_, is_last && end == bytes.size(), writer);
    begin = end;
  } while (begin < bytes.size());
  if (is_last) {
    writer.fill_last_byte();
  } else {
    write_stored({}, false, writer);  // an empty stored block ends at a byte boundary
  }
  return writer.whole_bytes();
}

}  // namespace gpuimg::codecs

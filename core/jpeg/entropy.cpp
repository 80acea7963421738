// Builds the look-up tables for decoding Huffman codes.
#include "jpeg/entropy.hpp"

#include <algorithm>

namespace gpuimg::jpeg {

namespace {

constexpr std::uint32_t kMaxCodeBits = 16;

/// Tables that map bits to symbols, without the values that follow the symbols: T.81, annex C.
class SymbolTables {
 public:
  explicit SymbolTables(std::uint16_t* symbols) : symbols_(symbols) { std::fill_n(symbols_, kSymbolEntries, kNoCode); }

  /// Returns false for an unusual table, which must be left to libjpeg-turbo.
  bool add(std::uint32_t table, const JpegHuffmanTable& from, bool is_dc) {
    std::uint32_t code = 0;
    std::size_t next = 0;
    for (std::uint32_t bits = 1; bits <= kMaxCodeBits; ++bits, code <<= 1) {
      for (std::uint32_t i = 0; i < from.codes_of_length[bits - 1]; ++i, ++code) {
        if (code + 1 >= 1U << bits || (is_dc && from.symbols[next] > 15) ||
            !set(table * kLookupEntries, code, bits, entry_of(bits, from.symbols[next], is_dc))) {
          return false;
        }
        ++next;
      }
    }
    return true;
  }

 private:
  static std::uint16_t entry_of(std::uint32_t bits, std::uint32_t symbol, bool is_dc) {
    constexpr std::uint32_t kZeroRun = 15;  // 16 zeros
    const std::uint32_t value_bits = symbol & 15U;
    const std::uint32_t run = symbol >> 4;
    const std::uint32_t advance = is_dc || value_bits > 0 ? run + 1 : run == kZeroRun ? run + 1 : kEndOfBlock;
    return static_cast<std::uint16_t>((bits + value_bits) | value_bits << 5 | advance << 9);
  }

  bool set(std::uint32_t table, std::uint32_t code, std::uint32_t bits, std::uint16_t entry) {
    if (bits <= kLookupBits) {
      std::fill_n(symbols_ + table + (code << (kLookupBits - bits)), 1U << (kLookupBits - bits), entry);
      return true;
    }
    std::uint16_t& prefix = symbols_[table + (code >> (bits - kLookupBits))];
    if (prefix == kNoCode) {
      if (long_codes_ == kMaxLongCodes) {
        return false;
      }
      prefix = static_cast<std::uint16_t>(kLongEntries * long_codes_++);  // a multiple of 32: its "bits" are 0
    }
    const std::uint32_t first = code << (kMaxCodeBits - bits) & (kLongEntries - 1);
    std::fill_n(symbols_ + kLongTables + prefix + first, 1U << (kMaxCodeBits - bits), entry);
    return true;
  }

  std::uint16_t* symbols_;
  std::uint32_t long_codes_ = 0;
};

GroupEntry dc_group(SymbolEntry symbol) {
  return symbol.packed == kNoCode || symbol.bits() == 0
             ? GroupEntry{}
             : GroupEntry{symbol.bits() | 1U << 5 | symbol.value_bits() << 12};
}

/// `bits` is the index of the entry. The bits after it are unknown, and zeros stand for them. So only symbols whose
/// codes end before these zeros count; the value bits of such a symbol may extend further.
GroupEntry ac_group(const std::uint16_t* symbols, std::uint32_t bits) {
  constexpr std::uint32_t kMaxBits = 31;  // limit of BitWindow::move(), and of the field in GroupEntry
  std::uint32_t used = 0;
  std::uint32_t advance = 0;
  while (used < kGroupBits) {
    const std::uint32_t window = bits << (32 - kGroupBits + used);
    const SymbolEntry symbol{symbols[window >> (32 - kLookupBits)]};
    if (symbol.bits() == 0 || symbol.packed == kNoCode || used + symbol.bits() > kMaxBits ||
        used + symbol.bits() - symbol.value_bits() > kGroupBits) {
      break;
    }
    if (symbol.advance() == kEndOfBlock) {
      return {(used + symbol.bits()) | advance << 5 | 1U << 11};
    }
    if (advance + symbol.advance() >= kEndOfBlock) {
      break;
    }
    used += symbol.bits();
    advance += symbol.advance();
  }
  return {used | advance << 5};
}

}  // namespace

bool build_huffman_tables(const EncodedJpeg& jpeg, HuffmanTables& tables) {
  SymbolTables symbols(tables.symbols);
  for (std::uint32_t i = 0; i < jpeg.dc_tables.size(); ++i) {
    if (!symbols.add(i, jpeg.dc_tables[i], true) || !symbols.add(2 + i, jpeg.ac_tables[i], false)) {
      return false;
    }
  }
  for (std::uint32_t table = 0; table < kTableCount; ++table) {
    const std::uint16_t* of_table = tables.symbols + table * kLookupEntries;
    for (std::uint32_t bits = 0; bits < 1U << kGroupBits; ++bits) {
      const GroupEntry group =
          table < 2 ? dc_group({of_table[bits >> (kGroupBits - kLookupBits)]}) : ac_group(of_table, bits);
      tables.groups[(table << kGroupBits) + bits] = static_cast<std::uint16_t>(group.packed);
    }
  }
  return true;
}

}  // namespace gpuimg::jpeg

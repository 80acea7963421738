// Builds the tables of quantizers and of codes for encoding a JPEG.
#include "jpeg/encode.hpp"

#include <algorithm>

namespace gpuimg::jpeg {

namespace {

/// Assigns the codes of a canonical Huffman table, which are consecutive numbers, shorter codes first: T.81, annex C.
template <std::size_t kCount>
bool add_codes(const JpegHuffmanTable& from, SymbolCode (&codes)[kCount]) {
  std::uint32_t code = 0;
  std::size_t next = 0;
  for (std::uint32_t bits = 1; bits <= from.codes_of_length.size(); ++bits, code <<= 1) {
    for (std::uint32_t i = 0; i < from.codes_of_length[bits - 1]; ++i, ++code) {
      if (next == from.symbols.size() || from.symbols[next] >= kCount || code >> bits != 0) {
        return false;
      }
      codes[from.symbols[next++]] = {code << 5 | bits};
    }
  }
  return true;
}

bool has_all_symbols(const CodeTable& table) {
  const auto is_there = [](SymbolCode code) { return code.bits() > 0; };
  bool has_all = is_there(table.ac[kEndOfBlockSymbol]) && is_there(table.ac[kSixteenZeros]) &&
                 std::all_of(table.dc, table.dc + kDcSymbols, is_there);
  for (std::uint32_t zeros = 0; zeros < 16; ++zeros) {
    const SymbolCode* first = &table.ac[zeros << 4 | 1U];
    has_all = has_all && std::all_of(first, first + kMaxAcBits, is_there);
  }
  return has_all;
}

}  // namespace

bool build_code_tables(const JpegScanFormat& format, CodeTables& tables) {
  tables = {};
  const auto& parts = format.components;
  if (format.component_count > 1 &&
      (parts[1].dc_table != parts[2].dc_table || parts[1].ac_table != parts[2].ac_table)) {
    return false;
  }
  const std::size_t count = format.component_count > 1 ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    CodeTable& table = tables.of[i];
    if (!add_codes(format.dc_tables.at(static_cast<std::size_t>(parts[i].dc_table)), table.dc) ||
        !add_codes(format.ac_tables.at(static_cast<std::size_t>(parts[i].ac_table)), table.ac) ||
        !has_all_symbols(table)) {
      return false;
    }
  }
  return true;
}

Quantizers quantizers_of(const EncodedJpegComponent& component) {
  Quantizers quantizers;
  for (std::size_t place = 0; place < kBlockSize; ++place) {
    const std::size_t transposed = kTransposedZigzag.place[place];
    const std::size_t natural = transposed % kBlockSide * kBlockSide + transposed / kBlockSide;
    const std::uint64_t divisor = std::uint64_t{8} * component.steps[natural];
    quantizers.of[natural] = {static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + divisor - 1) / divisor),
                              static_cast<std::uint16_t>(divisor / 2), static_cast<std::uint16_t>(place)};
  }
  return quantizers;
}

}  // namespace gpuimg::jpeg

// Builds the tables from canonical Huffman codes. RFC 1951, section 3.2.2.
#include "codecs/deflate/inflate_tables.hpp"

#include <algorithm>

namespace gpuimg::codecs {
namespace {

using LengthCounts = std::array<std::uint32_t, kMaxCodeBits + 1>;

LengthCounts count_lengths(std::span<const std::uint8_t> lengths) {
  LengthCounts counts{};
  for (const std::uint8_t length : lengths) {
    ++counts[length];
  }
  counts[0] = 0;
  return counts;
}

enum class CodeSet { complete, single, empty, invalid };

CodeSet classify(const LengthCounts& counts) {
  std::int32_t unused = 1;
  std::uint32_t codes = 0;
  for (std::size_t length = 1; length < counts.size(); ++length) {
    unused = 2 * unused - static_cast<std::int32_t>(counts[length]);
    codes += counts[length];
    if (unused < 0) {
      return CodeSet::invalid;
    }
  }
  if (unused == 0) {
    return CodeSet::complete;
  }
  if (codes == 0) {
    return CodeSet::empty;
  }
  return codes == 1 && counts[1] == 1 ? CodeSet::single : CodeSet::invalid;
}

/// The symbols that have a code, shortest codes first.
struct SortedSymbols {
  std::array<std::uint16_t, kFixedLiteralSymbols> symbols;
  std::size_t size = 0;

  SortedSymbols(std::span<const std::uint8_t> lengths, const LengthCounts& counts) {
    std::array<std::size_t, kMaxCodeBits + 1> next{};
    for (std::size_t length = 1; length <= kMaxCodeBits; ++length) {
      next[length] = size;
      size += counts[length];
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0) {
        symbols[next[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
      }
    }
  }
};

/// Enters a code longer than Table::kBits. `used` is where the next second table goes.
template <class Table>
void enter_long(Table& table, std::size_t& used, InflateEntry entry, std::uint32_t code, std::uint32_t length) {
  constexpr std::size_t kSecondSize = std::size_t{1} << Table::kSecondBits;
  InflateEntry& first = table.entries[code & ((1U << Table::kBits) - 1)];
  if (first.kind() != InflateEntry::second_table) {
    first = {InflateEntry::of_kind(InflateEntry::second_table).coded(Table::kBits).bits |
             static_cast<std::uint32_t>(used) << 12};
    used += kSecondSize;
  }
  const std::uint32_t rest = length - Table::kBits;
  for (std::size_t i = code >> Table::kBits; i < kSecondSize; i += std::size_t{1} << rest) {
    table.entries[first.value() + i] = entry.coded(rest);
  }
}

/// The first table grows with the code length: doubled, the table of the codes up to n bits serves for n + 1 bits.
template <class Table, class EntryOf>
void fill(std::span<const std::uint8_t> lengths, const LengthCounts& counts, Table& table, EntryOf entry_of) {
  const SortedSymbols sorted(lengths, counts);
  auto* const entries = table.entries.data();
  entries[0] = InflateEntry{};
  std::size_t used = std::size_t{1} << Table::kBits;
  std::uint32_t code = 0;
  std::size_t i = 0;
  for (std::uint32_t length = 1; length <= kMaxCodeBits; ++length, code <<= 1) {
    if (length <= Table::kBits) {
      const std::size_t half = std::size_t{1} << (length - 1);
      std::copy_n(entries, half, entries + half);
    }
    for (const std::size_t end = i + counts[length]; i < end; ++i, ++code) {
      const InflateEntry entry = entry_of(sorted.symbols[i]);
      if (length <= Table::kBits) {
        entries[reversed_code(code, length)] = entry.coded(length);
      } else {
        enter_long(table, used, entry, reversed_code(code, length), length);
      }
    }
  }
}

/// Merges literals into one entry where the index covers more than one of their codes. Goes backward, because the
/// literals that follow are found at smaller indices, which must still hold single literals. Branch-free, because the
/// branches would be unpredictable.
void merge_literals(LiteralTable& table) {
  for (std::size_t i = std::size_t{1} << LiteralTable::kBits; i-- > 0;) {
    InflateEntry entry = table.entries[i];
    bool is_joined = entry.literals() == 1;
    for (std::uint32_t k = 1; k < InflateEntry::kMaxLiterals; ++k) {
      const InflateEntry next = table.entries[i >> entry.width()];
      is_joined &= next.literals() == 1 && entry.width() + next.width() <= LiteralTable::kBits;
      entry.bits = is_joined ? InflateEntry::joined(entry, next).bits : entry.bits;
    }
    table.entries[i] = entry;
  }
}

/// The entry of a length or distance symbol; impossible for symbols without a range.
template <std::size_t kSymbols>
InflateEntry range_entry(const std::array<SymbolRange, kSymbols>& ranges, std::size_t symbol) {
  return symbol < kSymbols ? InflateEntry::number(ranges[symbol].base, ranges[symbol].extra_bits) : InflateEntry{};
}

InflateEntry literal_or_length(std::size_t symbol) {
  if (symbol < kEndOfBlock) {
    return InflateEntry::literal(static_cast<std::uint32_t>(symbol));
  }
  if (symbol == kEndOfBlock) {
    return InflateEntry::of_kind(InflateEntry::end_of_block);
  }
  return range_entry(kLengthRanges, symbol - kFirstLengthSymbol);
}

}  // namespace

bool build(std::span<const std::uint8_t> lengths, LiteralTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  const CodeSet set = classify(counts);
  if (set != CodeSet::complete && set != CodeSet::single) {
    return false;
  }
  fill(lengths, counts, table, literal_or_length);
  merge_literals(table);
  return true;
}

bool build(std::span<const std::uint8_t> lengths, DistanceTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  if (classify(counts) == CodeSet::invalid) {
    return false;
  }
  fill(lengths, counts, table, [](std::size_t symbol) { return range_entry(kDistanceRanges, symbol); });
  return true;
}

bool build(std::span<const std::uint8_t> lengths, CodeLengthTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  if (classify(counts) != CodeSet::complete) {
    return false;
  }
  fill(lengths, counts, table,
       [](std::size_t symbol) { return InflateEntry::number(static_cast<std::uint32_t>(symbol), 0); });
  return true;
}

}  // namespace gpuimg::codecs

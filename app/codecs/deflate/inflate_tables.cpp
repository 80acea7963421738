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

/// Enters a code longer than first_bits(). `used` is where the next second table goes.
template <class Table>
void enter_long(Table& table, std::size_t& used, InflateEntry entry, std::uint32_t code, std::uint32_t length) {
  const std::size_t second_size = std::size_t{1} << table.second_bits();
  InflateEntry& first = table.entries[code & ((1U << table.first_bits()) - 1)];
  if (first.kind() != InflateEntry::second_table) {
    first = {InflateEntry::of_kind(InflateEntry::second_table).coded(table.first_bits()).bits |
             static_cast<std::uint32_t>(used) << 14};
    used += second_size;
  }
  const std::uint32_t rest = length - table.first_bits();
  for (std::size_t i = code >> table.first_bits(); i < second_size; i += std::size_t{1} << rest) {
    table.entries[first.value() + i] = entry.coded(rest);
  }
}

/// The first table grows with the code length: doubled, the table of the codes up to n bits serves for n + 1 bits.
template <class Table, class EntryOf>
void fill(std::span<const std::uint8_t> lengths, const LengthCounts& counts, Table& table, EntryOf entry_of) {
  const SortedSymbols sorted(lengths, counts);
  auto* const entries = table.entries.data();
  entries[0] = InflateEntry{};
  std::size_t used = std::size_t{1} << table.first_bits();
  std::uint32_t code = 0;
  std::size_t i = 0;
  for (std::uint32_t length = 1; length <= kMaxCodeBits; ++length, code <<= 1) {
    if (length <= table.first_bits()) {
      const std::size_t half = std::size_t{1} << (length - 1);
      std::copy_n(entries, half, entries + half);
    }
    for (const std::size_t end = i + counts[length]; i < end; ++i, ++code) {
      const InflateEntry entry = entry_of(sorted.symbols[i]);
      if (length <= table.first_bits()) {
        entries[reversed_code(code, length)] = entry.coded(length);
      } else {
        enter_long(table, used, entry, reversed_code(code, length), length);
      }
    }
  }
}

/// Merges up to kMost literals into one entry where the index covers more than one of their codes. Goes backward,
/// because the literals that follow are found at smaller indices, which must still hold single literals. Branch-free,
/// because the branches would be unpredictable.
template <std::uint32_t kMost>
void merge_literals(LiteralTable& table) {
  const std::uint32_t bits = table.first_bits();
  for (std::size_t i = std::size_t{1} << bits; i-- > 0;) {
    InflateEntry entry = table.entries[i];
    bool is_joined = entry.literals() == 1;
    for (std::uint32_t k = 1; k < kMost; ++k) {
      const InflateEntry next = table.entries[i >> entry.width()];
      is_joined &= next.literals() == 1 && entry.width() + next.width() <= bits;
      entry.bits = is_joined ? InflateEntry::joined(entry, next).bits : entry.bits;
    }
    table.entries[i] = entry;
  }
}

/// The entry of a length or distance symbol; impossible for symbols without a range.
template <std::size_t kSymbols>
InflateEntry range_entry(const std::array<SymbolRange, kSymbols>& ranges, std::size_t symbol) {
  return symbol < kSymbols ? InflateEntry::of_number(ranges[symbol].base, ranges[symbol].extra_bits) : InflateEntry{};
}

InflateEntry literal_or_length(std::size_t symbol) {
  if (symbol < kEndOfBlock) {
    return InflateEntry::of_literal(static_cast<std::uint32_t>(symbol));
  }
  if (symbol == kEndOfBlock) {
    return InflateEntry::of_kind(InflateEntry::end_of_block);
  }
  return range_entry(kLengthRanges, symbol - kFirstLengthSymbol);
}

/// The probability that `bits` bits begin with two literals, in units of 2^-kManyBits.
std::uint32_t share_of_pairs(const LengthCounts& literals, std::uint32_t bits) {
  std::uint32_t share = 0;
  for (std::uint32_t first = 1; first < bits; ++first) {
    for (std::uint32_t next = 1; first + next <= bits; ++next) {
      share += literals[first] * literals[next] << (LiteralTable::kManyBits - first - next);
    }
  }
  return share;
}

std::uint32_t first_bits_for(std::span<const std::uint8_t> lengths) {
  constexpr std::uint32_t kWorthMoreBits = (1U << LiteralTable::kManyBits) / 4;
  const LengthCounts literals = count_lengths(lengths.first(kEndOfBlock));
  const std::uint32_t more =
      share_of_pairs(literals, LiteralTable::kManyBits) - share_of_pairs(literals, LiteralTable::kFewBits);
  return more >= kWorthMoreBits ? LiteralTable::kManyBits : LiteralTable::kFewBits;
}

}  // namespace

bool build(std::span<const std::uint8_t> lengths, LiteralTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  const CodeSet set = classify(counts);
  if (set != CodeSet::complete && set != CodeSet::single) {
    return false;
  }
  table.chosen_bits = first_bits_for(lengths);
  fill(lengths, counts, table, literal_or_length);
  if (table.first_bits() == LiteralTable::kManyBits) {
    merge_literals<2>(table);  // three are rare where more bits are worth it
  } else {
    merge_literals<InflateEntry::kMaxLiterals>(table);
  }
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
       [](std::size_t symbol) { return InflateEntry::of_number(static_cast<std::uint32_t>(symbol), 0); });
  return true;
}

void join_matches(LiteralTable& literals, const DistanceTable& distances) {
  const std::uint32_t bits = literals.first_bits();
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    const InflateEntry length = literals.entries[i];
    const InflateEntry distance = distances.entries[(i >> length.width()) & ((1U << DistanceTable::first_bits()) - 1)];
    const bool is_match = length.literals() == 0 && length.kind() == InflateEntry::number &&
                          distance.kind() == InflateEntry::number && length.width() + distance.code_bits() <= bits;
    literals.entries[i] = is_match ? InflateEntry::of_match(length.value(i), length.width(), distance) : length;
  }
}

}  // namespace gpuimg::codecs

// Canonical Huffman codes to look-up tables: app/codecs/deflate/inflate_tables.hpp.
#include "codecs/deflate/inflate_tables.hpp"

#include <algorithm>

namespace gpuimg {
namespace {

constexpr int kLongestCode = 15;

using LengthCounts = std::array<std::uint32_t, kLongestCode + 1>;

LengthCounts count_lengths(std::span<const std::uint8_t> lengths) {
  LengthCounts counts{};
  for (const std::uint8_t length : lengths) {
    ++counts[length];
  }
  counts[0] = 0;
  return counts;
}

enum class CodeSet { complete, single, empty, impossible };

CodeSet judge(const LengthCounts& counts) {
  std::int32_t unused = 1;
  std::uint32_t codes = 0;
  for (std::size_t length = 1; length < counts.size(); ++length) {
    unused = 2 * unused - static_cast<std::int32_t>(counts[length]);
    codes += counts[length];
    if (unused < 0) {
      return CodeSet::impossible;
    }
  }
  if (unused == 0) {
    return CodeSet::complete;
  }
  if (codes == 0) {
    return CodeSet::empty;
  }
  return codes == 1 && counts[1] == 1 ? CodeSet::single : CodeSet::impossible;
}

/// Deflate packs codes from their first bit on, so tables are addressed by the reversed code.
constexpr std::uint32_t reversed(std::uint32_t code, std::uint32_t length) {
  code = (code & 0x5555U) << 1 | (code >> 1 & 0x5555U);
  code = (code & 0x3333U) << 2 | (code >> 2 & 0x3333U);
  code = (code & 0x0F0FU) << 4 | (code >> 4 & 0x0F0FU);
  code = (code & 0x00FFU) << 8 | code >> 8;
  return code >> (16 - length);
}

/// Symbols with a code, shortest codes first.
struct SortedSymbols {
  std::array<std::uint16_t, 288> symbols;
  std::size_t size = 0;

  SortedSymbols(std::span<const std::uint8_t> lengths, const LengthCounts& counts) {
    std::array<std::size_t, kLongestCode + 1> next{};
    for (std::size_t length = 1; length <= kLongestCode; ++length) {
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

/// Enters a code longer than Table::kBits. `used`: where the next second table may begin.
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

/// The first table grows with the length of the codes: what codes of n bits are entered in is, doubled, the table for
/// codes of n + 1 bits.
template <class Table, class EntryOf>
void fill(std::span<const std::uint8_t> lengths, const LengthCounts& counts, Table& table, EntryOf entry_of) {
  const SortedSymbols sorted(lengths, counts);
  auto* const entries = table.entries.data();
  entries[0] = InflateEntry{};
  std::size_t used = std::size_t{1} << Table::kBits;
  std::uint32_t code = 0;
  std::size_t i = 0;
  for (std::uint32_t length = 1; length <= kLongestCode; ++length, code <<= 1) {
    if (length <= Table::kBits) {
      const std::size_t half = std::size_t{1} << (length - 1);
      std::copy_n(entries, half, entries + half);
    }
    for (const std::size_t end = i + counts[length]; i < end; ++i, ++code) {
      const InflateEntry entry = entry_of(sorted.symbols[i]);
      if (length <= Table::kBits) {
        entries[reversed(code, length)] = entry.coded(length);
      } else {
        enter_long(table, used, entry, reversed(code, length), length);
      }
    }
  }
}

/// Where the address decides on more literals than one, makes them one entry. From the end, because the literals that
/// follow are looked up at smaller addresses, which must still hold one literal each. Without branches, which nobody
/// could predict.
void join_literals(LiteralTable& table) {
  for (std::size_t i = std::size_t{1} << LiteralTable::kBits; i-- > 0;) {
    InflateEntry entry = table.entries[i];
    bool is_joined = entry.literals() == 1;
    for (std::uint32_t k = 1; k < InflateEntry::kMostLiterals; ++k) {
      const InflateEntry next = table.entries[i >> entry.width()];
      is_joined &= next.literals() == 1 && entry.width() + next.width() <= LiteralTable::kBits;
      entry.bits = is_joined ? InflateEntry::joined(entry, next).bits : entry.bits;
    }
    table.entries[i] = entry;
  }
}

/// Base value and extra bits of each symbol: every group of `in_group` symbols has one extra bit more than the last.
template <std::size_t kSymbols>
constexpr std::array<InflateEntry, kSymbols> numbers(std::uint32_t first, std::size_t in_group) {
  std::array<InflateEntry, kSymbols> entries{};
  std::uint32_t value = first;
  for (std::size_t i = 0; i < kSymbols; ++i) {
    const auto extra_bits = static_cast<std::uint32_t>(i < in_group ? 0 : i / in_group - 1);
    entries[i] = InflateEntry::number(value, extra_bits);
    value += 1U << extra_bits;
  }
  return entries;
}

InflateEntry literal_or_length(std::size_t symbol) {
  constexpr auto kLengths = numbers<28>(3, 4);
  constexpr std::size_t kEndOfBlock = 256;
  constexpr std::size_t kLongest = 285;
  if (symbol < kEndOfBlock) {
    return InflateEntry::literal(static_cast<std::uint32_t>(symbol));
  }
  if (symbol == kEndOfBlock) {
    return InflateEntry::of_kind(InflateEntry::end_of_block);
  }
  if (symbol < kLongest) {
    return kLengths[symbol - kEndOfBlock - 1];
  }
  return symbol == kLongest ? InflateEntry::number(258, 0) : InflateEntry{};
}

}  // namespace

bool build(std::span<const std::uint8_t> lengths, LiteralTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  const CodeSet set = judge(counts);
  if (set != CodeSet::complete && set != CodeSet::single) {
    return false;
  }
  fill(lengths, counts, table, literal_or_length);
  join_literals(table);
  return true;
}

bool build(std::span<const std::uint8_t> lengths, DistanceTable& table) {
  constexpr auto kDistances = numbers<30>(1, 2);
  const LengthCounts counts = count_lengths(lengths);
  if (judge(counts) == CodeSet::impossible) {
    return false;
  }
  fill(lengths, counts, table,
       [&](std::size_t symbol) { return symbol < kDistances.size() ? kDistances[symbol] : InflateEntry{}; });
  return true;
}

bool build(std::span<const std::uint8_t> lengths, LengthCodeTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  if (judge(counts) != CodeSet::complete) {
    return false;
  }
  fill(lengths, counts, table,
       [](std::size_t symbol) { return InflateEntry::number(static_cast<std::uint32_t>(symbol), 0); });
  return true;
}

}  // namespace gpuimg

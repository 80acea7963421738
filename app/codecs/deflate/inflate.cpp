// Refills the input, builds tables from canonical Huffman codes (RFC 1951, section 3.2.2), and reads block headers,
// code lengths and stored blocks (sections 3.2.3 to 3.2.7). The inner loop is in inflate_symbols.cpp.
#include "codecs/deflate/inflate.hpp"

namespace gpuimg::codecs::deflate {
namespace {

using CodeLengthTable = InflateTable<kMaxCodeLengthBits, kMaxCodeLengthBits, kCodeLengthSymbols>;
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

/// The symbols that have a code, sorted by code length.
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

/// Adds a code longer than first_bits(). `used` is the number of entries in use, and so the offset of the
/// next second table.
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

/// Builds the first table one code length at a time: two copies of the table for codes of up to n bits form a table for
/// n + 1 bits.
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

/// Merges up to kMost literals into one entry if the index covers the codes of more than one. Goes from high to low
/// indices: the next literal is looked up at a smaller index, where the entry must still hold a single literal.
/// Branch-free, because the branches would be unpredictable.
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

/// The entry of a length or distance symbol. Symbols without a range get an entry for an impossible code.
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

/// The probability that `bits` bits begin with the codes of two literals, in units of 2^-kManyBits.
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

/// The three build() functions take the code length of each symbol, 0 for symbols without a code. They return false for
/// the sets of lengths that zlib rejects: over-subscribed sets, and most incomplete sets. Two kinds of incomplete sets
/// are allowed: a single code of one bit (for literals and for distances), and no codes (for distances).
bool build(std::span<const std::uint8_t> lengths, LiteralTable& table) {
  const LengthCounts counts = count_lengths(lengths);
  const CodeSet set = classify(counts);
  if (set != CodeSet::complete && set != CodeSet::single) {
    return false;
  }
  table.chosen_bits = first_bits_for(lengths);
  fill(lengths, counts, table, literal_or_length);
  if (table.first_bits() == LiteralTable::kManyBits) {
    merge_literals<2>(table);  // with many bits, three literals per entry are rare
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

/// Merges a length and the distance that follows into one entry, if the first table's index covers both codes.
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

constexpr std::size_t kStoredBufferBytes = 4096;

struct FixedTables {
  LiteralTable literals;
  DistanceTable distances;

  FixedTables() {
    std::array<std::uint8_t, kFixedDistanceSymbols> distance_lengths;
    distance_lengths.fill(kFixedDistanceLength);
    (void)build(kFixedLiteralLengths, literals);
    (void)build(distance_lengths, distances);
    join_matches(literals, distances);
  }
};

/// Built once, because building tables for each block would cost more than decoding a very short block.
const FixedTables& fixed_tables() {
  static const FixedTables tables;
  return tables;
}

}  // namespace

void InflateInput::move_to(std::uint64_t position) {
  const std::uint64_t byte = position / 8;
  const std::uint64_t buffered = gathered_ - static_cast<std::uint64_t>(end_ - buffer_.data());
  if (byte >= buffered && byte + kReserve <= gathered_) {
    bits = {buffer_.data() + (byte - buffered)};
  } else {
    gather_from(byte);
  }
  bits.refill();
  bits.consume(static_cast<std::uint32_t>(position % 8));
}

void InflateInput::gather_from(std::uint64_t byte) {
  gathered_ = byte;
  end_ = buffer_.data();
  bits = {end_};
  gather();
}

void InflateInput::gather() {
  // Keeps the bytes already loaded into `bits`, because align() can return to them.
  const std::uint8_t* const begin = std::min(bits.byte(), end_);
  const auto ahead = static_cast<std::size_t>(bits.next - begin);
  const auto kept = static_cast<std::size_t>(end_ - begin);
  if (kept > 0) {
    std::memmove(buffer_.data(), begin, kept);
  }
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBufferBytes - kept, size_ - gathered_));
  const std::size_t count =
      wanted > 0 ? stream_.read(gathered_, std::as_writable_bytes(std::span(buffer_)).subspan(kept, wanted)) : 0;
  gathered_ += count;
  size_ = count < wanted ? gathered_ : size_;
  const std::size_t size = kept + count;
  std::memset(buffer_.data() + size, 0, buffer_.size() - size);
  bits.next = buffer_.data() + ahead;
  end_ = buffer_.data() + size;
  // After the end of a damaged stream, reads may return zeros for a while, but they must not go past the buffer.
  limit_ = gathered_ == size_ ? end_ + kReserve : end_ - kReserve;
}

void InflateInput::align() { bits = {bits.byte()}; }

std::size_t InflateInput::copy(std::uint8_t* to, std::size_t count) {
  if (bits.next >= end_) {
    gather();
  }
  const std::size_t size = bits.next < end_ ? std::min(count, static_cast<std::size_t>(end_ - bits.next)) : 0;
  std::memcpy(to, bits.next, size);
  bits.next += size;
  return size;
}

void InflateBlocks::move_to(std::uint64_t position, bool is_after_last) {
  input.move_to(position);
  stage_ = is_after_last ? Stage::ended : Stage::header;
}

void InflateBlocks::read_header() {
  input.bits.refill();
  is_last_ = input.bits.take(1) != 0;
  const auto type = static_cast<BlockType>(input.bits.take(2));
  if (type == BlockType::stored) {
    read_stored_length();
    return;
  }
  is_fixed_ = type == BlockType::fixed;
  const bool is_sound = is_fixed_ || (type == BlockType::dynamic && read_code_lengths());
  stage_ = is_sound ? Stage::coded : Stage::damaged;
}

void InflateBlocks::read_stored_length() {
  input.align();
  input.bits.refill();
  const std::uint32_t size = input.bits.take(16);
  const std::uint32_t check = input.bits.take(16);
  input.align();
  stored_left_ = size;
  stage_ = (size ^ check) == 0xFFFFU ? Stage::stored : Stage::damaged;
}

bool InflateBlocks::read_code_lengths() {
  const std::size_t literal_count = input.bits.take(5) + kFirstLengthSymbol;
  const std::size_t distance_count = input.bits.take(5) + 1;
  const std::size_t code_count = input.bits.take(4) + 4;
  if (literal_count > kLiteralSymbols || distance_count > kDistanceSymbols) {
    return false;
  }
  std::array<std::uint8_t, kCodeLengthSymbols> code_lengths{};
  for (std::size_t i = 0; i < code_count; ++i) {
    input.bits.refill();
    code_lengths[kCodeLengthOrder[i]] = static_cast<std::uint8_t>(input.bits.take(3));
  }
  CodeLengthTable codes;
  if (!build(code_lengths, codes)) {
    return false;
  }
  std::array<std::uint8_t, kLiteralSymbols + kDistanceSymbols> lengths{};
  const std::size_t total = literal_count + distance_count;
  for (std::size_t i = 0; i < total;) {
    input.bits.refill();
    const InflateEntry entry = codes.entries[input.bits.peek(CodeLengthTable::first_bits())];
    input.bits.consume(entry.width());
    const std::uint32_t symbol = entry.value();
    if (symbol < kRepeatPrevious) {
      lengths[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    const SymbolRange range = kRunRanges[symbol - kRepeatPrevious];
    const std::size_t run = range.base + input.bits.take(range.extra_bits);
    if (run > total - i || (symbol == kRepeatPrevious && i == 0)) {
      return false;
    }
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), run,
                symbol == kRepeatPrevious ? lengths[i - 1] : std::uint8_t{0});
    i += run;
  }
  const std::span all(lengths);
  const bool is_sound = lengths[kEndOfBlock] != 0 && build(all.first(literal_count), literals_) &&
                        build(all.subspan(literal_count, distance_count), distances_);
  if (is_sound) {
    join_matches(literals_, distances_);
  }
  return is_sound;
}

template <class Out>
Out* InflateBlocks::copy_stored(Out* out, const Out* end) {
  std::array<std::uint8_t, kStoredBufferBytes> bytes;
  while (stored_left_ > 0 && out < end) {
    const std::size_t size =
        input.copy(bytes.data(), std::min({stored_left_, static_cast<std::size_t>(end - out), bytes.size()}));
    if (size == 0) {
      stage_ = Stage::damaged;
      return out;
    }
    out = std::copy_n(bytes.begin(), size, out);
    stored_left_ -= size;
  }
  if (stored_left_ == 0) {
    stage_ = after_block();
  }
  return out;
}

template <class Out>
Out* InflateBlocks::decode(const Out* oldest, Out* out, const Out* end) {
  const SymbolRun<Out> run =
      is_fixed_ ? inflate_symbols(input, {fixed_tables().literals, fixed_tables().distances}, oldest, out, end)
                : inflate_symbols(input, {literals_, distances_}, oldest, out, end);
  switch (run.ending) {
    case SymbolsEnd::interrupted: break;
    case SymbolsEnd::end_of_block: stage_ = after_block(); break;
    case SymbolsEnd::damaged: stage_ = Stage::damaged; break;
  }
  return run.out;
}

template <class Out>
Out* InflateBlocks::advance(const Out* oldest, Out* out, const Out* end) {
  if (input.bits.next > input.limit()) {
    input.gather();
  }
  switch (stage_) {
    case Stage::header: read_header(); break;
    case Stage::stored: out = copy_stored(out, end); break;
    case Stage::coded: out = decode(oldest, out, end); break;
    case Stage::ended:
    case Stage::damaged: break;
  }
  if (input.is_overrun()) {
    stage_ = Stage::damaged;
  }
  return out;
}

template std::uint8_t* InflateBlocks::advance(const std::uint8_t*, std::uint8_t*, const std::uint8_t*);
template std::uint16_t* InflateBlocks::advance(const std::uint16_t*, std::uint16_t*, const std::uint16_t*);

}  // namespace gpuimg::codecs::deflate

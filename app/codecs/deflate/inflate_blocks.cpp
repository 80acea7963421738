// Block headers, code lengths and stored blocks. RFC 1951, sections 3.2.3 to 3.2.7.
#include "codecs/deflate/inflate_blocks.hpp"

#include <algorithm>
#include <array>

#include "codecs/deflate/inflate_symbols.hpp"
#include "codecs/deflate/rfc1951.hpp"

namespace gpuimg::codecs {
namespace {

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

/// Built once: a block of ten bits must not cost as much as its tables.
const FixedTables& fixed_tables() {
  static const FixedTables tables;
  return tables;
}

}  // namespace

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

}  // namespace gpuimg::codecs

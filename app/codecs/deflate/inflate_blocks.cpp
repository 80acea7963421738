// Blocks, their codes and what they hold: app/codecs/deflate/inflate_blocks.hpp.
#include "codecs/deflate/inflate_blocks.hpp"

#include <algorithm>
#include <array>

#include "codecs/deflate/inflate_symbols.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kLiteralCodes = 288;
constexpr std::size_t kDistanceCodes = 32;
constexpr std::size_t kStoredAtOnce = 4096;

}  // namespace

void DeflateBlocks::move_to(std::uint64_t position, bool is_behind_last) {
  input.move_to(position);
  stage_ = is_behind_last ? Stage::ended : Stage::header;
}

void DeflateBlocks::read_header() {
  input.bits.refill();
  is_last_ = input.bits.take(1) != 0;
  const std::uint32_t type = input.bits.take(2);
  if (type == 0) {
    read_stored_length();
    return;
  }
  is_fixed_ = type == 1;
  const bool is_sound = is_fixed_ || (type == 2 && read_code_lengths());
  stage_ = is_sound ? Stage::coded : Stage::damaged;
}

void DeflateBlocks::read_stored_length() {
  input.align();
  input.bits.refill();
  const std::uint32_t size = input.bits.take(16);
  const std::uint32_t check = input.bits.take(16);
  input.align();
  stored_left_ = size;
  stage_ = (size ^ check) == 0xFFFFU ? Stage::stored : Stage::damaged;
}

namespace {

struct FixedTables {
  LiteralTable literals;
  DistanceTable distances;

  FixedTables();
};

FixedTables::FixedTables() {
  std::array<std::uint8_t, kLiteralCodes> lengths;
  std::fill_n(lengths.begin(), 144, std::uint8_t{8});
  std::fill_n(lengths.begin() + 144, 112, std::uint8_t{9});
  std::fill_n(lengths.begin() + 256, 24, std::uint8_t{7});
  std::fill_n(lengths.begin() + 280, 8, std::uint8_t{8});
  std::array<std::uint8_t, kDistanceCodes> fives;
  fives.fill(5);
  (void)build(lengths, literals);
  (void)build(fives, distances);
}

/// Built once: a block of ten bits must not cost as much as its tables.
const FixedTables& fixed_tables() {
  static const FixedTables tables;
  return tables;
}

}  // namespace

bool DeflateBlocks::read_code_lengths() {
  constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const std::size_t literal_count = input.bits.take(5) + 257;
  const std::size_t distance_count = input.bits.take(5) + 1;
  const std::size_t code_count = input.bits.take(4) + 4;
  if (literal_count > 286 || distance_count > 30) {
    return false;
  }
  std::array<std::uint8_t, 19> code_lengths{};
  for (std::size_t i = 0; i < code_count; ++i) {
    input.bits.refill();
    code_lengths[kOrder[i]] = static_cast<std::uint8_t>(input.bits.take(3));
  }
  LengthCodeTable codes;
  if (!build(code_lengths, codes)) {
    return false;
  }
  std::array<std::uint8_t, kLiteralCodes + kDistanceCodes> lengths{};
  const std::size_t total = literal_count + distance_count;
  for (std::size_t i = 0; i < total;) {
    input.bits.refill();
    const InflateEntry entry = codes.entries[input.bits.peek(LengthCodeTable::kBits)];
    input.bits.consume(entry.width());
    const std::uint32_t symbol = entry.value();
    if (symbol < 16) {
      lengths[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    const std::size_t repeats = symbol == 16   ? 3 + input.bits.take(2)
                                : symbol == 17 ? 3 + input.bits.take(3)
                                               : 11 + input.bits.take(7);
    if (repeats > total - i || (symbol == 16 && i == 0)) {
      return false;
    }
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), repeats,
                symbol == 16 ? lengths[i - 1] : std::uint8_t{0});
    i += repeats;
  }
  constexpr std::size_t kEndOfBlock = 256;
  const std::span all(lengths);
  return lengths[kEndOfBlock] != 0 && build(all.first(literal_count), literals_) &&
         build(all.subspan(literal_count, distance_count), distances_);
}

template <class Out>
Out* DeflateBlocks::copy_stored(Out* out, const Out* end) {
  std::array<std::uint8_t, kStoredAtOnce> bytes;
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
Out* DeflateBlocks::decode(const Out* oldest, Out* out, const Out* end) {
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
Out* DeflateBlocks::advance(const Out* oldest, Out* out, const Out* end) {
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

template std::uint8_t* DeflateBlocks::advance(const std::uint8_t*, std::uint8_t*, const std::uint8_t*);
template std::uint16_t* DeflateBlocks::advance(const std::uint16_t*, std::uint16_t*, const std::uint16_t*);

}  // namespace gpuimg

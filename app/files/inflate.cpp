// Inflate: blocks, symbols and copies. app/files/inflate.hpp says what is accepted.
#include "files/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "files/inflate_input.hpp"
#include "files/inflate_tables.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kLiteralCodes = 288;
constexpr std::size_t kDistanceCodes = 32;

constexpr std::size_t kStep = 16;

inline void copy_step(std::uint8_t* to, const std::uint8_t* from) {
  std::array<std::uint8_t, kStep> step;
  std::memcpy(step.data(), from, kStep);
  std::memcpy(to, step.data(), kStep);
}

/// A period shorter than a step is doubled until it is not.
inline std::uint8_t* double_period(std::uint8_t* out, std::size_t& distance) {
  while (distance < kStep) {
    copy_step(out, out - distance);
    out += distance;
    distance *= 2;
  }
  return out;
}

/// Copies `count` bytes from `distance` bytes back, which may overlap; writes up to 2 * kStep bytes beyond.
inline void copy_back(std::uint8_t* out, std::size_t distance, std::size_t count) {
  const std::uint8_t* const end = out + count;
  if (distance < kStep) [[unlikely]] {
    out = double_period(out, distance);
  }
  copy_step(out, out - distance);
  for (out += kStep; out < end; out += kStep) {
    copy_step(out, out - distance);
  }
}

/// Writes one to three literals: always four bytes.
inline std::uint8_t* put(std::uint8_t* out, InflateEntry entry) {
  const std::uint32_t all = entry.bits >> 8;
  std::memcpy(out, &all, sizeof all);
  return out + entry.literals();
}

template <class Table>
inline InflateEntry next_entry(const Table& table, const InflateBits& bits) {
  return table.entries[bits.peek(Table::kBits)];
}

/// The same where the first table does not decide. Consumes what the first table took.
template <class Table>
inline InflateEntry resolved(InflateEntry entry, const Table& table, InflateBits& bits) {
  if (entry.kind() == InflateEntry::second_table) {
    bits.consume(entry.width());
    entry = table.entries[entry.value() + bits.peek(Table::kSecondBits)];
  }
  return entry;
}

enum class Stage { stream_header, block_header, stored, coded, trailer, ended, damaged };

}  // namespace

struct Inflater::State {
  explicit State(std::span<const ByteSpan> pieces) : input(pieces) {}

  void read_stream_header();
  void read_block_header();
  void read_stored_length();
  bool read_code_lengths();
  bool build_fixed();
  std::uint8_t* copy_stored(std::uint8_t* out, const std::uint8_t* end);
  std::uint8_t* decode(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end);
  void read_trailer();
  [[nodiscard]] Stage after_block() const { return is_last_block ? Stage::trailer : Stage::block_header; }

  InflateInput input;
  Stage stage = Stage::stream_header;
  bool is_last_block = false;
  std::size_t stored_left = 0;
  std::uint32_t adler = 0;
  LiteralTable literals;
  DistanceTable distances;
};

void Inflater::State::read_stream_header() {
  input.bits.refill();
  const std::uint32_t first = input.bits.take(8);
  const std::uint32_t second = input.bits.take(8);
  constexpr std::uint32_t kDeflateWith32Kib = 0x78;
  constexpr std::uint32_t kHasDictionary = 0x20;
  const bool is_known =
      first == kDeflateWith32Kib && (second & kHasDictionary) == 0 && (first * 256 + second) % 31 == 0;
  stage = is_known ? Stage::block_header : Stage::damaged;
}

void Inflater::State::read_block_header() {
  input.bits.refill();
  is_last_block = input.bits.take(1) != 0;
  bool is_sound = true;
  switch (input.bits.take(2)) {
    case 0: read_stored_length(); return;
    case 1: is_sound = build_fixed(); break;
    case 2: is_sound = read_code_lengths(); break;
    default: is_sound = false; break;
  }
  stage = is_sound ? Stage::coded : Stage::damaged;
}

void Inflater::State::read_stored_length() {
  input.align();
  input.bits.refill();
  const std::uint32_t size = input.bits.take(16);
  const std::uint32_t check = input.bits.take(16);
  input.align();
  stored_left = size;
  stage = (size ^ check) == 0xFFFFU ? Stage::stored : Stage::damaged;
}

bool Inflater::State::build_fixed() {
  std::array<std::uint8_t, kLiteralCodes> lengths;
  std::fill_n(lengths.begin(), 144, std::uint8_t{8});
  std::fill_n(lengths.begin() + 144, 112, std::uint8_t{9});
  std::fill_n(lengths.begin() + 256, 24, std::uint8_t{7});
  std::fill_n(lengths.begin() + 280, 8, std::uint8_t{8});
  std::array<std::uint8_t, kDistanceCodes> fives;
  fives.fill(5);
  return build(lengths, literals) && build(fives, distances);
}

bool Inflater::State::read_code_lengths() {
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
  return lengths[kEndOfBlock] != 0 && build(all.first(literal_count), literals) &&
         build(all.subspan(literal_count, distance_count), distances);
}

std::uint8_t* Inflater::State::copy_stored(std::uint8_t* out, const std::uint8_t* end) {
  while (stored_left > 0 && out < end) {
    const std::size_t size = input.copy(out, std::min(stored_left, static_cast<std::size_t>(end - out)));
    if (size == 0) {
      stage = Stage::damaged;
      return out;
    }
    out += size;
    stored_left -= size;
  }
  if (stored_left == 0) {
    stage = after_block();
  }
  return out;
}

/// Symbols until the block, the input at hand or the room ends. `stage` says afterwards which: it stays `coded` for the
/// latter two.
std::uint8_t* Inflater::State::decode(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end) {
  InflateBits bits = input.bits;
  const std::uint8_t* const limit = input.limit();
  bits.refill();
  InflateEntry entry = next_entry(literals, bits);
  while (out < end && bits.next <= limit) {
    // Up to 33 of the 56 bits go to literals; a length takes 20, a distance 28.
    for (int i = 0; i < 2 && entry.literals() != 0; ++i) {
      out = put(out, entry);
      bits.consume(entry.width());
      entry = next_entry(literals, bits);
    }
    if (entry.literals() == 0) {
      entry = resolved(entry, literals, bits);
    }
    const std::uint64_t stream = bits.bits;
    bits.consume(entry.width());
    bits.refill();
    if (entry.literals() != 0) {
      out = put(out, entry);
      entry = next_entry(literals, bits);
      continue;
    }
    if (entry.kind() != InflateEntry::base) {
      stage = entry.kind() == InflateEntry::end_of_block ? after_block() : Stage::damaged;
      break;
    }
    const std::size_t count = entry.value(stream);
    entry = resolved(next_entry(distances, bits), distances, bits);
    const std::size_t distance = entry.value(bits.bits);
    if (entry.kind() != InflateEntry::base || distance > static_cast<std::size_t>(out - oldest)) {
      stage = Stage::damaged;
      break;
    }
    bits.consume(entry.width());
    bits.refill();
    entry = next_entry(literals, bits);
    copy_back(out, distance, count);
    out += count;
  }
  input.bits = bits;
  return out;
}

void Inflater::State::read_trailer() {
  input.align();
  input.bits.refill();
  for (int i = 0; i < 4; ++i) {
    adler = adler << 8 | input.bits.take(8);
  }
  stage = input.is_at_end() ? Stage::ended : Stage::damaged;
}

Inflater::Inflater(std::span<const ByteSpan> pieces) : state_(std::make_unique<State>(pieces)) {}
Inflater::~Inflater() = default;

bool Inflater::has_ended() const { return state_->stage == Stage::ended; }
std::uint32_t Inflater::declared_adler() const { return state_->adler; }

std::uint8_t* Inflater::run(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end) {
  State& state = *state_;
  while (out < end && state.stage != Stage::ended) {
    if (state.input.bits.next > state.input.limit()) {
      state.input.gather();
    }
    switch (state.stage) {
      case Stage::stream_header: state.read_stream_header(); break;
      case Stage::block_header: state.read_block_header(); break;
      case Stage::stored: out = state.copy_stored(out, end); break;
      case Stage::coded: out = state.decode(oldest, out, end); break;
      case Stage::trailer: state.read_trailer(); break;
      case Stage::ended: break;
      case Stage::damaged: return nullptr;
    }
    if (state.input.is_overrun()) {
      state.stage = Stage::damaged;
    }
  }
  return out;
}

}  // namespace gpuimg

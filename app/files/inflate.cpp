// Inflate: the stream and its blocks. app/files/inflate.hpp says what is accepted.
#include "files/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "files/inflate_input.hpp"
#include "files/inflate_symbols.hpp"
#include "files/inflate_tables.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kLiteralCodes = 288;
constexpr std::size_t kDistanceCodes = 32;

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

std::uint8_t* Inflater::State::decode(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end) {
  const SymbolRun run = inflate_symbols(input, {literals, distances}, oldest, out, end);
  switch (run.ending) {
    case SymbolRun::interrupted: break;
    case SymbolRun::end_of_block: stage = after_block(); break;
    case SymbolRun::damaged: stage = Stage::damaged; break;
  }
  return run.out;
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

// The zlib header and trailer around the blocks. RFC 1950, section 2.2.
#include "codecs/deflate/inflate.hpp"

#include <limits>

#include "codecs/deflate/inflate_blocks.hpp"

namespace gpuimg::codecs {

struct Inflater::State {
  enum class Stage : std::uint8_t { header, blocks, trailer, ended, damaged };

  explicit State(const RandomAccess& stream) : blocks(stream) {}

  void read_header();
  std::uint8_t* read_blocks(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end);
  void read_trailer();
  [[nodiscard]] bool is_paused() const {
    return stage == Stage::blocks && blocks.stage() == InflateBlocks::Stage::header &&
           blocks.input.position() >= pause_position;
  }

  InflateBlocks blocks;
  Stage stage = Stage::header;
  std::uint64_t pause_position = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t adler = 0;
};

void Inflater::State::read_header() {
  InflateBits& bits = blocks.input.bits;
  bits.refill();
  const std::uint32_t first = bits.take(8);
  const std::uint32_t second = bits.take(8);
  constexpr std::uint32_t kDeflateWith32Kib = 0x78;
  constexpr std::uint32_t kHasDictionary = 0x20;
  const bool is_known =
      first == kDeflateWith32Kib && (second & kHasDictionary) == 0 && (first * 256 + second) % 31 == 0;
  stage = is_known && !blocks.input.is_overrun() ? Stage::blocks : Stage::damaged;
}

std::uint8_t* Inflater::State::read_blocks(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end) {
  out = blocks.advance(oldest, out, end);
  if (blocks.stage() == InflateBlocks::Stage::ended) {
    stage = Stage::trailer;
  } else if (blocks.stage() == InflateBlocks::Stage::damaged) {
    stage = Stage::damaged;
  }
  return out;
}

void Inflater::State::read_trailer() {
  InflateInput& input = blocks.input;
  if (input.bits.next > input.limit()) {
    input.gather();
  }
  input.align();
  input.bits.refill();
  for (int i = 0; i < 4; ++i) {
    adler = adler << 8 | input.bits.take(8);
  }
  stage = input.is_at_end() && !input.is_overrun() ? Stage::ended : Stage::damaged;
}

Inflater::Inflater(const RandomAccess& stream) : state_(std::make_unique<State>(stream)) {}
Inflater::~Inflater() = default;

bool Inflater::has_ended() const { return state_->stage == State::Stage::ended; }
std::uint32_t Inflater::declared_adler() const { return state_->adler; }

void Inflater::pause_at(std::uint64_t position) { state_->pause_position = position; }
bool Inflater::is_paused() const { return state_->is_paused(); }
std::uint64_t Inflater::position() const { return state_->blocks.input.position(); }

void Inflater::move_to(std::uint64_t position, bool is_after_last) {
  state_->blocks.move_to(position, is_after_last);
  state_->stage = is_after_last ? State::Stage::trailer : State::Stage::blocks;
}

std::uint8_t* Inflater::run(const std::uint8_t* oldest, std::uint8_t* out, const std::uint8_t* end) {
  using Stage = State::Stage;
  State& state = *state_;
  while (out < end && state.stage != Stage::ended && !state.is_paused()) {
    switch (state.stage) {
      case Stage::header: state.read_header(); break;
      case Stage::blocks: out = state.read_blocks(oldest, out, end); break;
      case Stage::trailer: state.read_trailer(); break;
      case Stage::ended:
      case Stage::damaged: return nullptr;
    }
  }
  return state.stage == Stage::damaged ? nullptr : out;
}

}  // namespace gpuimg::codecs

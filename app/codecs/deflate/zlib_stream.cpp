// Reads the header and trailer of a zlib stream (RFC 1950, section 2.2), and computes the checksums (section 8).
#include "codecs/deflate/zlib_stream.hpp"

#include <isa-l.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "codecs/deflate/inflate.hpp"

namespace gpuimg::codecs::deflate {
namespace {

/// ISA-L counts in unsigned char.
const unsigned char* unsigned_data(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

constexpr std::size_t kHeaderBytes = 2;

bool has_header(ByteSpan zlib) {
  constexpr std::uint32_t kMethodMask = 15;
  constexpr std::uint32_t kDeflate = 8;
  constexpr std::uint32_t kHasDictionary = 0x20;
  return zlib.size() >= kHeaderBytes && (u8_at(zlib, 0) & kMethodMask) == kDeflate &&
         (u8_at(zlib, 1) & kHasDictionary) == 0 && u16be_at(zlib, 0) % 31 == 0;
}

}  // namespace

std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return isal_adler32(so_far, unsigned_data(bytes), bytes.size());
}

std::uint32_t adler32_combined(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  constexpr std::uint64_t kModulus = 65521;
  const std::uint64_t first_sum = first & 0xFFFFU;
  const std::uint64_t low = first_sum + (second & 0xFFFFU) + kModulus - 1;
  const std::uint64_t high = (first >> 16) + (second >> 16) + (second_size % kModulus) * (first_sum + kModulus - 1);
  return static_cast<std::uint32_t>((high % kModulus) << 16 | low % kModulus);
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return crc32_gzip_refl(so_far, unsigned_data(bytes), bytes.size());
}

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

ZlibStream::ZlibStream(ByteSpan zlib)
    : deflated_(has_header(zlib) ? zlib.subspan(kHeaderBytes) : ByteSpan()),
      blocks_(std::make_unique<InflateBlocks>(in_memory(deflated_))) {}

ZlibStream::~ZlibStream() = default;

std::vector<std::byte> ZlibStream::inflate(std::size_t size) {
  using Stage = InflateBlocks::Stage;
  std::vector<std::byte> output(size + Inflater::kOvershoot);
  auto* const begin = reinterpret_cast<std::uint8_t*>(output.data());
  std::uint8_t* out = begin;
  blocks_->move_to(0);
  while (out < begin + size && blocks_->stage() != Stage::ended && blocks_->stage() != Stage::damaged) {
    out = blocks_->advance(begin, out, begin + size);
  }
  output.resize(blocks_->stage() == Stage::damaged ? 0 : static_cast<std::size_t>(out - begin));
  return output;
}

bool ZlibStream::ends_with_checksum_of(ByteSpan output) const {
  const std::uint64_t end = (blocks_->input.position() + 7) / 8;
  return blocks_->stage() == InflateBlocks::Stage::ended && end + 4 <= deflated_.size() &&
         u32be_at(deflated_, end) == adler32_of(output);
}

std::optional<std::uint64_t> zlib_stream_bytes(const RandomAccess& bytes, std::uint64_t max_size) {
  using Stage = InflateBlocks::Stage;
  constexpr std::size_t kOutputBytes = std::size_t{256} << 10;
  constexpr std::uint64_t kChecksumBytes = 4;
  std::array<std::byte, kHeaderBytes> header{};
  if (bytes.read(0, header) < header.size() || !has_header(header)) {
    return std::nullopt;
  }
  const auto owned = std::make_unique<InflateBlocks>(bytes);
  InflateBlocks& blocks = *owned;
  blocks.move_to(8 * kHeaderBytes);
  std::vector<std::uint8_t> memory(Inflater::kWindow + kOutputBytes + Inflater::kOvershoot);
  std::uint8_t* const begin = memory.data() + Inflater::kWindow;
  std::size_t known = 0;  // number of output bytes before `begin`
  for (std::uint64_t size = 0; blocks.stage() != Stage::ended;) {
    std::uint8_t* const out = blocks.advance(begin - known, begin, begin + kOutputBytes);
    const auto count = static_cast<std::size_t>(out - begin);
    size += count;
    if (blocks.stage() == Stage::damaged || size > max_size) {
      return std::nullopt;
    }
    known = std::min(Inflater::kWindow, known + count);
    std::memmove(begin - known, out - known, known);
  }
  const std::uint64_t end = (blocks.input.position() + 7) / 8 + kChecksumBytes;
  return end <= bytes.size ? std::optional(end) : std::nullopt;
}

std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t max_size) {
  constexpr std::size_t kFirstGuess = std::size_t{64} << 10;
  constexpr std::size_t kGrowth = 16;
  ZlibStream stream(zlib);
  for (std::size_t size = std::min(kFirstGuess, max_size);; size = std::min(size * kGrowth, max_size)) {
    // Asks for one byte more than `size`, because otherwise inflate would not reach the end of the stream.
    std::vector<std::byte> output = stream.inflate(size + 1);
    if (output.size() <= max_size && stream.ends_with_checksum_of(output)) {
      return output;
    }
    if (output.size() <= size || size == max_size) {  // the stream is damaged or too long
      return std::nullopt;
    }
  }
}

}  // namespace gpuimg::codecs::deflate

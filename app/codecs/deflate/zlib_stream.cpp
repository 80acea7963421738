// Inflates with the codecs' own inflate, from the start again if the output is larger than guessed.
#include "codecs/deflate/zlib_stream.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "codecs/deflate/checksums.hpp"
#include "codecs/deflate/inflate.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kHeaderBytes = 2;

bool has_header(ByteSpan zlib) {
  constexpr std::uint32_t kMethodMask = 15;
  constexpr std::uint32_t kDeflate = 8;
  constexpr std::uint32_t kHasDictionary = 0x20;
  return zlib.size() >= kHeaderBytes && (u8_at(zlib, 0) & kMethodMask) == kDeflate &&
         (u8_at(zlib, 1) & kHasDictionary) == 0 && u16be_at(zlib, 0) % 31 == 0;
}

}  // namespace

ZlibStream::ZlibStream(ByteSpan zlib)
    : deflated_(has_header(zlib) ? zlib.subspan(kHeaderBytes) : ByteSpan()),
      blocks_(std::make_unique<InflateBlocks>(in_memory(deflated_))) {}

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

std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t max_size) {
  constexpr std::size_t kFirstGuess = std::size_t{64} << 10;
  constexpr std::size_t kGrowth = 16;
  ZlibStream stream(zlib);
  for (std::size_t size = std::min(kFirstGuess, max_size);; size = std::min(size * kGrowth, max_size)) {
    // Asks for one byte more, to reach the end of a stream of `size` bytes.
    std::vector<std::byte> output = stream.inflate(size + 1);
    if (output.size() <= max_size && stream.ends_with_checksum_of(output)) {
      return output;
    }
    if (output.size() <= size || size == max_size) {  // the stream is damaged, or too long
      return std::nullopt;
    }
  }
}

}  // namespace gpuimg::codecs

// zlib streams through ISA-L.
#include "codecs/deflate/zlib_stream.hpp"

#include <isa-l.h>

#include <algorithm>
#include <memory>

namespace gpuimg {

Inflated inflate_zlib(ByteSpan zlib, std::span<std::byte> to) {
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(zlib.data()));  // ISA-L only reads it
  state->avail_in = static_cast<std::uint32_t>(zlib.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(to.data());
  state->avail_out = static_cast<std::uint32_t>(to.size());
  const bool sound = isal_inflate(state.get()) == ISAL_DECOMP_OK;
  return {to.size() - state->avail_out, sound, sound && state->block_state == ISAL_BLOCK_FINISH};
}

std::optional<std::vector<std::byte>> inflated_zlib(ByteSpan zlib, std::size_t most) {
  constexpr std::size_t kFirstTry = std::size_t{64} << 10;
  constexpr std::size_t kGrowth = 16;
  for (std::size_t room = std::min(kFirstTry, most);; room = std::min(room * kGrowth, most)) {
    std::vector<std::byte> bytes(room + 1);
    const Inflated whole = inflate_zlib(zlib, bytes);
    if (whole.complete && whole.size <= room) {
      bytes.resize(whole.size);
      return bytes;
    }
    if (!whole.sound || whole.size < bytes.size() || room == most) {
      return std::nullopt;
    }
  }
}

}  // namespace gpuimg

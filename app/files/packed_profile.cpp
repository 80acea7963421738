// Profiles through ISA-L: app/files/packed_profile.hpp.
#include "files/packed_profile.hpp"

#include <isa-l.h>

#include <array>
#include <memory>
#include <span>

#include "files/deflate_strips.hpp"
#include "files/icc_profile.hpp"
#include "files/joined_bytes.hpp"
#include "files/metadata.hpp"

namespace gpuimg {
namespace {

/// False if the stream is damaged. Stops where `to` is full, and shortens it where the stream is.
bool unpack(ByteSpan zlib, std::span<std::byte>& to) {
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(zlib.data()));  // ISA-L only reads it
  state->avail_in = static_cast<std::uint32_t>(zlib.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(to.data());
  state->avail_out = static_cast<std::uint32_t>(to.size());
  const int code = isal_inflate(state.get());
  const bool complete = state->block_state == ISAL_BLOCK_FINISH;
  const bool full = state->avail_out == 0;
  to = to.first(to.size() - state->avail_out);
  return code == ISAL_DECOMP_OK && (complete || full);
}

}  // namespace

std::vector<std::byte> unpacked_profile(ByteSpan zlib) {
  std::array<std::byte, 4> size_field{};
  std::span<std::byte> beginning(size_field);
  if (!unpack(zlib, beginning) || beginning.size() < size_field.size()) {
    return {};
  }
  const std::size_t size = u32be_at(size_field, 0);
  if (size < kIccHeaderBytes || size > kMaxIccBytes) {
    return {};
  }
  // One byte more than the profile has, so that ISA-L comes to the checksum of a stream that ends with it.
  std::vector<std::byte> profile(size + 1);
  std::span<std::byte> content(profile);
  if (!unpack(zlib, content)) {
    return {};
  }
  profile.resize(icc_profile_in(content).size());
  return profile;
}

std::vector<std::byte> packed_profile(ByteSpan profile) {
  constexpr int kLevel = 2;
  std::vector<std::byte> deflated(deflate_bound(profile.size()));
  const std::size_t size = StripDeflater(kLevel).deflate(profile, deflated, true);
  return joined({std::as_bytes(std::span(kZlibHeader)), ByteSpan(deflated).first(size), u32be(adler32_of(profile))});
}

}  // namespace gpuimg

// Profiles through ISA-L: app/files/packed_profile.hpp.
#include "files/packed_profile.hpp"

#include <isa-l.h>

#include <array>
#include <memory>
#include <span>

#include "files/checksums.hpp"
#include "files/deflate.hpp"
#include "files/icc_profile.hpp"
#include "files/joined_bytes.hpp"
#include "files/metadata.hpp"

namespace gpuimg {
namespace {

struct Inflated {
  std::size_t size = 0;
  bool sound = false;     ///< as far as it was looked at
  bool complete = false;  ///< and its checksum is right
};

/// Stops where `to` is full.
Inflated inflate(ByteSpan zlib, std::span<std::byte> to) {
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

}  // namespace

std::vector<std::byte> unpacked_profile(ByteSpan zlib) {
  std::array<std::byte, 4> size_field{};
  const Inflated beginning = inflate(zlib, size_field);
  if (!beginning.sound || beginning.size < size_field.size()) {
    return {};
  }
  const std::size_t size = u32be_at(size_field, 0);
  if (size < kIccHeaderBytes || size > kMaxIccBytes) {
    return {};
  }
  // One byte more than the profile has, so that ISA-L comes to the checksum behind it.
  std::vector<std::byte> profile(size + 1);
  const Inflated whole = inflate(zlib, profile);
  profile.pop_back();
  if (!whole.complete || whole.size != size || icc_profile_in(profile).empty()) {
    return {};
  }
  return profile;
}

std::vector<std::byte> packed_profile(ByteSpan profile) {
  constexpr int kLevel = 2;
  std::vector<std::byte> deflated(deflate_bound(profile.size()));
  const std::size_t size = StripDeflater(kLevel).deflate(profile, deflated, true);
  return joined({std::as_bytes(std::span(kZlibHeader)), ByteSpan(deflated).first(size), u32be(adler32_of(profile))});
}

}  // namespace gpuimg

// Compresses and decompresses ICC profiles.
#include "codecs/metadata/compressed_icc.hpp"

#include <array>
#include <span>

#include "codecs/deflate/checksums.hpp"
#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/joined_bytes.hpp"
#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg {

std::vector<std::byte> unpacked_profile(ByteSpan zlib) {
  std::array<std::byte, 4> size_field{};
  const Inflated beginning = inflate_zlib(zlib, size_field);
  if (!beginning.sound || beginning.size < size_field.size()) {
    return {};
  }
  const std::size_t size = u32be_at(size_field, 0);
  if (size < kIccHeaderBytes || size > kMaxIccBytes) {
    return {};
  }
  // One byte more than the profile, so that ISA-L reaches the checksum after it.
  std::vector<std::byte> profile(size + 1);
  const Inflated whole = inflate_zlib(zlib, profile);
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

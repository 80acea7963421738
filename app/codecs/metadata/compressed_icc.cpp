// Inflates with a bound that the profile itself declares.
#include "codecs/metadata/compressed_icc.hpp"

#include <span>

#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/joined_bytes.hpp"
#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

std::vector<std::byte> decompressed_icc(ByteSpan zlib) {
  constexpr std::size_t kSizeFieldBytes = 4;
  deflate::ZlibStream stream(zlib);
  const std::vector<std::byte> beginning = stream.inflate(kSizeFieldBytes);
  if (beginning.size() < kSizeFieldBytes) {
    return {};
  }
  const std::size_t size = u32be_at(beginning, 0);
  if (size < kIccHeaderBytes || size > kMaxIccBytes) {
    return {};
  }
  // Asks for one byte more than the profile has, to reach the end of the stream.
  std::vector<std::byte> profile = stream.inflate(size + 1);
  if (profile.size() != size || !stream.ends_with_checksum_of(profile) || icc_profile_in(profile).empty()) {
    return {};
  }
  return profile;
}

std::vector<std::byte> compressed_icc(ByteSpan profile) {
  constexpr int kLevel = 2;
  std::vector<std::byte> deflated(deflate::deflate_bound(profile.size()));
  const std::size_t size = deflate::StripDeflater(kLevel).deflate(profile, deflated, true);
  return joined({std::as_bytes(std::span(deflate::kZlibHeader)), ByteSpan(deflated).first(size),
                 u32be(deflate::adler32_of(profile))});
}

}  // namespace gpuimg::codecs

// What a file declares about its image, before decoding. Nothing is checked: use it for planning, not for allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gpuimg::codecs {

struct DeclaredImage {
  std::uint64_t pixels = 0;  ///< 0 if unknown
  std::uint64_t bytes_per_pixel = 4;
  std::uint64_t decoder_bytes_per_pixel = 0;  ///< held by the decoder in addition
};

/// `bytes` may be only the beginning of a file. `name` matters for TGA, which has no signature.
DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name);

/// The same for the file at `path`; declares nothing if the file cannot be read.
DeclaredImage declared_image_in(const std::string& path);

}  // namespace gpuimg::codecs

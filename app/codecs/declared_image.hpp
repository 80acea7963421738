// What a file declares of its image, told before it is decoded. Nothing is checked: it serves to plan, not to trust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gpuimg {

struct DeclaredImage {
  std::uint64_t pixels = 0;  ///< 0 where the file does not say
  std::uint64_t bytes_per_pixel = 4;
  std::uint64_t decoder_bytes_per_pixel = 0;  ///< that the decoder keeps beside them
};

/// `bytes` may be the beginning of a file alone. `name` admits headerless TGA by its ending.
DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name);

/// The same from a file's beginning; nothing declared if it cannot be read.
DeclaredImage declared_image_in(const std::string& path);

}  // namespace gpuimg

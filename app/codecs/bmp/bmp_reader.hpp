// Reads BMP of Windows and OS/2.
// To read this folder, start here, then bmp_header.hpp and bmp_runs.hpp. stb_image_write writes BMP: ../stb.
#pragma once

#include <optional>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// RGB, or RGBA if a mask declares alpha; channels of fewer than 8 bits are widened by repeating them. The fourth byte
/// of 32-bit pixels without masks is reserved, not alpha. `bytes` starts with the signature; `name` is printable.
/// Throws like decode_image.
DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of BMP.
std::optional<DecodedImage> open_bmp_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of BMP.
DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs

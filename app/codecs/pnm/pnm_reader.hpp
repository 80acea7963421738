// Reads PNM: PBM, PGM, PPM (as text and binary) and PAM.
// To read this folder, start here, then pnm_header.hpp for the headers. pnm_writer.hpp writes.
#pragma once

#include <optional>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Gray, RGB, and alpha of a PAM, scaled from the file's maximum value to the full range of 8 or 16 bits. Of several
/// images in one file, the first. `bytes` starts with the signature; `name` is printable. Throws like decode_image.
DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of PNM.
std::optional<DecodedImage> open_pnm_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of PNM.
DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs

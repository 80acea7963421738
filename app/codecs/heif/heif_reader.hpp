// Reads HEIC and AVIF (HEIF, ISO/IEC 23008-12) with libheif.
// To read this folder, start here, then heif_file.hpp for libheif's part.
#pragma once

#include <string>
#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// The primary image, as RGB or RGBA: 8 bits stay, more become 16. Rotation, mirroring and cropping that the file
/// asks for are applied in every case. `name` is printable. Throws like decode_image.
DecodedImage read_heif(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::recognizes of HEIF: files that are cut off inside their signature.
bool looks_like_cut_heif(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of HEIF: they need the whole file.
DeclaredImage declared_heif(ByteSpan beginning, const std::string& name);
Metadata heif_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs

// Reads BMP, TGA, PSD and PNM with stb_image, behind guards: docs/operations.md, "Files".
// To read this folder, start here for reading and in stb_writer.hpp for writing.
#pragma once

#include <string>
#include <string_view>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// These throw like decode_image; `name` is printable.

/// 1 to 32 bits, no RLE; RGB, or RGBA if alpha is declared or visibly used.
DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options);
/// All six kinds; alpha as for BMP.
DecodedImage read_tga(ByteSpan bytes, const std::string& name, const ReadOptions& options);
/// The merged image of 8- or 16-bit RGB files, as RGB; 16 bits only uncompressed.
DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options);
/// P5 and P6 with any maximum value, scaled to the full range of 8 or 16 bits.
DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of each; in bmp_input.cpp and so on.
DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name);
DeclaredImage declared_tga(ByteSpan beginning, const std::string& name);
DeclaredImage declared_psd(ByteSpan beginning, const std::string& name);
DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name);

/// TGA has no signature: a file is TGA if its name ends in .tga (any case) or it has the footer of version 2, and its
/// header is plausible.
bool looks_like_tga(ByteSpan bytes, std::string_view name);

}  // namespace gpuimg::codecs

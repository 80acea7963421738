// BMP, TGA, PSD and PNM through stb_image behind its guards: docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/file_kind.hpp"
#include "codecs/image_reader.hpp"

namespace gpuimg {

/// BMP: 1 to 32 bits, no RLE; RGB, or RGBA where alpha is declared or visibly used. TGA: all six kinds; alpha likewise.
/// PSD: the merged image of RGB files, 8 or 16 bit, as RGB; 16 bit only uncompressed. PNM: P5 and P6, with any largest
/// value, scaled to the full range of 8 or 16 bits. `kind` is one of these four, `name` is printable.
/// Throws as decode_image does.
DecodedImage read_with_stb(std::span<const std::byte> bytes, FileKind kind, const std::string& name,
                           const ReadOptions& options);

}  // namespace gpuimg

// Reads BMP, TGA, PSD and PNM with stb_image, behind guards: docs/operations.md, "Files".
// To read this folder, start here for reading and in stb_writer.hpp for writing.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/file_kind.hpp"
#include "codecs/image_reader.hpp"

namespace gpuimg::codecs {

/// BMP: 1 to 32 bits, no RLE; RGB, or RGBA if alpha is declared or visibly used. TGA: all six kinds, alpha likewise.
/// PSD: the merged image of 8- or 16-bit RGB files, as RGB; 16 bits only uncompressed. PNM: P5 and P6 with any maximum
/// value, scaled to the full range of 8 or 16 bits. `kind` is one of these four; `name` is printable.
/// Throws like decode_image.
DecodedImage read_with_stb(std::span<const std::byte> bytes, FileKind kind, const std::string& name,
                           const ReadOptions& options);

}  // namespace gpuimg::codecs

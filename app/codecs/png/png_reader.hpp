// Strict reader of all 15 kinds of PNG, interlaced or not. gpuimg reads flawless files that are not interlaced
// itself and leaves the rest to libpng.
// To read this folder, start here for reading and in png_writer.hpp for writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

/// Expands gray below 8 bits to 8, palettes to RGB or (with transparency) RGBA, and a transparent color to alpha; 16
/// bits stay 16. Applies no gamma and no background. Requires correct checksums of critical chunks, a valid deflate
/// stream, valid palette indices and a file complete through IEND; skips damaged ancillary chunks. Returns pixels as
/// stored: decode_image applies the orientation. `name` is printable. Throws like decode_image.
DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

enum class PngPath { fast_if_possible, libpng_only };

/// False for a file that is too short for the pixels that it declares. `bytes` has its header.
bool is_plausible_png(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& name);

/// What decoding gives besides pixels; of the image data, only where they start matters.
DecodedImage describe_png(std::span<const std::byte> bytes, const std::string& name);

/// Only the pixels. Both paths return the same pixels and refuse the same files.
Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path);

}  // namespace gpuimg::codecs

// Strict reader of all 15 kinds of PNG, interlaced or not. gpuimg reads flawless files that are not interlaced
// itself and leaves the rest to libpng.
// To read this folder, start here for reading and in png_writer.hpp for writing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::png {

/// Expands gray below 8 bits to 8, palettes to RGB or (with transparency) RGBA, and a transparent color to alpha; 16
/// bits stay 16. Applies no gamma and no background. Requires correct checksums of critical chunks, a valid deflate
/// stream, valid palette indices and a file complete through IEND; skips damaged ancillary chunks. Returns pixels as
/// stored: decode_image applies the orientation. `name` is printable. Throws like decode_image.
DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of PNG: reads simple PNGs (simple_png.hpp) in bands of rows.
std::optional<DecodedImage> open_png_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

enum class PngPath { fast_if_possible, libpng_only };

/// Only the pixels. Both paths return the same pixels and refuse the same files.
Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path);

}  // namespace gpuimg::codecs::png

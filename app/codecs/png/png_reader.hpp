// PNG of all 15 kinds, interlaced or not, strictly: the common ones by code of our own, the others by libpng.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codecs/image_reader.hpp"

namespace gpuimg {

/// Gray below 8 bits is expanded to 8, palettes to RGB or (with transparency) RGBA, transparent colors to alpha; 16
/// bits stay 16. No gamma and no background are applied. Every critical checksum, the deflate stream and palette
/// indices must be sound and the file complete to its IEND; damaged ancillary chunks are skipped. Pixels come as they
/// are stored and without metadata: decode_image adds these and applies the orientation. `name` is printable. Throws as
/// decode_image does.
DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

enum class PngPath { fast_where_possible, libpng_alone };

/// The pixels alone. Both paths give the same, and refuse the same files.
Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path);

}  // namespace gpuimg

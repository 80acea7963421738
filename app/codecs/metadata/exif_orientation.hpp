// EXIF orientation: found in a TIFF structure, applied to pixels, reset. The eight values are those of EXIF 2.3, tag
// 0x0112.
#pragma once

#include <cstddef>
#include <span>

#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// Whether the data begin as EXIF does, with a byte order mark and the number 42.
bool is_exif(std::span<const std::byte> data) noexcept;

/// Orientation 1 … 8 from EXIF data that starts with its byte order mark ("II" or "MM"). Damaged or missing: 1, which
/// means the pixels are stored as they are to be seen. Never throws.
int exif_orientation(std::span<const std::byte> exif) noexcept;

/// Sets every orientation that exif_orientation could find to 1; nothing else is touched.
void reset_orientation(std::span<std::byte> exif) noexcept;

/// Cuts the thumbnail's directory off the main one; its bytes stay where they are. True if there was one.
bool unlink_thumbnail(std::span<std::byte> exif) noexcept;

/// The pixels as they are to be seen: 2 mirrored left to right, 3 turned by 180°, 4 mirrored top to bottom,
/// 5 transposed, 6 turned by 90° clockwise, 7 transposed and turned by 180°, 8 turned by 90° counterclockwise.
/// Any other value: as they are. 5 to 8 exchange width and height.
Image apply_orientation(Image image, int orientation);

}  // namespace gpuimg::codecs

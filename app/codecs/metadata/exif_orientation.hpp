// EXIF orientation: found in a TIFF structure, applied to pixels, reset. Its eight values are defined by EXIF 2.3,
// tag 0x0112.
#pragma once

#include <cstddef>
#include <span>

#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// True if the data begin as EXIF does, with a byte order mark and the number 42.
bool is_exif(std::span<const std::byte> data) noexcept;

/// Orientation 1 … 8 from EXIF data that start with the byte order mark ("II" or "MM"). Damaged or missing: 1, which
/// means that the pixels are stored upright. Never throws.
int exif_orientation(std::span<const std::byte> exif) noexcept;

/// Sets every orientation that exif_orientation could find to 1; changes nothing else.
void reset_orientation(std::span<std::byte> exif) noexcept;

/// Unlinks the thumbnail's directory from the main one; its bytes stay in place. True if there was one.
bool unlink_thumbnail(std::span<std::byte> exif) noexcept;

/// The pixels turned upright: 2 mirrored left to right, 3 rotated by 180°, 4 mirrored top to bottom, 5 transposed,
/// 6 rotated by 90° clockwise, 7 transposed and rotated by 180°, 8 rotated by 90° counterclockwise. Any other value
/// changes nothing. 5 to 8 swap width and height.
Image apply_orientation(Image image, int orientation);

}  // namespace gpuimg::codecs

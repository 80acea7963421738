// The eight orientations of EXIF 2.3, tag 0x0112, as index arithmetic. The host and all devices use it to turn
// pictures.
#pragma once

#include <cstdint>

namespace gpuimg {

/// The stored pixel that becomes pixel (x, y) of the upright picture. Its index is origin + x·along_x + y·along_y.
struct Orientation {
  std::int64_t origin = 0;
  std::int64_t along_x = 1;
  std::int64_t along_y = 0;
};

/// 2 is mirrored left to right, 3 rotated by 180°, 4 mirrored top to bottom, 5 transposed, 6 rotated by 90° clockwise,
/// 7 transposed and rotated by 180°, 8 rotated by 90° counterclockwise. Any other value changes nothing. `width` and
/// `height` are the size of the stored pixels.
inline Orientation orientation_of(int exif, std::int64_t width, std::int64_t height) {
  const std::int64_t right = width - 1;
  const std::int64_t bottom = (height - 1) * width;
  switch (exif) {
    case 2: return {right, -1, width};
    case 3: return {bottom + right, -1, -width};
    case 4: return {bottom, 1, -width};
    case 5: return {0, width, 1};
    case 6: return {bottom, -width, 1};
    case 7: return {bottom + right, -width, -1};
    case 8: return {right, width, -1};
    default: return {0, 1, width};
  }
}

/// True if the width of the upright picture is the height of the stored one.
inline bool swaps_sides(int exif) { return exif >= 5 && exif <= 8; }

}  // namespace gpuimg

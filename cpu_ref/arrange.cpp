// Crop, rotate and flip on the CPU. Specified in docs/operations.md, "Crop, rotate, flip".
#include "ops/arrange.hpp"

#include <algorithm>
#include <cstring>

#include "operations.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"

namespace gpuimg::cpu {
namespace {

/// Side of a tile. When an image is rotated, a tile of the input and the corresponding tile of the result fit in a
/// cache.
constexpr int kTile = 64;

/// For results whose rows are rows of the input, in the same direction.
void move_rows(ConstView pixels, const Orientation& walk, View out) {
  const std::size_t pixel_bytes = pixels.format.bytes_per_pixel();
  for_row_bands(out.width, out.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const std::int64_t first = walk.origin + y * walk.along_y;
      std::memcpy(out.row_bytes(y),
                  pixels.row_bytes(static_cast<int>(first / pixels.width)) +
                      static_cast<std::size_t>(first % pixels.width) * pixel_bytes,
                  out.tight_pitch_bytes());
    }
  });
}

template <class T, int channels>
void move_pixels(ConstView pixels, const Orientation& walk, View out) {
  const MovedPixels<T, channels> moved{pixels.row<T>(0), out.row<T>(0), out.width, walk};
  const auto tiles = [](int side) { return (side - 1) / kTile + 1; };
  for_each_tile(tiles(out.height), tiles(out.width), [&](int row, int column) {
    const int bottom = std::min(out.height - row * kTile, kTile) + row * kTile;
    const int right = std::min(out.width - column * kTile, kTile) + column * kTile;
    for (int y = row * kTile; y < bottom; ++y) {
      for (int x = column * kTile; x < right; ++x) {
        moved(x, y);
      }
    }
  });
}

template <class Options>
Image arranged(ConstView pixels, const Options& options, PixelPool& pool) {
  const Size size = result_size(pixels.width, pixels.height, options);
  const Orientation walk = walk_of(pixels.width, pixels.height, options);
  Image result = pool.image(size.width, size.height, pixels.format);
  if (walk.along_x == 1) {
    move_rows(pixels, walk, result.view());
  } else {
    with_format(pixels.format, [&]<class T, int channels>() { move_pixels<T, channels>(pixels, walk, result.view()); });
  }
  return result;
}

}  // namespace

Image apply(ConstView pixels, const CropOptions& options, PixelPool& pool) { return arranged(pixels, options, pool); }

Image apply(ConstView pixels, const TurnOptions& options, PixelPool& pool) { return arranged(pixels, options, pool); }

}  // namespace gpuimg::cpu

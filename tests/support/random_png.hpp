// PNG pictures with random samples, files as any encoder could write them, and damaged copies of the files.
#pragma once

#include "gpuimg/image.hpp"
#include "support/file_bytes.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

inline PngPicture random_picture(Random& random, PngKind kind, std::uint32_t width, std::uint32_t height) {
  PngPicture picture;
  picture.kind = kind;
  picture.width = width;
  picture.height = height;
  const std::uint32_t levels = 1U << kind.bit_depth;
  picture.samples.resize(std::size_t{width} * height * static_cast<std::size_t>(kind.channels()));
  for (std::uint32_t& sample : picture.samples) {
    sample = random.below(levels);
  }
  if (kind.color_type == 3) {
    for (std::uint32_t i = 0; i < 3 * levels; ++i) {
      add_le(picture.palette, random.below(256), 1);
    }
  }
  return picture;
}

inline PngPicture small_picture(PngKind kind = {2, 8}) {
  Random random;
  return random_picture(random, kind, 5, 4);
}

/// How an encoder filters, compresses and splits. zlib's parameters can have any value.
struct PngDeflating {
  int filter = 5;  ///< 0 … 4 in all rows; 5: each row has any filter
  int level = 6;
  int strategy = 0;
  int memory_level = 8;
  int window_bits = 15;
  std::size_t flush_bytes = 0;  ///< bytes between flushes; 0 for no flush
  int flush = 0;                ///< kind of flush, as in zlib
  std::size_t chunk_bytes = 0;  ///< image data per IDAT chunk; 0 for one chunk with all data
};

/// u8 or u16, 1 to 4 channels.
FileBytes deflated_png(Random& random, ConstView pixels, const PngDeflating& deflating = {});

/// Random levels, strategies, memory levels and flushes of zlib; the window is 32 KiB.
PngDeflating any_deflating(Random& random);

/// A file built from a zlib stream of filtered rows, in chunks of at most `chunk_bytes` (0: one chunk).
FileBytes png_of_stream(int width, int height, PixelFormat format, const FileBytes& stream, std::size_t chunk_bytes);

/// Changes, inserts or removes bits or bytes of the image data, or truncates the file. Most results have correct
/// checksums.
FileBytes mutant_of_png(Random& random, const FileBytes& file);

}  // namespace gpuimg::test

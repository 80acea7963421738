// PNG pictures with random samples, files of them as any encoder may write them, and damaged copies of the files.
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

/// How an encoder filters, deflates and cuts. zlib's parameters may have any value.
struct PngDeflating {
  int filter = 5;  ///< 0 … 4 in all rows; 5: each row has any filter
  int level = 6;
  int strategy = 0;
  int memory_level = 8;
  int window_bits = 15;
  std::size_t flush_bytes = 0;  ///< bytes between flushes of that kind; 0 for no flush
  int flush = 0;
  std::size_t chunk_bytes = 0;  ///< image data in an IDAT chunk; 0 for one chunk with all
};

/// u8 or u16, 1 to 4 channels.
FileBytes deflated_png(Random& random, ConstView pixels, const PngDeflating& deflating = {});

/// Some of zlib's levels, strategies, memory levels and flushes; windows of 32 KiB.
PngDeflating any_deflating(Random& random);

/// The file around a zlib stream of a picture's filtered rows, in chunks of at most `chunk_bytes` (0: one).
FileBytes png_of_stream(int width, int height, PixelFormat format, const FileBytes& stream, std::size_t chunk_bytes);

/// Changes, inserts or removes bits or bytes of the image data, or cuts off the end. Most results have correct
/// checksums.
FileBytes mutant_of_png(Random& random, const FileBytes& file);

}  // namespace gpuimg::test

// The rows of an image, filtered and deflated in strips that are independent of each other:
// app/codecs/png/png_writer.hpp says why. PNG specification, sections 7.2 and 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/deflate/compress.hpp"
#include "codecs/png/png_filter.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// How an image is cut into strips: whole rows, about 256 KB after filtering. Follows from the image alone.
struct StripPlan {
  std::size_t row_bytes = 0;  ///< of pixels, without the byte that names the filter
  int rows_per_strip = 1;
  int strips = 1;

  explicit StripPlan(ConstView pixels);

  [[nodiscard]] std::size_t filtered_bytes() const {
    return static_cast<std::size_t>(rows_per_strip) * (row_bytes + 1);
  }
};

/// A strip on its way into the file.
struct PackedStrip {
  int index = 0;
  std::vector<std::byte> chunk;  ///< an IDAT chunk's type and data, without length and CRC
  std::uint32_t crc = 0;         ///< of chunk
  std::uint32_t adler = 0;       ///< of the filtered bytes
  std::size_t filtered_size = 0;
};

/// The rows of an image in PNG's byte order, each with the row above it.
class RowSource {
 public:
  RowSource(ConstView pixels, std::size_t row_bytes);

  /// Row y of u16 pixels must follow row y − 1, unless it is the first of a strip. Valid until the next call.
  PngRow row(int y, bool is_first);

 private:
  const std::uint8_t* zeros();

  ConstView pixels_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> current_;
  std::vector<std::uint8_t> above_;
};

/// Filters and deflates strips, in any order. Holds under 1 MB (or six rows, where that is more); one a thread.
class StripPacker {
 public:
  /// png_level 0 to 3, as encode_png's. Borrows the pixels.
  StripPacker(ConstView pixels, const StripPlan& plan, int png_level);

  /// The strip with that index; what `strip` held before is replaced, in its memory.
  void pack(int index, PackedStrip& strip);

 private:
  std::size_t try_filter(PackedStrip& strip, int filter);
  std::size_t smallest_of_all(PackedStrip& strip);
  void finish(PackedStrip& strip, std::size_t size) const;

  ConstView pixels_;
  StripPlan plan_;
  bool tries_all_;
  RowSource rows_;
  StripDeflater deflater_;
  std::vector<std::uint8_t> filtered_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> best_;
};

}  // namespace gpuimg

// Filters and deflates the rows of an image in independent strips. PNG specification, sections 7.2 and 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/deflate/compress.hpp"
#include "codecs/png/png_filter.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// The division of an image into strips of whole rows, about 256 KB after filtering. Depends only on the image.
struct StripPlan {
  std::size_t row_bytes = 0;  ///< without the filter byte
  int rows_per_strip = 1;
  int strips = 1;

  StripPlan(std::size_t bytes_of_row, int height);

  [[nodiscard]] std::size_t filtered_bytes() const {
    return static_cast<std::size_t>(rows_per_strip) * (row_bytes + 1);
  }
};

/// A strip, ready to be written.
struct PackedStrip {
  int index = 0;
  std::vector<std::byte> chunk;  ///< an IDAT chunk's type and data, without length and CRC
  std::uint32_t crc = 0;         ///< of chunk
  std::uint32_t adler = 0;       ///< of the filtered bytes
  std::size_t filtered_size = 0;
};

/// The rows of one strip.
struct StripRows {
  ConstView rows;
  const std::byte* above = nullptr;  ///< the row above the first; null at the top of the image
};

/// Provides the rows of strips in PNG's byte order, each with the row above it.
class RowSource {
 public:
  RowSource(PixelFormat format, std::size_t row_bytes);

  /// With u16 pixels, row y must follow row y − 1 unless it is the first. Valid until the next call.
  PngRow row(const StripRows& strip, int y);

 private:
  const std::uint8_t* zeros();

  PixelFormat format_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> current_;
  std::vector<std::uint8_t> above_;
};

/// Filters and deflates strips in any order. Holds less than 1 MB, or six rows if that is more; use one per thread.
class StripPacker {
 public:
  /// png_level is 0 to 3, as in encode_png.
  StripPacker(PixelFormat format, const StripPlan& plan, int png_level);

  /// Replaces the contents of `strip` with the strip of that index, reusing its memory.
  void pack(const StripRows& rows, int index, PackedStrip& strip);

 private:
  std::size_t try_filter(const StripRows& rows, PackedStrip& strip, int filter);
  std::size_t smallest_of_all(const StripRows& rows, PackedStrip& strip);
  void finish(PackedStrip& strip, std::size_t size) const;

  StripPlan plan_;
  bool tries_all_;
  RowSource rows_;
  StripDeflater deflater_;
  std::vector<std::uint8_t> filtered_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> best_;
};

}  // namespace gpuimg::codecs

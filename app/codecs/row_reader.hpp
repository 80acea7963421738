// The rows of an image file, read in bands, so that neither the file nor the image is ever held whole.
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include "codecs/row_bands.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// An open file of one image, of which the header has been read. Its rows can be read any number of times.
class RowReader {
 public:
  RowReader(int width, int height, PixelFormat format) : width_(width), height_(height), format_(format) {}
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  virtual ~RowReader() = default;

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] PixelFormat format() const { return format_; }

  enum class Order { top_down, any };

  /// Passes all rows on. Returns false if the bands are void: something in the file is damaged or unusual, and
  /// decode_image gives the verdict. Throws Error{out_of_memory}, and what the output throws; but with Order::any, an
  /// Error of the output may also make it return false.
  virtual bool read(const BandOutput& to, Order order) = 0;

 private:
  int width_;
  int height_;
  PixelFormat format_;
};

}  // namespace gpuimg::codecs

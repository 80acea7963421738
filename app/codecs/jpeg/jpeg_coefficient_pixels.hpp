// Makes the pixels of a JPEG from its coefficients, with libjpeg. Used by jpeg_pipeline.cpp and
// jpeg_parts.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "codecs/jpeg/jpeg_coefficient_rows.hpp"
#include "codecs/jpeg/jpeg_rows.hpp"
#include "codecs/jpeg/jpeg_session.hpp"

namespace gpuimg::codecs {

/// Its libjpeg sees the file's header up to the first scan, and believes to have read that scan. Every warning is an
/// error. All members throw as JpegSession does.
class JpegCoefficientPixels {
 public:
  /// Reads up to the first coded byte. `file` must outlive the object.
  explicit JpegCoefficientPixels(const JpegFile& file);
  JpegCoefficientPixels(const JpegCoefficientPixels&) = delete;
  JpegCoefficientPixels& operator=(const JpegCoefficientPixels&) = delete;

  /// The same for the MCU rows begin … end − 1, which are an image of their own to libjpeg, and complete in `rows`.
  /// Where chroma is upsampled vertically, the first and the last row of pixels differ from those of the whole image,
  /// unless they are at its edges. An object for the whole image has found the header sound.
  JpegCoefficientPixels(const JpegFile& file, JpegCoefficientRows& rows, int begin, int end);

  /// Makes the rows of such pixels from the current one up to `end`, both rows of the image. Those before `first` are
  /// dropped, the others go to `pixels`, which holds rows from `first` on.
  void read_rows_to(int end, const View& pixels, int first);

  /// Makes the pixels that depend on MCU rows before `end` alone. The rows before it and one more must be complete.
  void read_to(int end, JpegCoefficientRows& rows, const View& pixels);

  [[nodiscard]] const jpeg_decompress_struct& info() { return session_.info(); }

 private:
  static jvirt_barray_ptr request(j_common_ptr info, int pool, boolean zeroed, JDIMENSION width, JDIMENSION height,
                                  JDIMENSION max_rows);
  static JBLOCKARRAY access(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                            boolean writable);
  void start(int mcu_rows);  // 0: all
  void replace_arrays();

  const JpegFile& file_;
  JpegSession session_;
  JpegCoefficientRows* rows_ = nullptr;
  int top_ = 0;  // the MCU row of the image that is libjpeg's first
  int requested_ = 0;
  int begin_ = 0;  // libjpeg, which counts from top_, may access the MCU rows begin_ … end_ − 1
  int end_ = 0;
  std::vector<std::uint8_t> cmyk_row_;
  std::vector<std::uint8_t> dropped_row_;
};

}  // namespace gpuimg::codecs

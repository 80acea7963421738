// Makes the pixels of a JPEG from its coefficients, with libjpeg. Used by jpeg_pipeline.cpp.
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

  /// Makes the pixels that depend on MCU rows before `end` alone. The rows before it and one more must be complete.
  void read_to(int end, JpegCoefficientRows& rows, const View& pixels);

  [[nodiscard]] const jpeg_decompress_struct& info() { return session_.info(); }

 private:
  static jvirt_barray_ptr request(j_common_ptr info, int pool, boolean zeroed, JDIMENSION width, JDIMENSION height,
                                  JDIMENSION max_rows);
  static JBLOCKARRAY access(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                            boolean writable);
  void replace_arrays();

  const JpegFile& file_;
  JpegSession session_;
  JpegCoefficientRows* rows_ = nullptr;
  int requested_ = 0;
  int begin_ = 0;  // libjpeg may access the MCU rows begin_ … end_ − 1
  int end_ = 0;
  std::vector<std::uint8_t> cmyk_row_;
};

}  // namespace gpuimg::codecs

// Makes the pixels of a JPEG that has several scans, with libjpeg, which also decodes one of them. Used by
// jpeg_pipeline.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codecs/jpeg/jpeg_coefficient_rows.hpp"
#include "codecs/jpeg/jpeg_pieces.hpp"
#include "codecs/jpeg/jpeg_rows.hpp"
#include "codecs/jpeg/jpeg_script.hpp"
#include "codecs/jpeg/jpeg_session.hpp"

namespace gpuimg::codecs {

/// Its libjpeg sees the file without the scans before this one. Its coefficients are in `rows`, beside those of the
/// other scans. Every warning of libjpeg is an error. All members throw as JpegSession does.
class JpegScanPixels {
 public:
  /// Reads up to the first coded byte. What it gets by reference must outlive it.
  JpegScanPixels(const JpegFile& file, const JpegScript& script, std::size_t scan);
  JpegScanPixels(const JpegScanPixels&) = delete;
  JpegScanPixels& operator=(const JpegScanPixels&) = delete;

  /// Where coefficients are. Before the first row. `cleared`: bit i means that no scan precedes this one in component
  /// i, whose rows are then set to zero first.
  void use(JpegCoefficientRows& rows, std::uint32_t cleared);

  /// Decodes the scan's MCU rows up to `end` and at most one more, and the pixels that depend on rows
  /// before `end` alone. All other scans of one row more must be complete.
  void read_to(int end, const View& pixels);

  /// Call after the last row: looks for the next scan or the end of the file.
  void finish();

  [[nodiscard]] jpeg_decompress_struct& info() { return session_.info(); }

 private:
  static jvirt_barray_ptr request(j_common_ptr info, int pool, boolean zeroed, JDIMENSION width, JDIMENSION height,
                                  JDIMENSION max_rows);
  static JBLOCKARRAY access(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                            boolean writable);
  void replace_arrays();

  const JpegFile& file_;
  JpegSession session_;
  JpegPieces source_;
  const std::byte* end_of_scan_;  // the next marker
  JpegCoefficientRows* rows_ = nullptr;
  std::uint32_t cleared_ = 0;
  int requested_ = 0;
  int begin_ = 0;  // libjpeg may access the MCU rows begin_ … end_ − 1
  int end_ = 0;
  std::vector<std::uint8_t> cmyk_row_;
};

}  // namespace gpuimg::codecs

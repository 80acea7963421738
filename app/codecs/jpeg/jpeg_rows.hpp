// Decodes rows of a JPEG into an Image, from the top or from a later row. Used by jpeg_reader.cpp and jpeg_parts.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_encoding.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_session.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// A JPEG in memory. Everything it refers to must outlive its readers.
struct JpegFile {
  ByteSpan bytes;
  const JpegHeader& header;
  const std::string& name;  ///< printable

  [[nodiscard]] bool is_cmyk() const { return header.components == 4; }
  [[nodiscard]] int height() const { return static_cast<int>(header.height); }
};

class JpegRows {
 public:
  /// Reads up to the first scan; if there are several scans, all of them. Unless `lenient`, warnings are errors as
  /// JpegSession says. All members throw Error{decode} and Error{out_of_memory}, as JpegSession does.
  JpegRows(const JpegFile& file, bool lenient);

  /// Skips to `row`, where read_to continues. Only valid from the top, and to a row inside the image that is a multiple
  /// of rows_of_blocks(). If the file has one scan, the skipped rows are only Huffman-decoded.
  void skip_to(int row);

  /// Reads from the current row up to `end`. Each row goes to its place in `pixels`, which holds the whole image.
  void read_to(int end, const View& pixels);

  /// Call after the last row: looks for the end of the file.
  void finish();

  /// Number of image rows per MCU row.
  [[nodiscard]] int rows_of_blocks() { return DCTSIZE * session_.info().max_v_samp_factor; }

  /// True for one Huffman-coded scan, whose rows become pixels as they are read.
  [[nodiscard]] bool is_sequential();

  /// Returns nullopt if gpuimg cannot write the same: colors other than YCbCr, or unusual sampling. Not after finish().
  [[nodiscard]] std::optional<JpegEncoding> encoding();

  /// The maximum number of bytes that libjpeg may keep for the whole image.
  [[nodiscard]] std::size_t max_bytes() { return static_cast<std::size_t>(session_.info().mem->max_memory_to_use); }

  [[nodiscard]] std::vector<std::string> warnings() const { return session_.warnings(); }
  [[nodiscard]] std::size_t warning_count() const { return session_.warning_count(); }

 private:
  JpegSession session_;
  std::vector<std::uint8_t> cmyk_row_;  // one row of CMYK
};

}  // namespace gpuimg::codecs

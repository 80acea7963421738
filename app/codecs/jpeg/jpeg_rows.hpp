// The rows of a JPEG, from the top or from further below, straight into an Image. Used by jpeg_reader.cpp and
// jpeg_parts.cpp.
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

/// A JPEG in memory, of which everything outlives whoever reads it.
struct JpegFile {
  ByteSpan bytes;
  const JpegHeader& header;
  const std::string& name;  ///< printable

  [[nodiscard]] bool has_inks() const { return header.components == 4; }
  [[nodiscard]] int height() const { return static_cast<int>(header.height); }
};

class JpegRows {
 public:
  /// Reads up to the first scan; of a file with several scans, all of them. Unless `lenient`, every warning of
  /// libjpeg's is an error. All members throw Error{decode} and Error{out_of_memory}, as JpegSession does.
  JpegRows(const JpegFile& file, bool lenient);

  /// Up to `row`, where read_to goes on; only from the top, and to a row inside the image that is a multiple of
  /// rows_of_blocks(). Of a file with one scan the rows are decoded as far as their Huffman codes, and no further.
  void skip_to(int row);

  /// From where it stands up to `end`, each row to its place in `pixels`, those of the whole image.
  void read_to(int end, const View& pixels);

  /// After the last row: looks for the end of the file.
  void finish();

  /// The rows of the image that one row of units (MCUs) of the file makes.
  [[nodiscard]] int rows_of_blocks() { return DCTSIZE * session_.info().max_v_samp_factor; }

  /// One scan, of Huffman codes, each row of which becomes pixels as it is read.
  [[nodiscard]] bool is_sequential();

  /// Nothing if gpuimg cannot write the same: colors other than YCbCr, or unusual sampling. Not after finish().
  [[nodiscard]] std::optional<JpegEncoding> encoding();

  /// The most bytes that libjpeg may keep for the whole image.
  [[nodiscard]] std::size_t most_bytes() { return static_cast<std::size_t>(session_.info().mem->max_memory_to_use); }

  [[nodiscard]] std::vector<std::string> warnings() const { return session_.warnings(); }

 private:
  JpegSession session_;
  std::vector<std::uint8_t> inks_;  // one row of CMYK
};

}  // namespace gpuimg::codecs

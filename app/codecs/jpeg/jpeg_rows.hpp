// Decodes rows of a JPEG into an Image with one libjpeg decoder. Used by jpeg_reader.cpp; its functions also by
// jpeg_coefficient_pixels.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_encoding.hpp"
#include "codecs/jpeg/jpeg_file_source.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_session.hpp"
#include "gpuimg/image.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// A JPEG in memory or in a file. Everything it refers to must outlive its readers.
struct JpegFile {
  ByteSpan bytes;  ///< of a stored file at least those up to the first scan
  const JpegHeader& header;
  const std::string& name;               ///< printable
  const RandomAccess* stored = nullptr;  ///< the whole file, which is not in memory

  [[nodiscard]] bool is_cmyk() const { return header.components == 4; }
  [[nodiscard]] PixelFormat format() const { return {Sample::u8, header.components == 1 ? 1 : 3}; }
  [[nodiscard]] std::uint64_t size() const { return stored != nullptr ? stored->size : bytes.size(); }
  [[nodiscard]] int height() const { return static_cast<int>(header.height); }
};

/// Makes libjpeg decode as read_jpeg documents: after jpeg_read_header, inside JpegSession::guarded.
void set_jpeg_output(jpeg_decompress_struct& info, const JpegHeader& header);

/// Throws Error{decode} if libjpeg found another size than the header's. After jpeg_start_decompress.
void check_jpeg_output(const jpeg_decompress_struct& info, const JpegFile& file);

/// Decodes rows from the current one up to `end` to their places in `pixels`, which holds rows from `first` on.
/// `cmyk_row` holds one row of CMYK if the file has it. Inside JpegSession::guarded.
void read_jpeg_rows(jpeg_decompress_struct& info, int end, const View& pixels, int first, std::uint8_t* cmyk_row);

/// Returns nullopt if gpuimg cannot write the same: colors other than YCbCr, or unusual sampling.
std::optional<JpegEncoding> jpeg_encoding_of(const jpeg_decompress_struct& info);

class JpegRows {
 public:
  /// Reads up to the first scan; if there are several scans, all of them. Unless `lenient`, warnings are errors as
  /// JpegSession says. All members throw Error{decode} and Error{out_of_memory}, as JpegSession does.
  JpegRows(const JpegFile& file, bool lenient);

  /// Reads from the current row up to `end`. Each row goes to its place in `pixels`, which holds rows from `first`
  /// on.
  void read_to(int end, const View& pixels, int first = 0);

  /// Call after the last row: looks for the end of the file.
  void finish();

  /// Number of image rows per MCU row.
  [[nodiscard]] int rows_of_blocks() { return DCTSIZE * session_.info().max_v_samp_factor; }

  /// Of an MCU row.
  [[nodiscard]] std::size_t coefficient_bytes();

  /// True for one Huffman-coded scan, whose rows become pixels as they are read.
  [[nodiscard]] bool is_sequential();

  /// As jpeg_encoding_of. Not after finish().
  [[nodiscard]] std::optional<JpegEncoding> encoding() { return jpeg_encoding_of(session_.info()); }

  /// The maximum number of bytes that libjpeg may keep for the whole image.
  [[nodiscard]] std::size_t max_bytes() { return static_cast<std::size_t>(session_.info().mem->max_memory_to_use); }

  [[nodiscard]] std::vector<std::string> warnings() const { return session_.warnings(); }
  [[nodiscard]] std::size_t warning_count() const { return session_.warning_count(); }

 private:
  std::unique_ptr<JpegFileSource> source_;  // outlives the session
  JpegSession session_;
  std::vector<std::uint8_t> cmyk_row_;  // one row of CMYK
};

}  // namespace gpuimg::codecs

// Wraps libjpeg-turbo for decoding: errors, warnings, data sources, and reading rows of pixels.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <array>
#include <csetjmp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/jpeg/jpeg_encoding.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::jpeg {

class JpegFileSource;

/// A libjpeg decompressor over bytes in memory or from a source. Turns libjpeg's errors into Error, and its warnings
/// that do not affect pixels into notes; if lenient, all warnings become notes.
class JpegSession {
 public:
  /// `name` (printable) must outlive the session. Unless `lenient`, a libjpeg warning is an error if it may affect
  /// pixels.
  JpegSession(const std::string& name, bool lenient);
  ~JpegSession();
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;

  [[nodiscard]] jpeg_decompress_struct& info() { return info_; }

  /// Opens the input. Call exactly one open(), inside guarded(). The bytes or the source must outlive the session.
  void open(ByteSpan bytes);
  void open(jpeg_source_mgr& source);

  /// Runs `call`, which calls libjpeg. `call` must hold no object with a destructor: a libjpeg error leaves `call` by
  /// longjmp, and guarded() then throws an Error.
  template <class Call>
  void guarded(Call call) {
    if (setjmp(errors_.resume) != 0) {
      throw_failure();
    }
    call();
  }

  /// libjpeg's warnings for the user: the texts of the first few, and how many more there are.
  [[nodiscard]] std::vector<std::string> warnings() const;
  [[nodiscard]] std::size_t warning_count() const { return errors_.warning_count; }

 private:
  using Text = std::array<char, JMSG_LENGTH_MAX>;
  struct Warning {
    Text text{};
    bool is_harmless = false;
  };
  static constexpr std::size_t kKeptWarnings = 3;

  struct Errors : jpeg_error_mgr {
    std::jmp_buf resume;
    std::span<const unsigned char> bytes;  ///< the file; empty if the input is a source
    int code = 0;
    bool lenient = false;
    bool too_many_scans = false;
    bool was_warning = false;  ///< the error is a warning that lenient mode would have accepted
    Text reason{};
    std::array<Warning, kKeptWarnings> warnings{};
    std::size_t warning_count = 0;
  };

  [[noreturn]] void throw_failure() const;
  [[noreturn]] static void on_error(j_common_ptr info);
  static bool is_harmless(j_common_ptr info);
  static void on_message(j_common_ptr info, int level);
  static void on_progress(j_common_ptr info);

  const std::string& name_;
  jpeg_decompress_struct info_{};
  Errors errors_{};
  jpeg_progress_mgr progress_{};
};

/// A JPEG in memory or in a file. Everything it refers to must outlive its readers.
struct JpegFile {
  ByteSpan bytes;  ///< whole file, or at least the bytes before the first scan if the file is `stored`
  const JpegHeader& header;
  const std::string& name;               ///< printable
  const RandomAccess* stored = nullptr;  ///< the whole file, if it is not in memory

  [[nodiscard]] bool is_cmyk() const { return header.frame.component_count == 4; }
  [[nodiscard]] PixelFormat format() const { return {Sample::u8, header.frame.component_count == 1 ? 1 : 3}; }
  [[nodiscard]] std::uint64_t size() const { return stored != nullptr ? stored->size : bytes.size(); }
  [[nodiscard]] int height() const { return static_cast<int>(header.frame.height); }
};

/// Selects libjpeg's settings for decoding as jpeg.hpp describes at read_jpeg. Call after jpeg_read_header, inside
/// JpegSession::guarded.
void set_jpeg_output(jpeg_decompress_struct& info, const JpegHeader& header);

/// Throws Error{decode} if libjpeg's size differs from the header's. Call after jpeg_start_decompress.
void check_jpeg_output(const jpeg_decompress_struct& info, const JpegFile& file);

/// Decodes the rows from the current one up to `end` into `pixels`, whose first row is row `first` of the image.
/// `cmyk_row` holds one row of CMYK if the file is CMYK. Call inside JpegSession::guarded.
void read_jpeg_rows(jpeg_decompress_struct& info, int end, const View& pixels, int first, std::uint8_t* cmyk_row);

/// The encoding of the JPEG, for writing another JPEG with the same encoding. Returns null if gpuimg cannot write it:
/// the colors are neither gray nor YCbCr, or the sampling is unusual.
std::shared_ptr<const JpegEncoding> jpeg_encoding_of(const jpeg_decompress_struct& info);

/// Decodes rows of a JPEG into an Image with one libjpeg decoder.
class JpegRows {
 public:
  /// Reads up to the first scan, or all scans if there are several. Unless `lenient`, warnings are errors (see
  /// JpegSession). All members throw Error{decode} and Error{out_of_memory}, as JpegSession does.
  JpegRows(const JpegFile& file, bool lenient);
  ~JpegRows();
  JpegRows(const JpegRows&) = delete;
  JpegRows& operator=(const JpegRows&) = delete;

  /// Reads the rows from the current one up to `end` into `pixels`, whose first row is row `first` of the image.
  void read_to(int end, const View& pixels, int first = 0);

  /// Call after the last row: looks for the end of the file.
  void finish();

  /// Number of pixel rows per MCU row.
  [[nodiscard]] int rows_of_blocks() { return DCTSIZE * session_.info().max_v_samp_factor; }

  /// Number of bytes in the coefficients of an MCU row.
  [[nodiscard]] std::size_t coefficient_bytes();

  /// True if the file has one Huffman-coded scan, whose rows become pixels while they are read.
  [[nodiscard]] bool is_sequential();

  /// See jpeg_encoding_of. Must not be called after finish().
  [[nodiscard]] std::shared_ptr<const JpegEncoding> encoding() { return jpeg_encoding_of(session_.info()); }

  /// The maximum number of bytes that libjpeg may keep for the whole image.
  [[nodiscard]] std::size_t max_bytes() { return static_cast<std::size_t>(session_.info().mem->max_memory_to_use); }

  [[nodiscard]] std::vector<std::string> warnings() const { return session_.warnings(); }
  [[nodiscard]] std::size_t warning_count() const { return session_.warning_count(); }

 private:
  std::unique_ptr<JpegFileSource> source_;  // must outlive the session
  JpegSession session_;
  std::vector<std::uint8_t> cmyk_row_;  // one CMYK row
};

}  // namespace gpuimg::codecs::jpeg

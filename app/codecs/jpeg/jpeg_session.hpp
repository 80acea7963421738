// A libjpeg decompressor over bytes in memory or from a source. Turns its errors into Error, and into notes its
// warnings of what cannot touch pixels; if lenient, all of them. Used by jpeg_rows.cpp and jpeg_coefficient_pixels.cpp.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <array>
#include <csetjmp>
#include <span>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

class JpegSession {
 public:
  /// `name` (printable) must outlive the session. Unless `lenient`, a libjpeg warning is an error, except of
  /// what cannot touch pixels.
  JpegSession(const std::string& name, bool lenient);
  ~JpegSession();
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;

  [[nodiscard]] jpeg_decompress_struct& info() { return info_; }

  /// Call one of them inside guarded(). The bytes or the source must outlive the session.
  void open(ByteSpan bytes);
  void open(jpeg_source_mgr& source);

  /// Runs `call`, which calls libjpeg. `call` must hold no object with a destructor: an error leaves it by longjmp and
  /// is thrown from here.
  template <class Call>
  void guarded(Call call) {
    if (setjmp(errors_.resume) != 0) {
      throw_failure();
    }
    call();
  }

  /// libjpeg's warnings for the user: the first few, and the number of the others.
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
    std::span<const unsigned char> bytes;  ///< the file; empty if a source gives it
    int code = 0;
    bool lenient = false;
    bool too_many_scans = false;
    bool was_warning = false;  ///< lenient mode would have continued
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

}  // namespace gpuimg::codecs

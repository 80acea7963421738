// A libpng read struct over bytes in memory; turns libpng's errors into Error.
#pragma once

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <string>

#include "codecs/png/png_stream.hpp"

namespace gpuimg::codecs {

class PngSession {
 public:
  /// `bytes` and `name` (printable) must outlive the session. Throws Error{out_of_memory} and whatever PngStream
  /// throws.
  PngSession(ByteSpan bytes, const std::string& name);
  ~PngSession();
  PngSession(const PngSession&) = delete;
  PngSession& operator=(const PngSession&) = delete;

  [[nodiscard]] png_structp png() const { return png_; }
  [[nodiscard]] png_infop info() const { return info_; }

  /// Runs `call`, which calls libpng. libpng reports errors by longjmp, which this turns into an exception, so `call`
  /// must not hold an object with a destructor while it calls libpng.
  template <class Call>
  void guarded(Call call) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      throw_failure();
    }
    call();
  }

  /// Call after the last row: throws if libpng skipped image data, or only warned of damage in it.
  void refuse_damaged_data() const;

 private:
  [[noreturn]] void throw_failure() const;
  static void on_error(png_structp png, png_const_charp message);
  static void on_warning(png_structp png, png_const_charp message);
  static void on_read(png_structp png, png_bytep to, std::size_t size);

  PngStream stream_;
  const std::string& name_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  bool ended_early_ = false;
  std::array<char, 128> failure_{};
  std::array<char, 128> damage_{};
};

}  // namespace gpuimg::codecs

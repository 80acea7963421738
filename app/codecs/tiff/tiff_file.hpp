// A TIFF in memory, opened with libtiff: its callbacks, its limits, and gpuimg's errors in place of its messages.
#pragma once

#include <tiffio.h>

#include <memory>
#include <string>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

class TiffFile {
 public:
  /// Opens the first directory. `bytes` and `name` (printable) must outlive the object. Throws like decode_image; where
  /// anything that the directory refers to lies beyond the end, TruncatedFile.
  TiffFile(ByteSpan bytes, const std::string& name);

  [[nodiscard]] TIFF* tiff() const { return tiff_.get(); }
  [[nodiscard]] ByteSpan bytes() const { return state_->bytes; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The value of a tag with one number, or its default, or `otherwise`.
  template <class T>
  [[nodiscard]] T number(ttag_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(tiff(), tag, &value) == 1 ? value : otherwise;
  }

  /// From now on, warnings are errors: they concern pixels.
  void begin_pixels() { state_->heeds_warnings = true; }

  /// Throws if libtiff has reported anything that counts, or read past the end.
  void check() const;

  /// Steps to the next directory. False after the last one, and at one that is damaged.
  bool next_directory();

 private:
  struct State {
    ByteSpan bytes;
    std::uint64_t position = 0;
    std::string problem;  ///< the first message
    bool heeds_warnings = false;
    bool ended_early = false;
    bool lacks_memory = false;
  };
  struct Closer {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };

  static tmsize_t on_read(thandle_t handle, void* to, tmsize_t size);
  static toff_t on_seek(thandle_t handle, toff_t offset, int whence);
  static int on_error(TIFF* tiff, void* user, const char* module, const char* format, va_list arguments);
  static int on_warning(TIFF* tiff, void* user, const char* module, const char* format, va_list arguments);

  const std::string& name_;
  std::unique_ptr<State> state_;
  std::unique_ptr<TIFF, Closer> tiff_;
};

}  // namespace gpuimg::codecs

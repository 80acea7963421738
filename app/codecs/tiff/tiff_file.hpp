// A TIFF opened with libtiff: its callbacks, its limits, and gpuimg's errors in place of its messages.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/bytes.hpp"

namespace gpuimg::codecs::tiff {

class TiffFile {
 public:
  /// Opens the directory at `offset`, or the first one if that is 0. `name` (printable) must outlive the object, and so
  /// must what `content` refers to. Throws like decode_image; where anything that the directory refers to lies beyond
  /// the end, TruncatedFile.
  TiffFile(const RandomAccess& content, const std::string& name, std::uint64_t offset = 0);

  [[nodiscard]] TIFF* tiff() const { return tiff_.get(); }
  [[nodiscard]] const RandomAccess& content() const { return state_->content; }
  [[nodiscard]] std::uint64_t size() const { return state_->content.size; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Reads bytes of the file as stored; returns how many there were.
  std::size_t read(std::uint64_t offset, std::span<std::byte> to) const { return state_->content.read(offset, to); }

  /// The value of a tag with one number, or its default, or `otherwise`.
  template <class T>
  [[nodiscard]] T number(ttag_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(tiff(), tag, &value) == 1 ? value : otherwise;
  }

  /// The numbers of a tag as the file has them, before libtiff corrects or completes them; none if it lacks the tag.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint16_t tag) const;

  /// True if the directory does not say what the samples after the colors are; libtiff then calls them unspecified.
  [[nodiscard]] bool lacks_extra_samples() const { return state_->lacks_extra_samples; }

  /// From now on, warnings concern pixels and are errors, except harmless ones, which become notes.
  void begin_pixels() { state_->heeds_warnings = true; }

  /// Harmless warnings about pixels, in libtiff's words; each once.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return state_->warnings; }

  /// Lines of fax data that were shorter than the image is wide. libtiff leaves the rest of them blank.
  [[nodiscard]] std::uint64_t short_fax_lines() const { return state_->short_fax_lines; }

  /// True if nothing about the pixels read so far needs a note.
  [[nodiscard]] bool is_plain() const { return warnings().empty() && short_fax_lines() == 0; }

  /// Throws if libtiff has reported anything that counts, or read past the end.
  void check() const;

 private:
  struct State {
    RandomAccess content;
    std::uint64_t position = 0;
    /// Bytes in place of the file's, while libtiff reads header and directory.
    std::uint64_t changed_from = 0;
    std::vector<std::byte> changed;
    std::string problem;  ///< the first message
    std::vector<std::string> warnings;
    std::uint64_t short_fax_lines = 0;
    bool heeds_warnings = false;
    bool lacks_extra_samples = false;
    bool ended_early = false;
    bool lacks_memory = false;

    // Called from C, so they must not throw.
    void take_error(std::string text);
    void take_warning(std::string text);
  };
  struct Closer {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };

  /// Throws if the samples of a pixel differ in their bits or kind; libtiff would call that damage.
  void reject_mixed_samples(std::uint64_t directory) const;

  /// The header of the file, with the place of another directory.
  static std::vector<std::byte> header_for(const RandomAccess& content, std::uint64_t offset);
  /// Changes the current directory so that libtiff ignores tags without a value. libtiff would call some of them
  /// damage.
  void hide_empty_tags(std::uint64_t offset);

  static tmsize_t on_read(thandle_t handle, void* to, tmsize_t size);
  static toff_t on_seek(thandle_t handle, toff_t offset, int whence);
  static int on_error(TIFF* tiff, void* user, const char* module, const char* format, va_list arguments);
  static int on_warning(TIFF* tiff, void* user, const char* module, const char* format, va_list arguments);

  const std::string& name_;
  std::unique_ptr<State> state_;
  std::unique_ptr<TIFF, Closer> tiff_;
};

}  // namespace gpuimg::codecs::tiff

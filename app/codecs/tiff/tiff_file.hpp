// Opens a TIFF with libtiff: callbacks, limits, and errors of gpuimg instead of libtiff's messages.
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
  /// Opens the directory at `offset`; 0 means the first directory. `name` (printable) and the source of `content` must
  /// outlive the object. Throws like decode_image. Throws TruncatedFile if the directory refers to anything beyond the
  /// end of the file.
  TiffFile(const RandomAccess& content, const std::string& name, std::uint64_t offset = 0);

  [[nodiscard]] TIFF* tiff() const { return tiff_.get(); }
  [[nodiscard]] const RandomAccess& content() const { return state_->content; }
  [[nodiscard]] std::uint64_t size() const { return state_->content.size; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Reads bytes of the file as stored. Returns the number of bytes read.
  std::size_t read(std::uint64_t offset, std::span<std::byte> to) const { return state_->content.read(offset, to); }

  /// The value of a tag with one number; if the file lacks the tag, its default value, or `otherwise` if it has no
  /// default.
  template <class T>
  [[nodiscard]] T number(ttag_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(tiff(), tag, &value) == 1 ? value : otherwise;
  }

  /// The numbers of a tag as stored in the file, before libtiff corrects or completes them. Empty if the tag is
  /// missing.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint16_t tag) const;

  /// True if the directory does not define the samples after the colors; libtiff then calls them unspecified.
  [[nodiscard]] bool lacks_extra_samples() const { return state_->lacks_extra_samples; }

  /// After this call, warnings concern pixels. Harmless warnings become notes; all others are errors.
  void begin_pixels() { state_->heeds_warnings = true; }

  /// Harmless warnings about pixels, in libtiff's words, without duplicates.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return state_->warnings; }

  /// Number of lines of fax data that were shorter than the image is wide. libtiff leaves the remainder of these lines
  /// blank.
  [[nodiscard]] std::uint64_t short_fax_lines() const { return state_->short_fax_lines; }

  /// True if the pixels read so far need no note.
  [[nodiscard]] bool is_plain() const { return warnings().empty() && short_fax_lines() == 0; }

  /// Throws if libtiff has reported an error or a warning that counts as one, or has read past the end of the file.
  void check() const;

 private:
  struct State {
    RandomAccess content;
    std::uint64_t position = 0;
    /// Replaces bytes of the file while libtiff reads the header and the directory.
    std::uint64_t changed_from = 0;
    std::vector<std::byte> changed;
    std::string problem;  ///< the first error message
    std::vector<std::string> warnings;
    std::uint64_t short_fax_lines = 0;
    bool heeds_warnings = false;
    bool lacks_extra_samples = false;
    bool ended_early = false;
    bool lacks_memory = false;

    // C code calls these functions, so they must not throw.
    void take_error(std::string text);
    void take_warning(std::string text);
  };
  struct Closer {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };

  /// Throws if the samples of a pixel have different sizes or types; libtiff would report such a file as damaged.
  void reject_mixed_samples(std::uint64_t directory) const;

  /// A copy of the file's header that refers to the directory at `offset`.
  static std::vector<std::byte> header_for(const RandomAccess& content, std::uint64_t offset);
  /// Changes the current directory so that libtiff ignores tags without a value. libtiff would report some of them as
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

// A HEIF in memory, opened with libheif: its primary image, and gpuimg's errors in place of libheif's.
#pragma once

#include <libheif/heif.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/heif/libheif.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// Frees an object of libheif by the function that it names.
struct HeifDeleter {
  void operator()(heif_context* context) const { find_libheif()->context_free(context); }
  void operator()(const heif_image_handle* handle) const { find_libheif()->image_handle_release(handle); }
  void operator()(const heif_image* image) const { find_libheif()->image_release(image); }
  void operator()(heif_decoding_options* options) const { find_libheif()->decoding_options_free(options); }
  void operator()(heif_color_profile_nclx* profile) const { find_libheif()->nclx_color_profile_free(profile); }
};
template <class T>
using HeifOwner = std::unique_ptr<T, HeifDeleter>;

class HeifFile {
 public:
  /// Opens the primary image. `bytes` and `name` (printable) must outlive the object. Throws like decode_image; for a
  /// file that is cut off, TruncatedFile.
  HeifFile(ByteSpan bytes, const std::string& name);

  [[nodiscard]] const LibHeif& library() const { return library_; }
  [[nodiscard]] heif_context* context() const { return context_.get(); }
  [[nodiscard]] const heif_image_handle* image() const { return image_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::uint64_t width() const;  ///< after transformations
  [[nodiscard]] std::uint64_t height() const;
  [[nodiscard]] std::uint64_t stored_width() const;  ///< before transformations: cropping may hide most of it
  [[nodiscard]] std::uint64_t stored_height() const;
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] int bits() const { return bits_; }  ///< of a channel, as stored
  [[nodiscard]] PixelFormat format() const;         ///< of the decoded image
  [[nodiscard]] bool is_premultiplied() const;      ///< its colors by its alpha
  [[nodiscard]] int images() const;                 ///< that the file shows
  [[nodiscard]] std::string_view brand() const;     ///< 4 letters: "heic", "avif"
  [[nodiscard]] bool is_sequence() const;

  /// Throws if a call of libheif failed.
  void check(const heif_error& error) const;

 private:
  const LibHeif& library_;
  ByteSpan bytes_;
  const std::string& name_;
  HeifOwner<heif_context> context_;
  HeifOwner<const heif_image_handle> image_;
  int bits_ = 8;
};

struct CodedSize {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

/// What the AV1 data in a file declare themselves: decoders believe that, whatever the boxes say. av1_sizes.cpp.
std::vector<CodedSize> av1_sizes(ByteSpan file);

}  // namespace gpuimg::codecs

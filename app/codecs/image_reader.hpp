// Encoded bytes to pixels: PNG, JPEG, BMP, TGA, GIF, PSD and PNM. Which library reads what, and the limits:
// docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_encoding.hpp"
#include "codecs/metadata/metadata.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

struct TextEntry {
  std::string keyword;
  std::string text;
};

struct ReadOptions {
  std::uint64_t max_pixels = std::uint64_t{1} << 30;
  bool auto_orient = true;  ///< apply the EXIF orientation
  bool lenient = false;     ///< a JPEG that libjpeg-turbo warns of is read, with notes
  int threads = 0;          ///< for PNG and JPEG; 0 = all that the caller may use
  /// Where the pixels of JPEGs, GIFs and common PNGs go, if not into memory of their own: Backend::new_image.
  std::function<Image(int width, int height, PixelFormat format)> new_image = nullptr;

  [[nodiscard]] Image image(int width, int height, PixelFormat format) const {
    return new_image ? new_image(width, height, format) : Image(width, height, format);
  }
};

struct DecodedImage {
  Image image;                                ///< u8 or u16, 1 to 4 channels
  std::string file_type;                      ///< "PNG", "JPEG", "BMP", "TGA", "GIF", "PSD" or "PNM"
  std::vector<TextEntry> text;                ///< PNG tEXt entries, in file order
  Metadata metadata;                          ///< of PNG and JPEG; as the pixels are: oriented if they are
  std::optional<JpegEncoding> jpeg_encoding;  ///< of a JPEG that gpuimg can encode alike; turned as the pixels are
  std::vector<std::string> notes;             ///< for people: "animation: first frame only"
  std::vector<std::string> details;           ///< likewise, of less weight: what of the metadata is left out
};

/// `name` stands in messages, and its ending admits headerless TGA; the type is told from the content. The header is
/// checked against the limits before anything is decoded. Throws Error{decode} for what is damaged, truncated or not
/// an image, Error{unsupported} for sound files of a kind not read (naming it), Error{out_of_memory}.
DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg

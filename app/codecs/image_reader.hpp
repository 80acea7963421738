// Decodes PNG, JPEG, BMP, TGA, GIF, PSD and PNM. Which library reads what, and the limits: docs/operations.md, "Files".
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

namespace gpuimg::codecs {

struct TextEntry {
  std::string keyword;
  std::string text;
};

struct ReadOptions {
  std::uint64_t max_pixels = std::uint64_t{1} << 30;
  bool auto_orient = true;  ///< apply the EXIF orientation
  bool lenient = false;     ///< accept a JPEG that libjpeg-turbo warns about, with notes
  int threads = 0;          ///< for PNG and JPEG; 0 = as many as the caller may use
  /// Allocates the pixels of JPEG, GIF and common PNG, for example Backend::new_image; null for ordinary memory.
  std::function<Image(int width, int height, PixelFormat format)> new_image = nullptr;

  [[nodiscard]] Image image(int width, int height, PixelFormat format) const {
    return new_image ? new_image(width, height, format) : Image(width, height, format);
  }
};

struct DecodedImage {
  Image image;                                ///< u8 or u16, 1 to 4 channels
  std::string file_type;                      ///< "PNG", "JPEG", "BMP", "TGA", "GIF", "PSD" or "PNM"
  std::vector<TextEntry> text;                ///< PNG tEXt entries, in file order
  Metadata metadata;                          ///< PNG and JPEG; matches the pixels: upright if they are
  std::optional<JpegEncoding> jpeg_encoding;  ///< of a JPEG that gpuimg can encode alike; turned as the pixels are
  std::vector<std::string> notes;             ///< for the user: "animation: first frame only"
  std::vector<std::string> details;           ///< less important notes: which metadata is left out
};

/// Identifies the format by content. `name` appears in messages, and matters for TGA, which has no signature. Checks
/// the header against the limits before decoding. Throws Error{decode} for a file that is damaged, truncated or not an
/// image, Error{unsupported} for a format or feature that gpuimg does not read, and Error{out_of_memory}.
DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg::codecs

// The chunks of a WebP: a RIFF container around VP8 or VP8L. RFC 9649.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The image, or the first frame of an animation.
struct WebpFrame {
  std::uint32_t x = 0;  ///< on the canvas
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool has_alpha = false;
  bool is_lossless = false;
  std::size_t offset = 0;  ///< in the file
  ByteSpan data;           ///< its chunks: ALPH, if there is one, and VP8 or VP8L; cut off as the file is
};

struct WebpFile {
  std::uint32_t width = 0;  ///< of the canvas
  std::uint32_t height = 0;
  bool is_animation = false;
  WebpFrame frame;
  std::size_t frames = 1;
  ByteSpan icc;
  ByteSpan exif;
  ByteSpan xmp;
  std::vector<std::string> other_chunks;  ///< printable names, at most 16
  bool has_damaged_end = false;           ///< chunks after the image are damaged

  [[nodiscard]] bool fills_canvas() const { return frame.width == width && frame.height == height; }
};

/// Reads up to the image, which may be cut off, and no chunks after it. `name` is printable. Throws like
/// Codec::declared; sizes are not limited.
WebpFile webp_beginning(ByteSpan beginning, const std::string& name);

/// Reads all chunks. Throws like decode_image.
WebpFile whole_webp(ByteSpan bytes, const std::string& name);

}  // namespace gpuimg::codecs

// Pixels to encoded bytes: PNG, JPEG, BMP and TGA. The same pixels and options always give the same bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codecs/image_reader.hpp"
#include "codecs/jpeg/jpeg_encoding.hpp"
#include "codecs/metadata/metadata.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

enum class ImageFileType { png, jpeg, bmp, tga };

/// Width and height of a chroma sample in pixels: 4:4:4 is 1×1, 4:2:2 2×1, 4:4:0 1×2, 4:2:0 2×2.
enum class ChromaSubsampling { s444, s422, s440, s420 };

struct WriteOptions {
  std::optional<ImageFileType> type;                  ///< in place of what the name says, where that decides
  int png_level = 1;                                  ///< 0 … 3: app/codecs/png/png_writer.hpp
  int jpeg_quality = 90;                              ///< 1 … 100
  std::optional<JpegEncoding> jpeg_encoding;          ///< in place of jpeg_quality; as many components as channels
  std::optional<ChromaSubsampling> jpeg_subsampling;  ///< if absent, that of jpeg_encoding, else 4:2:0
  int threads = 0;              ///< for PNG; 0 = all that the caller may use. Bytes do not depend on it
  std::vector<TextEntry> text;  ///< PNG only: tEXt entries, Latin-1, in this order
  Metadata metadata;            ///< as carried_metadata gives it for the type and the pixels
};

/// Throws Error{usage} for pixels that the type cannot hold (format_limits.hpp) and for options out of range,
/// Error{unsupported} for pixels that no image file holds, Error{out_of_memory}. `name` stands in messages. `sink` may
/// be called on other threads, by one at a time.
void encode_image(ConstView pixels, ImageFileType type, const std::string& name, const WriteOptions& options,
                  const ByteSink& sink);

/// The whole file in memory.
std::vector<std::byte> encode_image(ConstView pixels, ImageFileType type, const std::string& name,
                                    const WriteOptions& options);

}  // namespace gpuimg::codecs

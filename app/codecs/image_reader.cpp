// Identifies the format, calls its reader, and turns the image upright.
#include "codecs/image_reader.hpp"

#include <utility>

#include "codecs/format_detection.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/metadata/xmp_packet.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

/// Makes EXIF data and XMP say that the pixels are upright. Leaves out what cannot say so.
void say_upright(DecodedImage& decoded) {
  Metadata& metadata = decoded.metadata;
  reset_orientation(metadata.exif);
  if (unlink_thumbnail(metadata.exif)) {
    decoded.details.emplace_back("its EXIF thumbnail is not turned and is left out");
  }
  if (!reset_xmp_orientation(metadata.xmp)) {
    metadata.xmp.clear();
    metadata.xmp_extension.clear();
    decoded.details.emplace_back("its XMP has an orientation that cannot be reset and is left out");
  }
  if (mentions_xmp_orientation(metadata.xmp_extension)) {
    metadata.xmp_extension.clear();
    blank_xmp_extension(metadata.xmp);
    decoded.details.emplace_back("its extended XMP has an orientation that cannot be reset and is left out");
  }
}

/// Applies the EXIF orientation to the pixels, and resets it in the metadata.
void turn_upright(DecodedImage& decoded) {
  constexpr int kFirstTransposing = 5;
  const int orientation = exif_orientation(decoded.metadata.exif);
  if (orientation == 1) {
    return;
  }
  if (!decoded.picture && !decoded.is_upright) {  // a backend has turned its pixels
    decoded.image = apply_orientation(std::move(decoded.image), orientation);
  }
  say_upright(decoded);
  if (decoded.metadata.density && !decoded.is_upright && orientation >= kFirstTransposing) {
    std::swap(decoded.metadata.density->x, decoded.metadata.density->y);
  }
  if (decoded.jpeg_encoding && orientation >= kFirstTransposing) {
    decoded.jpeg_encoding = transposed(*decoded.jpeg_encoding);
  }
}

}  // namespace

DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const std::string shown = name == "-" ? "standard input" : printable_name(name);
  const Codec& codec = detected_codec(bytes, shown);
  DecodedImage decoded = codec.decode(bytes, shown, options);
  decoded.file_format = codec.format;
  if (options.auto_orient || decoded.is_upright) {
    turn_upright(decoded);
  }
  return decoded;
}

}  // namespace gpuimg::codecs

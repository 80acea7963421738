// Decodes JPEG, in parts if that is faster. Strictness: docs/operations.md, "Files".
#include "codecs/jpeg/jpeg_reader.hpp"

#include <fmt/format.h>

#include <vector>

#include "codecs/allowed_threads.hpp"
#include "codecs/cmyk.hpp"
#include "codecs/jpeg/jpeg_description.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"
#include "codecs/jpeg/jpeg_parts.hpp"
#include "codecs/jpeg/jpeg_rows.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {

namespace {

void check_kind(const JpegHeader& header, const ReadOptions& options, const std::string& name) {
  check_size(name, header.width, header.height, options.max_pixels);
  if (header.width > JPEG_MAX_DIMENSION || header.height > JPEG_MAX_DIMENSION) {
    refuse_unsupported(name, fmt::format("JPEG of more than {} pixels a side", JPEG_MAX_DIMENSION));
  }
}

/// Null `cuts`: chosen automatically.
Image read_pixels(const JpegFile& file, JpegRows& whole, const ReadOptions& options, const std::vector<int>* cuts) {
  const int width = static_cast<int>(file.header.width);
  const int threads = allowed_threads(options.threads);
  Image image = options.image(width, file.height(), {Sample::u8, file.header.components == 1 ? 1 : 3});
  const int parts = jpeg_part_count(width, file.height(), threads);
  const std::vector<int> chosen = jpeg_cuts(file.height(), parts, jpeg_skip_cost(file));
  if (!read_jpeg_parts(file, whole, cuts != nullptr ? *cuts : chosen, threads, image.view())) {
    whole.read_to(file.height(), image.view());
    whole.finish();
  }
  return image;
}

/// Returns nullopt if the host must decode the file.
std::optional<Picture> decoded_on_backend(ByteSpan bytes, const Metadata& metadata, const ReadOptions& options) {
  std::optional<EncodedJpeg> encoded = options.decode_on_backend ? describe_jpeg(bytes) : std::nullopt;
  if (!encoded) {
    return std::nullopt;
  }
  encoded->orientation = options.auto_orient ? exif_orientation(metadata.exif) : 1;
  return options.decode_on_backend(*encoded);
}

/// Null `cuts`: chosen automatically.
DecodedImage read(ByteSpan bytes, const std::string& name, const ReadOptions& options, const std::vector<int>* cuts) {
  const JpegHeader header = read_jpeg_header(bytes, name);
  check_kind(header, options, name);
  DecodedImage decoded;
  decoded.metadata = read_jpeg_metadata(header, decoded.details);
  const JpegFile file{bytes, header, name};
  JpegRows whole(file, options.lenient);
  decoded.jpeg_encoding = whole.encoding();
  decoded.picture = decoded_on_backend(bytes, decoded.metadata, options);
  if (!decoded.picture) {
    decoded.image = read_pixels(file, whole, options, cuts);
  }
  decoded.notes = whole.warnings();
  if (header.pictures > 1) {
    decoded.notes.emplace_back("JPEG of several pictures (MPO): first picture only");
  }
  if (file.is_cmyk()) {
    decoded.notes.emplace_back(kCmykNote);
  }
  return decoded;
}

}  // namespace

DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  return read(bytes, name, options, nullptr);
}

DecodedImage read_jpeg_cut_at(const std::vector<int>& cuts, std::span<const std::byte> bytes, const std::string& name,
                              const ReadOptions& options) {
  return read(bytes, name, options, &cuts);
}

}  // namespace gpuimg::codecs

// Decodes JPEG, in parts if that is faster. Strictness: docs/operations.md, "Files".
#include "codecs/jpeg/jpeg_reader.hpp"

#include <fmt/format.h>

#include <vector>

#include "codecs/allowed_threads.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"
#include "codecs/jpeg/jpeg_parts.hpp"
#include "codecs/jpeg/jpeg_rows.hpp"
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
DecodedImage read(ByteSpan bytes, const std::string& name, const ReadOptions& options, const std::vector<int>* cuts) {
  const JpegHeader header = read_jpeg_header(bytes, name);
  check_kind(header, options, name);
  const JpegFile file{bytes, header, name};
  const int width = static_cast<int>(header.width);
  const int threads = allowed_threads(options.threads);
  DecodedImage decoded;
  JpegRows whole(file, options.lenient);
  decoded.image = options.image(width, file.height(), {Sample::u8, header.components == 1 ? 1 : 3});
  decoded.jpeg_encoding = whole.encoding();
  const View pixels = decoded.image.view();
  const int parts = jpeg_part_count(width, file.height(), threads);
  const std::vector<int> chosen = jpeg_cuts(file.height(), parts, jpeg_skip_cost(file));
  if (!read_jpeg_parts(file, whole, cuts != nullptr ? *cuts : chosen, threads, pixels)) {
    whole.read_to(file.height(), pixels);
    whole.finish();
  }
  decoded.notes = whole.warnings();
  if (file.is_cmyk()) {
    decoded.notes.emplace_back("CMYK is converted to RGB without color management");
  }
  decoded.metadata = read_jpeg_metadata(header, decoded.details);
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

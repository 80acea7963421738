// JPEG to pixels, and what else the file says. How strictly: docs/operations.md, "Files".
#include "files/jpeg_reader.hpp"

#include <fmt/format.h>

#include "files/jpeg_header.hpp"
#include "files/jpeg_metadata.hpp"
#include "files/jpeg_rows.hpp"
#include "files/refusals.hpp"

namespace gpuimg {

namespace {

void check_kind(const JpegHeader& header, const ReadOptions& options, const std::string& name) {
  check_size(name, header.width, header.height, options.max_pixels);
  if (header.width > JPEG_MAX_DIMENSION || header.height > JPEG_MAX_DIMENSION) {
    refuse_unsupported(name, fmt::format("JPEG of more than {} pixels a side", JPEG_MAX_DIMENSION));
  }
  if (header.components != 1 && header.components != 3 && header.components != 4) {
    refuse_unsupported(name, fmt::format("JPEG of {} channels", header.components));
  }
}

}  // namespace

DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const JpegHeader header = read_jpeg_header(bytes, name);
  check_kind(header, options, name);
  const JpegFile file{bytes, header, name};
  DecodedImage decoded;
  decoded.file_type = "JPEG";
  JpegRows rows(file, options.lenient);
  decoded.image =
      options.image(static_cast<int>(header.width), file.height(), {Sample::u8, header.components == 1 ? 1 : 3});
  rows.read_to(file.height(), decoded.image.view());
  rows.finish();
  decoded.notes = rows.warnings();
  if (file.has_inks()) {
    decoded.notes.emplace_back("CMYK is converted to RGB without color management");
  }
  decoded.metadata = read_jpeg_metadata(header, decoded.details);
  return decoded;
}

}  // namespace gpuimg

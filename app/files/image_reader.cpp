// Tells the kind of file and hands it to its reader.
#include "files/image_reader.hpp"

#include "files/byte_fields.hpp"
#include "files/file_kind.hpp"
#include "files/jpeg_header.hpp"
#include "files/jpeg_reader.hpp"
#include "files/png_reader.hpp"
#include "files/printable_name.hpp"
#include "files/stb_reader.hpp"

namespace gpuimg {

DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const std::string shown = name == "-" ? "standard input" : printable_name(name);
  const FileKind kind = tell_file_kind(bytes, shown);
  switch (kind) {
    case FileKind::png: return read_png(bytes, shown, options);
    case FileKind::jpeg: return read_jpeg(bytes, shown, options);
    default: return read_with_stb(bytes, kind, shown, options);
  }
}

std::uint64_t declared_pixels(std::span<const std::byte> bytes) {
  constexpr std::size_t kPngHeader = 24;
  try {
    const FileKind kind = tell_file_kind(bytes, "");
    if (kind == FileKind::png && bytes.size() >= kPngHeader) {
      return std::uint64_t{u32be_at(bytes, 16)} * u32be_at(bytes, 20);
    }
    if (kind == FileKind::jpeg) {
      const JpegHeader header = read_jpeg_header(bytes, "");
      return std::uint64_t{header.width} * header.height;
    }
  } catch (const Error&) {
    return 0;  // decode_image says what is wrong
  }
  return 0;
}

}  // namespace gpuimg

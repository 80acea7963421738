// Tells the kind of file and hands it to its reader.
#include "files/image_reader.hpp"

#include "files/file_kind.hpp"
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

}  // namespace gpuimg

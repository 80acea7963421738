// Which writer encodes what: app/files/image_writer.hpp.
#include "files/image_writer.hpp"

#include <fmt/format.h>

#include "files/jpeg_writer.hpp"
#include "files/png_writer.hpp"
#include "files/printable_name.hpp"
#include "files/stb_writer.hpp"

namespace gpuimg {
namespace {

void check(ConstView pixels, const std::string& name, const WriteOptions& options) {
  if (!pixels.format.is_photographic() || pixels.width < 1 || pixels.height < 1) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: image files hold 1 to 4 channels of 8 or 16 bits; write .npy",
                            printable_name(name)));
  }
  if (options.png_level < 0 || options.png_level > 3) {
    throw Error(ErrorKind::usage, fmt::format("PNG level {}: out of range; use 0 to 3", options.png_level));
  }
  if (options.jpeg_quality < 1 || options.jpeg_quality > 100) {
    throw Error(ErrorKind::usage, fmt::format("JPEG quality {}: out of range; use 1 to 100", options.jpeg_quality));
  }
  if (options.threads < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} threads: out of range; use 1 or more, or 0 for all", options.threads));
  }
}

}  // namespace

Bytes encode_image(ConstView pixels, ImageFileType type, const std::string& name, const WriteOptions& options) {
  check(pixels, name, options);
  switch (type) {
    case ImageFileType::png: return encode_png(pixels, name, options);
    case ImageFileType::jpeg: return encode_jpeg(pixels, name, options);
    case ImageFileType::bmp: return encode_bmp(pixels, name);
    case ImageFileType::tga: return encode_tga(pixels, name);
  }
  return {};
}

}  // namespace gpuimg

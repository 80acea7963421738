// Which writer encodes what: app/codecs/image_writer.hpp.
#include "codecs/image_writer.hpp"

#include <fmt/format.h>

#include "codecs/format_limits.hpp"
#include "codecs/jpeg/jpeg_writer.hpp"
#include "codecs/png/png_writer.hpp"
#include "codecs/stb/stb_writer.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

void check(ConstView pixels, ImageFileType type, const std::string& name, const WriteOptions& options) {
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
  check_holds(type, pixels.width, pixels.height, pixels.format, name);
}

}  // namespace

void encode_image(ConstView pixels, ImageFileType type, const std::string& name, const WriteOptions& options,
                  const ByteSink& sink) {
  check(pixels, type, name, options);
  switch (type) {
    case ImageFileType::png: return encode_png(pixels, name, options, sink);
    case ImageFileType::jpeg: return sink(encode_jpeg(pixels, name, options).span());
    case ImageFileType::bmp: return sink(encode_bmp(pixels, name).span());
    case ImageFileType::tga: return sink(encode_tga(pixels, name).span());
  }
}

std::vector<std::byte> encode_image(ConstView pixels, ImageFileType type, const std::string& name,
                                    const WriteOptions& options) {
  std::vector<std::byte> file;
  encode_image(pixels, type, name, options,
               [&](std::span<const std::byte> part) { file.insert(file.end(), part.begin(), part.end()); });
  return file;
}

}  // namespace gpuimg::codecs

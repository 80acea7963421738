// Checks what the formats and stb can hold, then calls stb_image_write.
#include "codecs/stb/stb_writer.hpp"

#include <fmt/format.h>
#include <stb_image_write.h>

#include <optional>
#include <stdexcept>

#include "codecs/growing_bytes.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

void collect(void* bytes, void* data, int size) {
  static_cast<GrowingBytes*>(bytes)->append({static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
}

using StbWriter = int (*)(stbi_write_func*, void*, int, int, int, const void*);

Bytes encode(StbWriter write, ConstView pixels, const std::string& name) {
  // stb requires rows without padding.
  std::optional<Image> tight;
  if (pixels.pitch_bytes != pixels.tight_pitch_bytes() && pixels.height > 1) {
    tight = copy_of(pixels);
    pixels = tight->view();
  }
  GrowingBytes packed;
  if (write(collect, &packed, pixels.width, pixels.height, pixels.format.channels, pixels.data) == 0) {
    throw std::logic_error("stb_image_write refused its arguments");
  }
  if (packed.failed()) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("{}: cannot write: not enough memory; use a smaller image", printable_name(name)));
  }
  return packed.take();
}

}  // namespace

void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& /*options*/, const ByteSink& sink) {
  sink(encode(stbi_write_bmp_to_func, pixels, name).span());
}

void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& /*options*/, const ByteSink& sink) {
  sink(encode(stbi_write_tga_to_func, pixels, name).span());
}

}  // namespace gpuimg::codecs

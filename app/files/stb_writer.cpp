// Pixels to BMP and TGA through stb_image_write: app/files/stb_writer.hpp.
#include "files/stb_writer.hpp"

#include <fmt/format.h>
#include <stb_image_write.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "files/growing_bytes.hpp"
#include "files/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr int kTgaMostPixels = 65535;

void collect(void* bytes, void* data, int size) {
  static_cast<GrowingBytes*>(bytes)->append({static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: cannot write: {}", printable_name(name), why));
}

void check(ConstView pixels, const char* type, const std::string& name) {
  if (pixels.format.sample != Sample::u8) {
    refuse(name, fmt::format("{} holds 8 bits a channel, not 16; write PNG", type));
  }
  // stb's arithmetic is in int: rows of up to four bytes a pixel, padding and headers must fit.
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  constexpr std::size_t kHeaders = 256;
  const auto width = static_cast<std::size_t>(pixels.width);
  if (width > kMost / 4 - kHeaders || (width * 4 + 4) > (kMost - kHeaders) / static_cast<std::size_t>(pixels.height)) {
    refuse(name, fmt::format("{}x{} pixels are too many for {}; write PNG", pixels.width, pixels.height, type));
  }
}

using StbWriter = int (*)(stbi_write_func*, void*, int, int, int, const void*);

Bytes encode(StbWriter write, ConstView pixels, const std::string& name) {
  // stb takes rows without padding only.
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

Bytes encode_bmp(ConstView pixels, const std::string& name) {
  check(pixels, "BMP", name);
  if (pixels.format.channels == 2) {
    refuse(name, "BMP does not hold gray with alpha; write PNG or TGA");
  }
  return encode(stbi_write_bmp_to_func, pixels, name);
}

Bytes encode_tga(ConstView pixels, const std::string& name) {
  check(pixels, "TGA", name);
  if (pixels.width > kTgaMostPixels || pixels.height > kTgaMostPixels) {
    refuse(name, fmt::format("TGA holds at most {} pixels a side, not {}x{}; write PNG", kTgaMostPixels, pixels.width,
                             pixels.height));
  }
  return encode(stbi_write_tga_to_func, pixels, name);
}

}  // namespace gpuimg

// Checks what the formats and stb can hold, then calls stb_image_write.
#include "codecs/stb/stb_writer.hpp"

#include <fmt/format.h>
#include <stb_image_write.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "codecs/growing_bytes.hpp"
#include "codecs/metadata/metadata_filter.hpp"
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

/// Into the fields of the header that stb leaves 0.
void set_density(Bytes& bmp, const PixelDensity& density) {
  constexpr std::size_t kPixelsPerMeterAt = 38;
  const PixelDensity per_meter = density_for_png(density);
  const std::array values = {per_meter.x, per_meter.y};
  for (std::size_t i = 0; i < 8; ++i) {
    bmp.data[kPixelsPerMeterAt + i] = static_cast<std::byte>(values[i / 4] >> (8 * (i % 4)));
  }
}

}  // namespace

void fit_bmp_metadata(Metadata& metadata, MetadataFilter& filter) {
  filter.drop_all_but_density(metadata, "gpuimg writes only the pixel density to BMP");
  if (metadata.density && metadata.density->unit == DensityUnit::none) {
    filter.drop(metadata.density, "the pixel density", "BMP holds it with a unit only");
  }
}

void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  Bytes bmp = encode(stbi_write_bmp_to_func, pixels, name);
  if (options.metadata.density) {
    set_density(bmp, *options.metadata.density);
  }
  sink(bmp.span());
}

void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& /*options*/, const ByteSink& sink) {
  sink(encode(stbi_write_tga_to_func, pixels, name).span());
}

}  // namespace gpuimg::codecs

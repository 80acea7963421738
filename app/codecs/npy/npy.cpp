// The header is npy_header's; the data follows it as it lies in memory.
#include "codecs/npy/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "codecs/npy/npy_header.hpp"
#include "codecs/refusals.hpp"
#include "codecs/sample_order.hpp"

namespace gpuimg::codecs {
namespace {

static_assert(std::endian::native == std::endian::little, "only big-endian .npy data is swapped");

bool is_image(const NpyLayout& layout) {
  return layout.format.sample == Sample::u8 || layout.format.sample == Sample::u16;
}

std::string_view color_of(const NpyLayout& layout) {
  return !is_image(layout) ? "table" : layout.format.color_channels() == 3 ? "RGB" : "gray";
}

/// Returns the bytes after the header; refuses the file if there are too few or too many.
std::span<const std::byte> data_of(std::span<const std::byte> after_header, const NpyLayout& layout,
                                   const std::string& name) {
  const std::uint64_t pixels = static_cast<std::uint64_t>(layout.width) * static_cast<std::uint64_t>(layout.height);
  const std::uint64_t pixel_bytes = layout.format.bytes_per_pixel();
  const bool whole = after_header.size() % pixel_bytes == 0 && after_header.size() / pixel_bytes == pixels;
  if (!whole) {
    const bool is_short = after_header.size() / pixel_bytes < pixels;
    fail_npy(ErrorKind::decode, name,
             fmt::format("damaged npy file: {} after the header than {}x{} pixels of {} bytes need",
                         is_short ? "fewer bytes" : "more bytes", layout.width, layout.height, pixel_bytes));
  }
  return after_header;
}

/// The rows of an image may have padding.
void copy_rows(std::span<const std::byte> data, const NpyLayout& layout, View to) {
  const std::size_t row_bytes = to.tight_pitch_bytes();
  for (int y = 0; y < to.height; ++y) {
    const std::byte* from = data.data() + static_cast<std::size_t>(y) * row_bytes;
    if (layout.is_big_endian) {
      swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(to.row_bytes(y)),
                        row_bytes);
    } else {
      std::memcpy(to.row_bytes(y), from, row_bytes);
    }
  }
}

class NpyWriter final : public RowWriter {
 public:
  NpyWriter(int width, int height, PixelFormat format, const ByteSink& sink) : sink_(sink) {
    const std::string header = npy_header_for(width, height, format);
    sink_(std::as_bytes(std::span(header)));
  }
  void write(ConstView rows) override {
    const std::size_t row_bytes = rows.tight_pitch_bytes();
    if (rows.pitch_bytes == row_bytes) {
      return sink_({rows.data, row_bytes * static_cast<std::size_t>(rows.height)});
    }
    for (int y = 0; y < rows.height; ++y) {
      sink_({rows.row_bytes(y), row_bytes});
    }
  }
  void finish() override {}

 private:
  const ByteSink& sink_;
};

}  // namespace

std::unique_ptr<RowWriter> open_npy_writer(int width, int height, PixelFormat format, const ByteSink& sink) {
  return std::make_unique<NpyWriter>(width, height, format, sink);
}

DeclaredImage declared_npy(std::span<const std::byte> beginning, const std::string& name) {
  const NpyLayout file = read_npy_header(beginning, name);
  DeclaredImage declared;
  declared.width = static_cast<std::uint64_t>(file.width);
  declared.height = static_cast<std::uint64_t>(file.height);
  declared.bytes_per_pixel = file.format.bytes_per_pixel();
  declared.color = color_of(file);
  declared.bits = static_cast<int>(8 * sample_bytes(file.format.sample));
  declared.decoded = file.format;
  declared.facts = {{"dtype", file.type}, {"shape", file.shape}};
  return declared;
}

Image decode_npy(std::span<const std::byte> bytes, const std::string& name) {
  const NpyLayout layout = read_npy_header(bytes, name);
  const auto data = data_of(bytes.subspan(layout.data_offset), layout, name);
  Image image(layout.width, layout.height, layout.format);
  copy_rows(data, layout, image.view());
  return image;
}

DecodedImage read_npy(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const NpyLayout layout = read_npy_header(bytes, name);
  if (!is_image(layout)) {
    refuse_npy(name, "npy type '" + layout.type + "', a table instead of an image,", type_advice(layout.type));
  }
  check_size(name, static_cast<std::uint64_t>(layout.width), static_cast<std::uint64_t>(layout.height),
             options.max_pixels);
  const auto data = data_of(bytes.subspan(layout.data_offset), layout, name);
  DecodedImage decoded;
  decoded.image = options.image(layout.width, layout.height, layout.format);
  copy_rows(data, layout, decoded.image.view());
  return decoded;
}

}  // namespace gpuimg::codecs

// The header is npy_header's; the data follows it as it lies in memory.
#include "codecs/npy/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <new>

#include "codecs/npy/npy_header.hpp"

namespace gpuimg::codecs {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy data is copied without swapping bytes");

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

}  // namespace

Bytes encode_npy(ConstView pixels) {
  const std::string header = npy_header_for(pixels.width, pixels.height, pixels.format);
  const std::size_t row_bytes = pixels.tight_pitch_bytes();
  Bytes bytes;
  bytes.size = header.size() + row_bytes * static_cast<std::size_t>(pixels.height);
  bytes.data.reset(new (std::nothrow) std::byte[bytes.size]);
  if (bytes.data == nullptr) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("npy: cannot allocate {} bytes; use a smaller image", bytes.size));
  }
  std::byte* out = bytes.data.get();
  std::memcpy(out, header.data(), header.size());
  out += header.size();
  for (int y = 0; y < pixels.height; ++y) {
    std::memcpy(out, pixels.row_bytes(y), row_bytes);
    out += row_bytes;
  }
  return bytes;
}

DeclaredImage declared_npy(std::span<const std::byte> beginning, const std::string& name) {
  const NpyLayout file = read_npy_header(beginning, name);
  DeclaredImage declared;
  declared.width = static_cast<std::uint64_t>(file.width);
  declared.height = static_cast<std::uint64_t>(file.height);
  declared.bytes_per_pixel = file.format.bytes_per_pixel();
  declared.color = "table";
  declared.bits = static_cast<int>(8 * sample_bytes(file.format.sample));
  declared.decoded = file.format;
  declared.facts = {{"dtype", file.type}, {"shape", file.shape}};
  return declared;
}

Image decode_npy(std::span<const std::byte> bytes, const std::string& name) {
  const NpyLayout layout = read_npy_header(bytes, name);
  const auto data = data_of(bytes.subspan(layout.data_offset), layout, name);
  Image image(layout.width, layout.height, layout.format);
  std::memcpy(image.view().data, data.data(), data.size());
  return image;
}

}  // namespace gpuimg::codecs

// NumPy's .npy, version 1.0: magic, version, length of the header, the header (a Python dictionary as text, padded with
// spaces so that the data starts at a multiple of 64), data. app/codecs/npy/npy.hpp.
#include "codecs/npy/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

#include "codecs/npy/npy_header.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

static_assert(std::endian::native == std::endian::little,
              ".npy is written and read as the machine's own little endian");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderStart = 10;  // magic, version and the header's length in two bytes
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kAdvice = "save it with numpy.save";

struct SampleName {
  Sample sample;
  std::string_view text;
};
constexpr std::array<SampleName, 6> kSampleNames = {{{Sample::u8, "|u1"},
                                                     {Sample::u16, "<u2"},
                                                     {Sample::u32, "<u4"},
                                                     {Sample::u64, "<u8"},
                                                     {Sample::f32, "<f4"},
                                                     {Sample::f64, "<f8"}}};

std::string header_for(ConstView pixels) {
  const auto* entry = std::find_if(kSampleNames.begin(), kSampleNames.end(),
                                   [&](const SampleName& known) { return known.sample == pixels.format.sample; });
  const std::string depth = pixels.format.channels == 1 ? "" : fmt::format(", {}", pixels.format.channels);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}{}), }}", entry->text,
                                   pixels.height, pixels.width, depth);
  const std::size_t used = kHeaderStart + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  return header + '\n';
}

[[noreturn]] void fail(ErrorKind kind, const std::string& name, const std::string& why) {
  throw Error(kind, fmt::format("{}: {}; {}", printable_name(name), why, kAdvice));
}

std::string text_of(const std::vector<std::uint64_t>& shape) {
  constexpr std::size_t kShown = 8;
  const auto end = shape.begin() + static_cast<std::ptrdiff_t>(std::min(shape.size(), kShown));
  return fmt::format("({}{})", fmt::join(shape.begin(), end, ","), shape.size() > kShown ? ",..." : "");
}

struct Layout {
  int width = 0;
  int height = 0;
  PixelFormat format;
};

Layout layout_of(const NpyHeader& header, const std::string& name) {
  const auto* type = std::find_if(kSampleNames.begin(), kSampleNames.end(),
                                  [&](const SampleName& known) { return known.text == header.descr; });
  if (type == kSampleNames.end()) {
    fail(ErrorKind::unsupported, name,
         fmt::format("npy type '{}' is not supported; gpuimg reads |u1, <u2, <u4, <u8, <f4 and <f8",
                     printable_name(header.descr.substr(0, 16))));
  }
  if (header.fortran_order) {
    fail(ErrorKind::unsupported, name, "npy in Fortran order is not supported; use numpy.ascontiguousarray");
  }
  const std::vector<std::uint64_t>& shape = header.shape;
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  const bool fits = (shape.size() == 2 || (shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4)) && shape[0] >= 1 &&
                    shape[0] <= kMost && shape[1] >= 1 && shape[1] <= kMost;
  if (!fits) {
    fail(ErrorKind::unsupported, name,
         fmt::format("npy shape {} is not supported; gpuimg reads (h,w) and (h,w,c) with c from 1 to 4",
                     text_of(shape)));
  }
  const int channels = shape.size() == 2 ? 1 : static_cast<int>(shape[2]);
  return {static_cast<int>(shape[1]), static_cast<int>(shape[0]), {type->sample, channels}};
}

/// The bytes after the header, checked to be there and no more.
std::span<const std::byte> data_of(std::span<const std::byte> after_header, const Layout& layout,
                                   const std::string& name) {
  const std::uint64_t pixels = static_cast<std::uint64_t>(layout.width) * static_cast<std::uint64_t>(layout.height);
  const std::uint64_t pixel_bytes = layout.format.bytes_per_pixel();
  const bool whole = after_header.size() % pixel_bytes == 0 && after_header.size() / pixel_bytes == pixels;
  if (!whole) {
    const bool is_short = after_header.size() / pixel_bytes < pixels;
    fail(ErrorKind::decode, name,
         fmt::format("damaged npy file: {} after the header than {}x{} pixels of {} bytes take",
                     is_short ? "fewer bytes" : "more bytes", layout.width, layout.height, pixel_bytes));
  }
  return after_header;
}

}  // namespace

Bytes encode_npy(ConstView pixels) {
  const std::string header = header_for(pixels);
  const std::size_t row_bytes = pixels.tight_pitch_bytes();
  Bytes bytes;
  bytes.size = kHeaderStart + header.size() + row_bytes * static_cast<std::size_t>(pixels.height);
  bytes.data.reset(new (std::nothrow) std::byte[bytes.size]);
  if (bytes.data == nullptr) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("npy: cannot allocate {} bytes; use a smaller image", bytes.size));
  }
  const std::array<char, 4> start = {1, 0, static_cast<char>(header.size() & 0xFFU),
                                     static_cast<char>(header.size() >> 8)};
  std::byte* out = bytes.data.get();
  std::memcpy(out, kMagic.data(), kMagic.size());
  std::memcpy(out + kMagic.size(), start.data(), start.size());
  std::memcpy(out + kHeaderStart, header.data(), header.size());
  out += kHeaderStart + header.size();
  for (int y = 0; y < pixels.height; ++y) {
    std::memcpy(out, pixels.row_bytes(y), row_bytes);
    out += row_bytes;
  }
  return bytes;
}

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Image decode_npy(std::span<const std::byte> bytes, const std::string& name) {
  if (!is_npy(bytes) || bytes.size() < kHeaderStart) {
    fail(ErrorKind::decode, name, "not a whole npy file");
  }
  const auto byte_at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  if (byte_at(6) != 1 || byte_at(7) != 0) {
    fail(ErrorKind::unsupported, name,
         fmt::format("npy version {}.{} is not supported; gpuimg reads 1.0", byte_at(6), byte_at(7)));
  }
  const std::size_t header_size = byte_at(8) | byte_at(9) << 8;
  if (bytes.size() - kHeaderStart < header_size) {
    fail(ErrorKind::decode, name, "damaged npy file: it ends within its header");
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data() + kHeaderStart);
  const auto header = parse_npy_header({text, header_size});
  if (!header) {
    fail(ErrorKind::decode, name, "damaged npy file: its header is not one that NumPy writes");
  }
  const Layout layout = layout_of(*header, name);
  const auto data = data_of(bytes.subspan(kHeaderStart + header_size), layout, name);
  Image image(layout.width, layout.height, layout.format);
  std::memcpy(image.view().data, data.data(), data.size());
  return image;
}

}  // namespace gpuimg

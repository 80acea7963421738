// Checks that the file is long enough before it allocates pixels, then unpacks row by row.
#include "codecs/bmp/bmp_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "codecs/bmp/bmp_header.hpp"
#include "codecs/bmp/bmp_metadata.hpp"
#include "codecs/bmp/bmp_runs.hpp"
#include "codecs/refusals.hpp"
#include "codecs/stored_rows.hpp"

namespace gpuimg::codecs {
namespace {

std::vector<RgbColor> read_palette(ByteSpan bytes, const BmpHeader& header) {
  std::vector<RgbColor> palette(header.colors);
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const ByteSpan entry = bytes.subspan(header.palette + i * header.palette_entry_bytes);
    palette[i] = {entry[2], entry[1], entry[0]};
  }
  return palette;
}

void unpack_indices(const std::byte* from, std::uint32_t bits, std::span<const RgbColor> palette,
                    const std::string& name, std::byte* to, int width) {
  const std::uint32_t mask = (1U << bits) - 1;
  for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x, to += 3) {
    const std::size_t bit = x * bits;
    const std::uint32_t index = std::to_integer<std::uint32_t>(from[bit / 8]) >> (8 - bits - bit % 8) & mask;
    if (index >= palette.size()) {
      refuse_damaged(name,
                     fmt::format("a pixel has color index {}, but its palette has size {}", index, palette.size()));
    }
    std::copy_n(palette[index].begin(), 3, to);
  }
}

void unpack_24(const std::byte* from, std::byte* to, int width) {
  for (int x = 0; x < width; ++x, from += 3, to += 3) {
    to[0] = from[2];
    to[1] = from[1];
    to[2] = from[0];
  }
}

/// A channel of masked pixels.
class MaskedChannel {
 public:
  explicit MaskedChannel(std::uint32_t mask) : mask_(mask), shift_(mask == 0 ? 0 : std::countr_zero(mask)) {
    const int bits = std::popcount(mask);
    for (std::uint32_t value = 0; value < 1U << bits; ++value) {
      levels_[value] = bits == 0 ? std::byte{0} : widened(value, bits);
    }
  }

  [[nodiscard]] std::byte level(std::uint32_t pixel) const { return levels_[(pixel & mask_) >> shift_]; }

 private:
  /// Repeats the bits of a value until there are eight: 10110 becomes 10110101.
  static std::byte widened(std::uint32_t value, int bits) {
    std::uint32_t wide = 0;
    int have = 0;
    for (; have < 8; have += bits) {
      wide = wide << bits | value;
    }
    return static_cast<std::byte>(wide >> (have - 8));
  }

  std::uint32_t mask_;
  int shift_;
  std::array<std::byte, 256> levels_{};
};

void unpack_masked(ByteSpan from, std::size_t pixel_bytes, std::span<const MaskedChannel> channels, std::byte* to,
                   int width) {
  for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
    const std::uint32_t pixel = pixel_bytes == 2 ? u16le_at(from, 2 * x) : u32le_at(from, 4 * x);
    for (const MaskedChannel& channel : channels) {
      *to++ = channel.level(pixel);
    }
  }
}

void read_rows(ByteSpan rows, const BmpHeader& header, std::span<const RgbColor> palette, const std::string& name,
               View to) {
  std::vector<MaskedChannel> channels;
  for (int c = 0; c < to.format.channels; ++c) {
    channels.emplace_back(header.masks[static_cast<std::size_t>(c)]);
  }
  for (int y = 0; y < to.height; ++y) {
    const int stored = header.is_top_down ? y : to.height - 1 - y;
    const ByteSpan row = rows.subspan(static_cast<std::size_t>(stored) * header.row_bytes(), header.row_bytes());
    if (header.has_palette()) {
      unpack_indices(row.data(), header.bits, palette, name, to.row_bytes(y), to.width);
    } else if (header.bits == 24) {
      unpack_24(row.data(), to.row_bytes(y), to.width);
    } else {
      unpack_masked(row, header.bits / 8, channels, to.row_bytes(y), to.width);
    }
  }
}

/// Of the widest channel, or of an index.
int channel_bits(const BmpHeader& header) {
  const auto wider = [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); };
  return header.has_palette() ? static_cast<int>(header.bits)
                              : std::popcount(*std::max_element(header.masks.begin(), header.masks.end(), wider));
}

PixelFormat format_of(const BmpHeader& header) { return {Sample::u8, header.has_alpha() ? 4 : 3}; }

/// The pixels' bytes: of rows, exactly as many as they take.
ByteSpan pixel_bytes(ByteSpan bytes, const BmpHeader& header, const std::string& name) {
  if (header.pixels < header.palette) {
    refuse_damaged(name, "its pixels start inside its header");
  }
  require_bytes(bytes, header.pixels, name);
  const ByteSpan rest = bytes.subspan(header.pixels);
  if (header.packing != BmpHeader::Packing::plain) {
    return rest;
  }
  if (rest.size() / header.row_bytes() < header.height) {
    refuse_truncated(name);
  }
  return rest.first(header.row_bytes() * static_cast<std::size_t>(header.height));
}

}  // namespace

DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const BmpHeader header = read_bmp_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  const ByteSpan pixels = pixel_bytes(bytes, header, name);
  const bool has_runs = header.packing != BmpHeader::Packing::plain;
  if (has_runs) {
    constexpr std::uint64_t kMaxPixelsPerByte = 128;  // a run takes two bytes
    check_coverage(name, header.width * header.height, pixels.size() * kMaxPixelsPerByte, options);
  }
  DecodedImage decoded;
  decoded.image = options.image(static_cast<int>(header.width), static_cast<int>(header.height), format_of(header));
  const std::vector<RgbColor> palette = read_palette(bytes, header);
  has_runs ? read_bmp_runs(pixels, header, palette, name, decoded.image.view())
           : read_rows(pixels, header, palette, name, decoded.image.view());
  decoded.metadata = read_bmp_metadata(bytes, header, decoded.details);
  return decoded;
}

std::optional<DecodedImage> open_bmp_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options) {
  const std::vector<std::byte> beginning = beginning_of(file);
  const BmpHeader header = read_bmp_header(beginning, name);
  check_size(name, header.width, header.height, options.max_pixels);
  const std::uint64_t palette_end = header.palette + header.colors * header.palette_entry_bytes;
  if (header.packing != BmpHeader::Packing::plain || header.pixels < header.palette || header.pixels > file.size ||
      palette_end > beginning.size() || (file.size - header.pixels) / header.row_bytes() < header.height) {
    return std::nullopt;
  }
  DecodedImage opened;
  opened.rows = std::make_shared<StoredRowReader>(
      static_cast<int>(header.width), static_cast<int>(header.height), format_of(header), file,
      StoredRows{header.pixels, header.row_bytes(), !header.is_top_down},
      [header, name, palette = read_palette(beginning, header)](ByteSpan stored, View to) {
        read_rows(stored, header, palette, name, to);
      });
  return opened;
}

DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name) {
  const BmpHeader header = read_bmp_header(beginning, name);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = header.has_palette() ? "palette" : "RGB";
  declared.bits = channel_bits(header);
  declared.palette_colors = static_cast<int>(header.colors);
  declared.decoded = format_of(header);
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.facts = {{"bits_per_pixel", std::uint64_t{header.bits}},
                    {"run_length_coded", header.packing != BmpHeader::Packing::plain}};
  return declared;
}

}  // namespace gpuimg::codecs

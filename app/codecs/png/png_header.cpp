// Parses IHDR, and finds palette and transparency. PNG specification, third edition, section 11.2.
#include "codecs/png/png_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "codecs/png/png_chunks.hpp"
#include "codecs/png/png_text.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

struct ColorType {
  std::string_view color;
  int channels = 0;  ///< decoded, without tRNS; 0 for an invalid type
  bool holds_alpha = false;
  std::uint32_t bit_depths = 0;  ///< their sum: each is a power of two
};

constexpr std::array<ColorType, 7> kColorTypes = {{{"gray", 1, false, 1 + 2 + 4 + 8 + 16},
                                                   {},
                                                   {"RGB", 3, false, 8 + 16},
                                                   {"palette", 3, false, 1 + 2 + 4 + 8},
                                                   {"gray", 2, true, 8 + 16},
                                                   {},
                                                   {"RGB", 4, true, 8 + 16}}};
constexpr std::uint32_t kPalette = 3;

const ColorType& color_type_of(const PngHeader& header, const std::string& name) {
  constexpr std::array kBitDepths = {1U, 2U, 4U, 8U, 16U};
  const bool is_depth = std::find(kBitDepths.begin(), kBitDepths.end(), header.bit_depth) != kBitDepths.end();
  if (header.color_type >= kColorTypes.size() || !is_depth ||
      (kColorTypes[header.color_type].bit_depths & header.bit_depth) == 0 || header.interlace > 1) {
    refuse_damaged(name, fmt::format("its header has color type {}, bit depth {} and interlacing {}", header.color_type,
                                     header.bit_depth, header.interlace));
  }
  return kColorTypes[header.color_type];
}

/// What the chunks between IHDR and the image data say.
struct BeforeData {
  std::size_t palette_colors = 0;
  bool has_transparency = false;
  std::uint64_t texts = 0;
};

BeforeData read_to_data(ByteSpan beginning, const std::string& name) {
  BeforeData found;
  PngChunkWalker walker(beginning, name);
  while (walker.next_type() != png_chunk_type("IDAT")) {
    const auto chunk = walker.next();
    if (chunk->type() == png_chunk_type("IEND")) {
      refuse_damaged(name, "it holds no image data");
    }
    if (chunk->is_critical()) {
      chunk->check_crc(name);
    }
    if (chunk->type() == png_chunk_type("PLTE")) {
      found.palette_colors = chunk->payload().size() / 3;
      found.has_transparency = false;  // libpng ignores what precedes a palette
    }
    found.has_transparency =
        found.has_transparency || (chunk->type() == png_chunk_type("tRNS") && chunk->crc_is_right());
    found.texts += is_png_text(chunk->type()) ? 1 : 0;
  }
  return found;
}

}  // namespace

PngHeader read_png_header(ByteSpan bytes, const std::string& name) {
  constexpr std::size_t kBytes = 33;  // the signature, and IHDR with its length, name and CRC
  if (bytes.size() < kBytes) {
    refuse_truncated(name);
  }
  if (u32be_at(bytes, 12) == png_chunk_type("CgBI")) {
    refuse_unsupported(name, "PNG in Apple's private form (CgBI)");
  }
  if (u32be_at(bytes, 12) != png_chunk_type("IHDR") || u32be_at(bytes, 8) != 13) {
    refuse_damaged(name, "it does not start with its header (IHDR)");
  }
  return {u32be_at(bytes, 16), u32be_at(bytes, 20), u8_at(bytes, 24), u8_at(bytes, 25), u8_at(bytes, 28)};
}

DeclaredImage declared_png(ByteSpan beginning, const std::string& name) {
  const PngHeader header = read_png_header(beginning, name);
  const ColorType& type = color_type_of(header, name);
  const BeforeData found = read_to_data(beginning, name);
  const bool is_palette = header.color_type == kPalette;
  if (is_palette && found.palette_colors == 0) {
    refuse_damaged(name, "its palette is missing");
  }
  const bool adds_alpha = !type.holds_alpha && found.has_transparency;
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = type.color;
  declared.bits = static_cast<int>(header.bit_depth);
  declared.palette_colors = is_palette ? static_cast<int>(found.palette_colors) : 0;
  declared.decoded = {header.bit_depth == 16 ? Sample::u16 : Sample::u8, type.channels + (adds_alpha ? 1 : 0)};
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.facts = {{"interlaced", header.interlace != 0}, {"texts", found.texts}};
  return declared;
}

}  // namespace gpuimg::codecs

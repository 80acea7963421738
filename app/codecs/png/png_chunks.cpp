// Bounds and checksums of chunks; texts, whose data may be hostile; IHDR, palette and transparency.
#include "codecs/png/png_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/refusals.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::png {
namespace {

constexpr std::uint32_t kPlain = png_chunk_type("tEXt");
constexpr std::uint32_t kCompressed = png_chunk_type("zTXt");
constexpr std::uint32_t kInternational = png_chunk_type("iTXt");

/// What follows the first NUL; nullopt if there is none.
std::optional<ByteSpan> after_nul(ByteSpan bytes) {
  const auto nul = std::find(bytes.begin(), bytes.end(), std::byte{0});
  return nul == bytes.end() ? std::nullopt
                            : std::optional(bytes.subspan(static_cast<std::size_t>(nul - bytes.begin()) + 1));
}

std::optional<std::vector<std::byte>> copied(ByteSpan text, std::size_t max_size) {
  return text.size() <= max_size ? std::optional(std::vector<std::byte>(text.begin(), text.end())) : std::nullopt;
}

/// `after_keyword` holds compression flag and method, language, translated keyword and text.
std::optional<std::vector<std::byte>> international_text(ByteSpan after_keyword, std::size_t max_size) {
  if (after_keyword.size() < 2 || u8_at(after_keyword, 0) > 1 || u8_at(after_keyword, 1) != 0) {
    return std::nullopt;
  }
  const bool is_compressed = u8_at(after_keyword, 0) == 1;
  const std::optional<ByteSpan> translated = after_nul(after_keyword.subspan(2));
  const std::optional<ByteSpan> text = translated ? after_nul(*translated) : std::nullopt;
  if (!text) {
    return std::nullopt;
  }
  return is_compressed ? deflate::inflated_zlib(*text, max_size) : copied(*text, max_size);
}

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

bool PngChunkView::crc_is_right() const {
  const std::size_t crc_at = whole.size() - 4;
  return deflate::crc32_of(whole.subspan(4, crc_at - 4)) == u32be_at(whole, crc_at);
}

void PngChunkView::check_crc(std::string_view name) const {
  if (!crc_is_right()) {
    const std::string_view letters(reinterpret_cast<const char*>(whole.data()) + 4, 4);
    refuse_damaged(name, fmt::format("the checksum of its {} chunk is wrong", printable_name(letters)));
  }
}

std::uint32_t PngChunkWalker::next_type() const {
  constexpr std::size_t kLengthAndType = 8;
  if (bytes_.size() - offset_ < kLengthAndType) {
    refuse_truncated(name_);
  }
  return u32be_at(bytes_, offset_ + 4);
}

std::optional<PngChunkView> PngChunkWalker::next() {
  constexpr std::size_t kOverhead = 12;  // length, type and CRC
  if (ended_) {
    return std::nullopt;
  }
  const ByteSpan left = bytes_.subspan(offset_);
  if (left.size() < kOverhead || u32be_at(left, 0) > left.size() - kOverhead) {
    refuse_truncated(name_);
  }
  const PngChunkView chunk{left.first(u32be_at(left, 0) + kOverhead)};
  offset_ += chunk.whole.size();
  ended_ = chunk.type() == png_chunk_type("IEND");
  return chunk;
}

bool is_png_text(std::uint32_t chunk_type) {
  return chunk_type == kPlain || chunk_type == kCompressed || chunk_type == kInternational;
}

std::string_view png_keyword(ByteSpan payload) {
  const auto nul = std::find(payload.begin(), payload.end(), std::byte{0});
  const auto length = nul == payload.end() ? 0 : static_cast<std::size_t>(nul - payload.begin());
  return {reinterpret_cast<const char*>(payload.data()), length};
}

std::optional<std::vector<std::byte>> png_text(std::uint32_t chunk_type, ByteSpan payload, std::size_t max_size) {
  const std::optional<ByteSpan> after_keyword = after_nul(payload);
  if (!after_keyword) {
    return std::nullopt;
  }
  switch (chunk_type) {
    case kPlain: return copied(*after_keyword, max_size);
    case kCompressed:
      return !after_keyword->empty() && u8_at(*after_keyword, 0) == 0
                 ? deflate::inflated_zlib(after_keyword->subspan(1), max_size)
                 : std::nullopt;
    case kInternational: return international_text(*after_keyword, max_size);
    default: return std::nullopt;
  }
}

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

}  // namespace gpuimg::codecs::png

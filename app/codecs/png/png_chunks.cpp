// Parses chunks: bounds, checksums, IHDR, palette and transparency; texts, which can be hostile; and each kind of
// metadata chunk.
#include "codecs/png/png_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/png/png.hpp"
#include "codecs/png/simple_png.hpp"
#include "codecs/rejections.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::png {
namespace {

constexpr std::uint32_t kPlain = png_chunk_type("tEXt");
constexpr std::uint32_t kCompressed = png_chunk_type("zTXt");
constexpr std::uint32_t kInternational = png_chunk_type("iTXt");

/// The bytes after the first NUL; nullopt if there is no NUL.
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
  int channels = 0;  ///< number of channels when decoded without tRNS; 0 for an invalid type
  bool holds_alpha = false;
  std::uint32_t bit_depths = 0;  ///< sum of the allowed depths, each a power of two
};

constexpr std::array<ColorType, 7> kColorTypes = {{{"gray", 1, false, 1 + 2 + 4 + 8 + 16},
                                                   {},
                                                   {"RGB", 3, false, 8 + 16},
                                                   {"palette", 3, false, 1 + 2 + 4 + 8},
                                                   {"gray", 2, true, 8 + 16},
                                                   {},
                                                   {"RGB", 4, true, 8 + 16}}};
constexpr std::uint32_t kPalette = 3;
constexpr double kDecodingMs = 9.0;  // measured: docs/performance.md, "Starts"

const ColorType& color_type_of(const PngHeader& header, const std::string& name) {
  constexpr std::array kBitDepths = {1U, 2U, 4U, 8U, 16U};
  const bool is_depth = std::find(kBitDepths.begin(), kBitDepths.end(), header.bit_depth) != kBitDepths.end();
  if (header.color_type >= kColorTypes.size() || !is_depth ||
      (kColorTypes[header.color_type].bit_depths & header.bit_depth) == 0 || header.interlace > 1) {
    reject_damaged(name, fmt::format("its header has color type {}, bit depth {} and interlacing {}", header.color_type,
                                     header.bit_depth, header.interlace));
  }
  return kColorTypes[header.color_type];
}

/// Facts from the chunks between IHDR and the image data.
struct BeforeData {
  std::size_t palette_colors = 0;
  bool has_transparency = false;
  std::uint64_t texts = 0;
};

BeforeData read_to_data(ByteSpan beginning, const std::string& name) {
  BeforeData found;
  PngChunkWalker walker(beginning, name);
  while (walker.next_type() != kIdat) {
    const auto chunk = walker.next();
    if (chunk->type() == png_chunk_type("IEND")) {
      reject_damaged(name, "it holds no image data");
    }
    if (chunk->is_critical()) {
      chunk->check_crc(name);
    }
    if (chunk->type() == png_chunk_type("PLTE")) {
      found.palette_colors = chunk->payload().size() / 3;
      found.has_transparency = false;  // libpng ignores a tRNS before the palette
    }
    found.has_transparency =
        found.has_transparency || (chunk->type() == png_chunk_type("tRNS") && chunk->crc_is_right());
    found.texts += is_png_text(chunk->type()) ? 1 : 0;
  }
  return found;
}

constexpr std::uint32_t kMaxNumber = 0x7FFFFFFF;  // limit of every integer in PNG

bool take_cicp(ByteSpan data, Metadata& to) {
  if (data.size() == 4) {
    to.cicp.emplace();
    std::copy(data.begin(), data.end(), to.cicp->begin());
  }
  return data.size() == 4;
}

bool take_iccp(ByteSpan data, Metadata& to) {
  constexpr std::size_t kMaxNameBytes = 79;
  const auto end = std::find(data.begin(), data.end(), std::byte{0});
  const auto name_size = static_cast<std::size_t>(end - data.begin());
  const std::size_t stream = name_size + 2;  // after the terminator and the method, which must be 0
  if (name_size < 1 || name_size > kMaxNameBytes || stream > data.size() || u8_at(data, stream - 1) != 0) {
    return false;
  }
  to.icc = decompressed_icc(data.subspan(stream));
  return !to.icc.empty();
}

bool take_srgb(ByteSpan data, Metadata& to) {
  if (data.size() != 1 || u8_at(data, 0) > 3) {
    return false;
  }
  to.srgb = static_cast<std::uint8_t>(u8_at(data, 0));
  return true;
}

bool take_gama(ByteSpan data, Metadata& to) {
  if (data.size() != 4 || u32be_at(data, 0) == 0 || u32be_at(data, 0) > kMaxNumber) {
    return false;
  }
  to.gama = u32be_at(data, 0);
  return true;
}

bool take_chrm(ByteSpan data, Metadata& to) {
  std::array<std::uint32_t, 8> numbers{};
  if (data.size() != 4 * numbers.size()) {
    return false;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = u32be_at(data, 4 * i);
  }
  if (!are_chromaticities(numbers)) {
    return false;
  }
  to.chrm = numbers;
  return true;
}

bool take_phys(ByteSpan data, Metadata& to) {
  if (data.size() != 9 || u8_at(data, 8) > 1) {
    return false;
  }
  const std::uint32_t x = u32be_at(data, 0);
  const std::uint32_t y = u32be_at(data, 4);
  if (x == 0 || y == 0 || std::max(x, y) > kMaxNumber) {
    return false;
  }
  to.density = PixelDensity{x, y, u8_at(data, 8) == 1 ? DensityUnit::meter : DensityUnit::none};
  return true;
}

bool take_exif(ByteSpan data, Metadata& to) {
  if (!is_exif(data)) {
    return false;
  }
  to.exif.assign(data.begin(), data.end());
  return true;
}

struct KnownChunk {
  std::uint32_t type;
  std::string_view letters;
  bool (*take)(ByteSpan data, Metadata& to);  ///< returns false if the data is damaged
};

constexpr std::array kKnownChunks = {
    KnownChunk{png_chunk_type("cICP"), "cICP", take_cicp}, KnownChunk{png_chunk_type("iCCP"), "iCCP", take_iccp},
    KnownChunk{png_chunk_type("sRGB"), "sRGB", take_srgb}, KnownChunk{png_chunk_type("gAMA"), "gAMA", take_gama},
    KnownChunk{png_chunk_type("cHRM"), "cHRM", take_chrm}, KnownChunk{png_chunk_type("pHYs"), "pHYs", take_phys},
    KnownChunk{png_chunk_type("eXIf"), "eXIf", take_exif},
};

bool take_xmp(std::vector<std::byte> text, Metadata& to) {
  if (!is_xmp(text)) {
    return false;
  }
  to.xmp = std::move(text);
  return true;
}

bool take_iptc(std::vector<std::byte> text, Metadata& to) {
  to.iptc = iptc_in_text(text);
  return !to.iptc.empty();
}

/// ImageMagick stores a profile like a JPEG segment, including the segment's signature. A text "APP1" can hold EXIF
/// data or XMP; only the signature tells which.
bool take_raw_app1(std::vector<std::byte> text, Metadata& to) {
  using namespace std::string_view_literals;
  constexpr std::string_view kXmpSignature = "http://ns.adobe.com/xap/1.0/\0"sv;
  const std::vector<std::byte> profile = raw_profile_in(text);
  const auto after = [&](std::string_view signature) {
    const ByteSpan wanted = letters(signature);
    const bool begins = profile.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), profile.begin());
    return ByteSpan(profile).subspan(begins ? wanted.size() : 0);
  };
  const ByteSpan exif = after("Exif\0\0"sv);
  const ByteSpan xmp = after(kXmpSignature);
  if (is_exif(exif)) {
    to.exif.assign(exif.begin(), exif.end());
  } else if (is_xmp(xmp)) {
    to.xmp.assign(xmp.begin(), xmp.end());
  } else {
    return false;
  }
  return true;
}

bool take_raw_icc(std::vector<std::byte> text, Metadata& to) {
  const std::vector<std::byte> bytes = raw_profile_in(text);
  const ByteSpan profile = icc_profile_in(bytes);
  to.icc.assign(profile.begin(), profile.end());
  return !to.icc.empty();
}

struct KnownText {
  std::string_view keyword;
  std::string_view what;
  bool (*take)(std::vector<std::byte> text, Metadata& to);  ///< returns false if the text is damaged
  bool is_raw = false;                                      ///< used only if the file has no other data of this kind
};

constexpr std::array kKnownTexts = {
    KnownText{"XML:com.adobe.xmp", "XMP", take_xmp},
    KnownText{"Raw profile type iptc", "IPTC data", take_iptc},
    KnownText{"Raw profile type 8bim", "IPTC data", take_iptc, true},
    KnownText{"Raw profile type exif", "EXIF data", take_raw_app1, true},
    KnownText{"Raw profile type APP1", "raw profile APP1", take_raw_app1, true},
    KnownText{"Raw profile type xmp", "XMP", take_raw_app1, true},
    KnownText{"Raw profile type icc", "ICC profile", take_raw_icc, true},
    KnownText{"Raw profile type icm", "ICC profile", take_raw_icc, true},
};

/// Takes the first chunk of a type. Returns the reason if the chunk is left out, or an empty string.
std::string_view take(const KnownChunk& known, const PngChunkView& chunk, bool after_data, Metadata& to) {
  if (after_data && known.type != png_chunk_type("eXIf")) {
    return "follows the image data";
  }
  return chunk.crc_is_right() && known.take(chunk.payload(), to) ? "" : "is damaged";
}

bool has_letters(std::uint32_t type) {
  bool all = true;
  for (int shift = 0; shift < 32; shift += 8) {
    const std::uint32_t lower = (type >> shift & 0xFFU) | 0x20U;
    all = all && lower >= 'a' && lower <= 'z';
  }
  return all;
}

/// Collects the metadata of one file, chunk by chunk. Takes only the first chunk of each type or keyword, so that a
/// file with a million profiles does not cause a million decompressions.
class ChunkTaker {
 public:
  explicit ChunkTaker(std::vector<std::string>& details) : details_(details) {}

  void take_data() { after_data_ = true; }

  /// True if take_chunk reads the content of chunks of this type. Of other chunks, it looks only at the type.
  static bool reads(std::uint32_t type) {
    return is_png_text(type) || std::any_of(kKnownChunks.begin(), kKnownChunks.end(),
                                            [&](const KnownChunk& known) { return known.type == type; });
  }

  void take_chunk(const PngChunkView& chunk) {
    const bool is_of_pixels = chunk.is_critical() || chunk.type() == png_chunk_type("tRNS");
    if (!is_of_pixels && !take_known(chunk) && !(is_png_text(chunk.type()) && take_text(chunk))) {
      name_other(chunk);
    }
  }

  Metadata taken() && {
    for (const auto member : {&Metadata::icc, &Metadata::exif, &Metadata::xmp, &Metadata::iptc}) {
      if ((metadata_.*member).empty()) {
        metadata_.*member = std::move(raw_.*member);
      }
    }
    if (!metadata_.icc.empty() && metadata_.srgb) {
      metadata_.srgb.reset();
      details_.emplace_back("its sRGB chunk is left out because the file has an ICC profile");
    }
    return std::move(metadata_);
  }

 private:
  bool take_known(const PngChunkView& chunk) {
    for (std::size_t i = 0; i < kKnownChunks.size(); ++i) {
      if (chunk.type() == kKnownChunks[i].type && !std::exchange(has_chunk_[i], true)) {
        const std::string_view why = take(kKnownChunks[i], chunk, after_data_, metadata_);
        if (!why.empty()) {
          details_.push_back(fmt::format("its {} chunk {} and is left out", kKnownChunks[i].letters, why));
        }
        return true;
      }
    }
    return false;
  }

  bool take_text(const PngChunkView& chunk) {
    const std::string_view keyword = png_keyword(chunk.payload());
    for (std::size_t i = 0; i < kKnownTexts.size(); ++i) {
      if (keyword == kKnownTexts[i].keyword && !std::exchange(has_text_[i], true)) {
        auto text = chunk.crc_is_right() ? png_text(chunk.type(), chunk.payload(), kMaxXmpBytes) : std::nullopt;
        if (!text || !kKnownTexts[i].take(*std::move(text), kKnownTexts[i].is_raw ? raw_ : metadata_)) {
          details_.push_back(fmt::format("its {} is damaged and is left out", kKnownTexts[i].what));
        }
        return true;
      }
    }
    return false;
  }

  void name_other(const PngChunkView& chunk) {
    constexpr std::size_t kMaxNames = 16;
    const std::string_view letters(reinterpret_cast<const char*>(chunk.whole.data()) + 4, 4);
    std::string name = fmt::format("the {} chunk", printable_name(letters));
    std::vector<std::string>& names = metadata_.not_kept;
    if (names.size() < kMaxNames && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }

  Metadata metadata_;
  Metadata raw_;  // from raw profiles
  std::vector<std::string>& details_;
  std::array<bool, kKnownChunks.size()> has_chunk_{};
  std::array<bool, kKnownTexts.size()> has_text_{};
  bool after_data_ = false;
};

}  // namespace

bool PngChunkView::crc_is_right() const {
  const std::size_t crc_at = whole.size() - 4;
  return deflate::crc32_of(whole.subspan(4, crc_at - 4)) == u32be_at(whole, crc_at);
}

void PngChunkView::check_crc(std::string_view name) const {
  if (!crc_is_right()) {
    const std::string_view letters(reinterpret_cast<const char*>(whole.data()) + 4, 4);
    reject_damaged(name, fmt::format("the checksum of its {} chunk is wrong", printable_name(letters)));
  }
}

std::uint32_t PngChunkWalker::next_type() const {
  constexpr std::size_t kLengthAndType = 8;
  if (bytes_.size() - offset_ < kLengthAndType) {
    reject_truncated(name_);
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
    reject_truncated(name_);
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
  constexpr std::size_t kBytes = 33;  // signature plus IHDR with its length, type and CRC
  if (bytes.size() < kBytes) {
    reject_truncated(name);
  }
  if (u32be_at(bytes, 12) == png_chunk_type("CgBI")) {
    reject_unsupported(name, "PNG in Apple's private format (CgBI)");
  }
  if (u32be_at(bytes, 12) != png_chunk_type("IHDR") || u32be_at(bytes, 8) != 13) {
    reject_damaged(name, "it does not start with its header (IHDR)");
  }
  return {u32be_at(bytes, 16), u32be_at(bytes, 20), u8_at(bytes, 24), u8_at(bytes, 25), u8_at(bytes, 28)};
}

DeclaredImage declared_png(ByteSpan beginning, const std::string& name) {
  const PngHeader header = read_png_header(beginning, name);
  const ColorType& type = color_type_of(header, name);
  const BeforeData found = read_to_data(beginning, name);
  const bool is_palette = header.color_type == kPalette;
  if (is_palette && found.palette_colors == 0) {
    reject_damaged(name, "its palette is missing");
  }
  const bool adds_alpha = !type.holds_alpha && found.has_transparency;
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = type.color;
  declared.bits = static_cast<int>(header.bit_depth);
  declared.palette_colors = is_palette ? static_cast<int>(found.palette_colors) : 0;
  declared.decoded = {header.bit_depth == 16 ? Sample::u16 : Sample::u8, type.channels + (adds_alpha ? 1 : 0)};
  declared.scaled_from = header.scaled_from();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.suits_backends = !is_palette && !found.has_transparency && header.interlace == 0 && header.bit_depth >= 8 &&
                            is_size_for_backends(header.width, header.height);
  declared.decoding_ms = declared.suits_backends ? kDecodingMs : 0.0;
  declared.is_large_beside_pixels = true;
  declared.facts = {{"interlaced", header.interlace != 0}, {"texts", found.texts}};
  return declared;
}

Metadata read_png_metadata(const RandomAccess& file, const std::string& /*name*/, std::vector<std::string>& details) {
  constexpr std::uint64_t kSignatureBytes = 8;
  constexpr std::size_t kHeadBytes = 8;  // length and type
  constexpr std::uint64_t kOverhead = 12;
  ChunkTaker taker(details);
  std::array<std::byte, kHeadBytes> head{};
  std::vector<std::byte> bytes;
  std::uint32_t type = 0;
  for (std::uint64_t offset = kSignatureBytes; type != png_chunk_type("IEND");) {
    if (file.read(offset, head) < head.size() || u32be_at(head, 0) + kOverhead > file.size - offset) {
      break;  // the chunk is cut off
    }
    const std::uint64_t size = u32be_at(head, 0) + kOverhead;
    type = u32be_at(head, 4);
    if (!has_letters(type)) {
      break;  // the bytes are damaged and not a chunk
    }
    if (type == kIdat) {
      taker.take_data();
    } else {
      bytes.resize(static_cast<std::size_t>(ChunkTaker::reads(type) ? size : kOverhead));
      if (file.read(offset, bytes) < bytes.size()) {
        break;
      }
      taker.take_chunk(PngChunkView{bytes});
    }
    offset += size;
  }
  return std::move(taker).taken();
}

std::vector<std::vector<std::byte>> png_metadata_chunks(const Metadata& metadata) {
  std::vector<std::vector<std::byte>> chunks;
  if (metadata.cicp) {
    chunks.push_back(joined({letters("cICP"), *metadata.cicp}));
  }
  if (!metadata.icc.empty()) {
    constexpr std::string_view kTypeNameAndMethod("iCCPICC profile\0\0", 17);
    chunks.push_back(joined({letters(kTypeNameAndMethod), compressed_icc(metadata.icc)}));
  }
  if (metadata.srgb) {
    chunks.push_back(joined({letters("sRGB"), std::array{std::byte{*metadata.srgb}}}));
  }
  if (metadata.gama) {
    chunks.push_back(joined({letters("gAMA"), u32be(*metadata.gama)}));
  }
  if (metadata.chrm) {
    const auto& [wx, wy, rx, ry, gx, gy, bx, by] = *metadata.chrm;
    chunks.push_back(joined(
        {letters("cHRM"), u32be(wx), u32be(wy), u32be(rx), u32be(ry), u32be(gx), u32be(gy), u32be(bx), u32be(by)}));
  }
  if (const auto density = metadata.density ? density_for_png(*metadata.density) : std::nullopt) {
    const std::array unit = {std::byte{density->unit == DensityUnit::meter ? std::uint8_t{1} : std::uint8_t{0}}};
    chunks.push_back(joined({letters("pHYs"), u32be(density->x.numerator), u32be(density->y.numerator), unit}));
  }
  if (!metadata.exif.empty()) {
    chunks.push_back(joined({letters("eXIf"), metadata.exif}));
  }
  if (!metadata.xmp.empty()) {
    constexpr std::string_view kUncompressed("iTXtXML:com.adobe.xmp\0\0\0\0\0", 26);  // not translated
    chunks.push_back(joined({letters(kUncompressed), metadata.xmp}));
  }
  if (!metadata.iptc.empty()) {
    constexpr std::string_view kTypeAndKeyword("tEXtRaw profile type iptc\0", 26);
    chunks.push_back(joined({letters(kTypeAndKeyword), iptc_text(metadata.iptc)}));
  }
  return chunks;
}

void fit_png_metadata(Metadata& metadata, MetadataFilter& filter) {
  if (!metadata.xmp_extension.empty()) {
    blank_xmp_extension(metadata.xmp);
  }
  filter.drop(metadata.xmp_extension, "the extended XMP", "PNG has no place for it");
  if (metadata.density) {
    filter.fit_density(metadata, density_for_png(*metadata.density), "PNG holds whole numbers of pixels per meter");
  }
}

}  // namespace gpuimg::codecs::png

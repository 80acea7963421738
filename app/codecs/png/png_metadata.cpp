// Parses each kind of metadata chunk, and the texts that hold metadata; and writes each.
#include "codecs/png/png_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/png/png_chunks.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::png {
namespace {

constexpr std::uint32_t kMaxNumber = 0x7FFFFFFF;  // of any integer in PNG

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
  bool (*take)(ByteSpan data, Metadata& to);  ///< false if the data is damaged
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

struct KnownText {
  std::string_view keyword;
  std::string_view what;
  bool (*take)(std::vector<std::byte> text, Metadata& to);  ///< false if the text is damaged
};

constexpr std::array kKnownTexts = {KnownText{"XML:com.adobe.xmp", "XMP", take_xmp},
                                    KnownText{"Raw profile type iptc", "IPTC data", take_iptc}};

/// Takes the first chunk of a type. Returns why it is left out, or an empty string.
std::string_view take(const KnownChunk& known, const PngChunkView& chunk, bool after_data, Metadata& to) {
  if (after_data && known.type != png_chunk_type("eXIf")) {
    return "follows the image data";
  }
  return chunk.crc_is_right() && known.take(chunk.payload(), to) ? "" : "is damaged";
}

/// Collects the metadata of one file, chunk by chunk. Takes only the first of a type or keyword: a file with a million
/// profiles must not cost a million decompressions.
class ChunkTaker {
 public:
  explicit ChunkTaker(std::vector<std::string>& details) : details_(details) {}

  void take_chunk(const PngChunkView& chunk) {
    after_data_ = after_data_ || chunk.type() == png_chunk_type("IDAT");
    const bool is_of_pixels = chunk.is_critical() || chunk.type() == png_chunk_type("tRNS");
    if (!is_of_pixels && !take_known(chunk) && !(is_png_text(chunk.type()) && take_text(chunk))) {
      name_other(chunk);
    }
  }

  Metadata taken() && {
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
        if (!text || !kKnownTexts[i].take(*std::move(text), metadata_)) {
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
  std::vector<std::string>& details_;
  std::array<bool, kKnownChunks.size()> has_chunk_{};
  std::array<bool, kKnownTexts.size()> has_text_{};
  bool after_data_ = false;
};

}  // namespace

Metadata read_png_metadata(ByteSpan bytes, const std::string& name, std::vector<std::string>& details) {
  ChunkTaker taker(details);
  PngChunkWalker walker(bytes, name);
  while (const auto chunk = walker.next()) {
    taker.take_chunk(*chunk);
  }
  return std::move(taker).taken();
}

Metadata png_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  ChunkTaker taker(details);
  PngChunkWalker walker(beginning, name);
  while (walker.next_type() != png_chunk_type("IDAT")) {
    taker.take_chunk(*walker.next());
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
  if (metadata.density) {
    const PixelDensity density = density_for_png(*metadata.density);
    const std::array unit = {std::byte{density.unit == DensityUnit::meter ? std::uint8_t{1} : std::uint8_t{0}}};
    chunks.push_back(joined({letters("pHYs"), u32be(density.x), u32be(density.y), unit}));
  }
  if (!metadata.exif.empty()) {
    chunks.push_back(joined({letters("eXIf"), metadata.exif}));
  }
  if (!metadata.xmp.empty()) {
    constexpr std::string_view kUncompressed("iTXtXML:com.adobe.xmp\0\0\0\0\0", 26);  // no language, no translation
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
}

}  // namespace gpuimg::codecs::png

// Which chunks a simple PNG may have, and in which order. PNG specification, third edition, sections 5.6 and 11.
#include "codecs/png/simple_png.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "codecs/png/png_chunks.hpp"
#include "codecs/png/png_file.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::uint32_t kGray = 0;
constexpr std::uint32_t kColor = 2;
constexpr std::uint32_t kIndexed = 3;
constexpr std::uint32_t kGrayAlpha = 4;

bool is_depth_of(std::uint32_t color_type, std::uint32_t depth) {
  switch (depth) {
    case 1:
    case 2:
    case 4: return color_type == kGray || color_type == kIndexed;
    case 8: return true;
    case 16: return color_type != kIndexed;
    default: return false;
  }
}

bool has_sound_name(const PngChunkView& chunk) {
  const ByteSpan name = chunk.whole.subspan(4, 4);
  return std::all_of(name.begin(), name.end(), [](std::byte letter) {
    const auto lower = std::to_integer<std::uint32_t>(letter) | 0x20U;
    return lower >= 'a' && lower <= 'z';
  });
}

/// What is known of the file so far. Each function returns false if the file is not simple.
class Parser {
 public:
  bool add_all(ByteSpan bytes, const std::string& name) {
    PngChunkWalker walker(bytes, name);
    while (const auto chunk = walker.next()) {
      if (!add(*chunk)) {
        return false;
      }
    }
    return true;
  }

  bool finish() { return finish(in_pieces(image_data_)); }

  bool finish(RandomAccess image_data) {
    if (color_type_ == kIndexed && !colors_.empty()) {
      png.palette.emplace(colors_, transparency_);
    } else if (!transparency_.empty()) {
      png.transparent = transparent_color();
      if (!png.transparent) {
        return false;
      }
    }
    png.image_data = std::move(image_data);
    return png.image_data.size > 0 && (color_type_ == kIndexed) == png.palette.has_value();
  }

  SimplePng png;

 private:
  bool add(const PngChunkView& chunk) {
    constexpr std::size_t kMaxChunkBytes = 0x7FFFFFFF;
    // The header comes first, and only once.
    const bool is_in_place = (png.width == 0) == (chunk.type() == png_chunk_type("IHDR"));
    if (!is_in_place || chunk.payload().size() > kMaxChunkBytes || !has_sound_name(chunk)) {
      return false;
    }
    const bool is_used = chunk.is_critical() || chunk.type() == png_chunk_type("tRNS");
    const bool is_simple = !is_used || (chunk.crc_is_right() && add_used(chunk));
    previous_ = chunk.type();
    return is_simple;
  }

  bool add_used(const PngChunkView& chunk) {
    const ByteSpan payload = chunk.payload();
    switch (chunk.type()) {
      case png_chunk_type("IHDR"): return add_header(payload);
      case png_chunk_type("PLTE"): return add_palette(payload);
      case png_chunk_type("tRNS"): return add_transparency(payload);
      case png_chunk_type("IDAT"): return add_data(payload);
      case png_chunk_type("IEND"): return payload.empty();
      default: return false;
    }
  }

  bool add_header(ByteSpan header) {
    constexpr std::size_t kBytes = 13;
    constexpr std::uint32_t kMaxSide = 0x7FFFFFFF;
    if (header.size() != kBytes || u32be_at(header, 0) - 1 >= kMaxSide || u32be_at(header, 4) - 1 >= kMaxSide) {
      return false;
    }
    constexpr std::array<int, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
    const std::uint32_t depth = u8_at(header, 8);
    color_type_ = u8_at(header, 9);
    const bool is_interlaced_or_unknown = u8_at(header, 10) != 0 || u8_at(header, 11) != 0 || u8_at(header, 12) != 0;
    if (is_interlaced_or_unknown || color_type_ >= kChannels.size() || kChannels[color_type_] == 0 ||
        !is_depth_of(color_type_, depth)) {
      return false;
    }
    png.bits = static_cast<int>(depth);
    png.width = static_cast<int>(u32be_at(header, 0));
    png.height = static_cast<int>(u32be_at(header, 4));
    png.stored = {depth == 16 ? Sample::u16 : Sample::u8, kChannels[color_type_]};
    return true;
  }

  /// The palette of a color image only suggests colors.
  bool add_palette(ByteSpan colors) {
    const std::size_t max_bytes = 3 * (color_type_ == kIndexed ? std::size_t{1} << png.bits : 256);
    const bool is_in_place = colors_.empty() && transparency_.empty() && !has_data_;
    const bool may_have_one = color_type_ != kGray && color_type_ != kGrayAlpha;
    colors_ = colors;
    return may_have_one && is_in_place && !colors.empty() && colors.size() <= max_bytes && colors.size() % 3 == 0;
  }

  /// Opacities of a palette, or a color.
  bool add_transparency(ByteSpan transparency) {
    const bool is_in_place = transparency_.empty() && !has_data_;
    const std::size_t max_bytes = color_type_ == kIndexed ? colors_.size() / 3
                                  : color_type_ == kColor ? 6
                                  : color_type_ == kGray  ? 2
                                                          : 0;
    const bool has_size = color_type_ == kIndexed ? transparency.size() <= max_bytes : transparency.size() == max_bytes;
    transparency_ = transparency;
    return is_in_place && !transparency.empty() && has_size;
  }

  /// Nullopt if it is not a color of the image.
  [[nodiscard]] std::optional<PngColor> transparent_color() const {
    const std::uint32_t max = (1U << png.bits) - 1;
    PngColor color{};
    for (std::size_t c = 0; c < transparency_.size() / 2; ++c) {
      const std::uint32_t sample = u16be_at(transparency_, 2 * c);
      if (sample > max) {
        return std::nullopt;
      }
      color[c] = static_cast<std::uint16_t>(png.bits < 8 ? sample * (0xFF / max) : sample);
    }
    return color;
  }

  bool add_data(ByteSpan data) {
    const bool is_continued = !has_data_ || previous_ == png_chunk_type("IDAT");
    if (!is_continued) {
      return false;
    }
    has_data_ = true;
    if (!data.empty()) {
      image_data_.push_back(data);
    }
    return true;
  }

  std::uint32_t color_type_ = 0;
  std::uint32_t previous_ = 0;
  bool has_data_ = false;
  ByteSpan colors_;
  ByteSpan transparency_;
  std::vector<ByteSpan> image_data_;  // none of them empty
};

}  // namespace

std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name) {
  Parser parser;
  return parser.add_all(bytes, name) && parser.finish() ? std::optional(std::move(parser.png)) : std::nullopt;
}

std::optional<SimplePng> parse_simple_png(const PngFile& file, const std::string& name) {
  Parser parser;
  return parser.add_all(file.frame, name) && parser.finish(file.image_data) ? std::optional(std::move(parser.png))
                                                                            : std::nullopt;
}

}  // namespace gpuimg::codecs

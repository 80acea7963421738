// Converts rows in place, for example by palette look-up; walks the chunks of a file; and checks which chunks a simple
// PNG has and in which order (PNG specification, section 5.6).
#include "codecs/png/simple_png.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/png_chunks.hpp"
#include "codecs/rejections.hpp"

namespace gpuimg::codecs::png {
namespace {

/// Converts indices to colors. Returns the largest index.
template <std::size_t kChannels, class Colors>
std::size_t expand(const std::byte* indices, std::byte* pixels, std::size_t count, const Colors& colors) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = std::to_integer<std::size_t>(indices[i]);
    largest = std::max(largest, index);
    const auto color = colors[index];
    for (std::size_t c = 0; c < kChannels; ++c) {
      pixels[i * kChannels + c] = color[c];
    }
  }
  return largest;
}

/// For each value of a byte with packed samples: the samples in it, multiplied by `factor`.
using UnpackedBytes = std::array<std::array<std::uint8_t, 8>, 256>;

UnpackedBytes unpacked_bytes(unsigned bits, unsigned factor) {
  UnpackedBytes table{};
  const unsigned max = (1U << bits) - 1;
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    for (unsigned i = 0; i < 8 / bits; ++i) {
      table[byte][i] = static_cast<std::uint8_t>((byte >> (8 - bits * (i + 1)) & max) * factor);
    }
  }
  return table;
}

template <std::size_t kBits>
void unpack_rows(const std::uint8_t* packed, std::uint8_t* to, const SimplePng& png, int rows) {
  constexpr std::size_t kPerByte = 8 / kBits;
  const UnpackedBytes table = unpacked_bytes(kBits, png.palette ? 1 : 0xFF / ((1U << kBits) - 1));
  const auto width = static_cast<std::size_t>(png.width);
  for (int y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x + kPerByte <= width; x += kPerByte, to += kPerByte) {
      std::copy_n(table[*packed++].begin(), kPerByte, to);
    }
    if (const std::size_t rest = width % kPerByte; rest > 0) {
      to = std::copy_n(table[*packed++].begin(), rest, to);
    }
  }
}

/// Adds an alpha channel: 0 for the transparent color, opaque for all others.
template <class T, std::size_t kChannels>
void add_alpha(Image& rows, const PngColor& transparent) {
  const std::size_t pixels = rows.view().pixel_count();
  auto* to = reinterpret_cast<T*>(rows.view().data);
  const T* from = to + pixels;
  for (std::size_t i = 0; i < pixels; ++i, from += kChannels) {
    const bool is_transparent = std::equal(from, from + kChannels, transparent.begin());
    to = std::copy_n(from, kChannels, to);
    *to++ = is_transparent ? T{0} : kMaxOf<T>;
  }
}

template <class T>
void add_alpha(Image& rows, const SimplePng& png) {
  png.stored.channels == 1 ? add_alpha<T, 1>(rows, *png.transparent) : add_alpha<T, 3>(rows, *png.transparent);
}

constexpr std::uint64_t kLengthBytes = 4;
constexpr std::uint64_t kTypeBytes = 4;
constexpr std::uint64_t kCrcBytes = 4;
constexpr std::array<unsigned char, 12> kEmptyIdat = {0, 0, 0, 0, 'I', 'D', 'A', 'T', 0x35, 0xAF, 0x06, 0x1E};
using DataChunk = PngFile::DataChunk;

/// The checksum of an image data chunk before its first data byte. It equals the checksum of an empty chunk, because it
/// covers only the type.
std::uint32_t crc_of_type() { return u32be_at(std::as_bytes(std::span(kEmptyIdat)), kLengthBytes + kTypeBytes); }

bool append(const RandomAccess& file, std::uint64_t offset, std::uint64_t size, std::vector<std::byte>& to) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
  if (to.size() + size > kMaxBytes) {
    return false;
  }
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(size));
  return file.read(offset, std::span(to).subspan(before)) == size;
}

RandomAccess joined_data(const RandomAccess& file, std::shared_ptr<const std::vector<DataChunk>> chunks) {
  const std::uint64_t size = chunks->empty() ? 0 : chunks->back().data_end;
  return {size, [file, chunks = std::move(chunks)](std::uint64_t offset, std::span<std::byte> to) {
            auto chunk = std::partition_point(chunks->begin(), chunks->end(),
                                              [&](const DataChunk& c) { return c.data_end <= offset; });
            std::size_t done = 0;
            for (; chunk != chunks->end() && done < to.size(); ++chunk) {
              const std::uint64_t left = chunk->data_end - offset - done;
              const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size() - done));
              const std::uint64_t at = chunk->offset + chunk->size - kCrcBytes - left;
              const std::size_t count = file.read(at, to.subspan(done, wanted));
              done += count;
              if (count < wanted) {
                break;
              }
            }
            return done;
          }};
}

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

/// Collects facts about the file. Each function returns false if the file is not simple.
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
      case kIdat: return add_data(payload);
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

  /// In a color image, the palette only suggests colors.
  bool add_palette(ByteSpan colors) {
    const std::size_t max_bytes = 3 * (color_type_ == kIndexed ? std::size_t{1} << png.bits : 256);
    const bool is_in_place = colors_.empty() && transparency_.empty() && !has_data_;
    const bool may_have_one = color_type_ != kGray && color_type_ != kGrayAlpha;
    colors_ = colors;
    return may_have_one && is_in_place && !colors.empty() && colors.size() <= max_bytes && colors.size() % 3 == 0;
  }

  /// Opacities of palette entries, or a transparent color.
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

  /// Returns nullopt if the image cannot contain this color.
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
    const bool is_continued = !has_data_ || previous_ == kIdat;
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
  std::vector<ByteSpan> image_data_;  // does not contain empty spans
};

/// Deflate compresses at most 1032:1.
bool can_make_rows(const SimplePng& png, std::uint64_t stream_bytes) {
  constexpr std::uint64_t kMaxRatio = 1032;
  return png.row_bytes() * static_cast<std::uint64_t>(png.height) / kMaxRatio <= stream_bytes;
}

/// True for a zlib stream with the largest window and without a dictionary. For smaller windows, zlib can accept or
/// reject the same stream, depending on how it is called.
bool has_usual_zlib_head(const RandomAccess& data) {
  std::array<std::byte, 2> head{};
  return data.read(0, head) == head.size() && u8_at(head, 0) == 0x78U && (u8_at(head, 1) & 0x20U) == 0 &&
         (u8_at(head, 0) << 8 | u8_at(head, 1)) % 31 == 0;
}

std::optional<EncodedPng> describe_data(ByteSpan bytes, const PngFile& file, const SimplePng& png) {
  const std::uint64_t first = file.chunks->front().offset;
  const std::uint64_t end = file.chunks->back().offset + file.chunks->back().size;
  if (end - first > 0xFFFFFFFFU || !can_make_rows(png, png.image_data.size) || !has_usual_zlib_head(png.image_data)) {
    return std::nullopt;
  }
  EncodedPng data{png.width, png.height, png.stored, bytes.subspan(first, end - first), {}};
  for (const DataChunk& chunk : *file.chunks) {
    data.chunks.push_back({static_cast<std::uint32_t>(chunk.offset - first + kTypeBytes),
                           static_cast<std::uint32_t>(chunk.size - kTypeBytes - kCrcBytes)});
  }
  return data;
}

}  // namespace

PngPalette::PngPalette(ByteSpan colors, ByteSpan opacities) : size_(colors.size() / 3), has_alpha_(!opacities.empty()) {
  for (std::size_t i = 0; i < size_; ++i) {
    const std::byte opacity = i < opacities.size() ? opacities[i] : std::byte{255};
    colors_[i] = {colors[3 * i], colors[3 * i + 1], colors[3 * i + 2], opacity};
  }
}

std::byte* PngPalette::indices_of(Image& image) {
  return image.view().data + (image.size_bytes() - image.view().pixel_count());
}

void PngPalette::paint(Image& image, const std::string& name) const {
  const std::size_t count = image.view().pixel_count();
  const std::byte* const indices = indices_of(image);
  std::byte* const pixels = image.view().data;
  const std::size_t largest =
      has_alpha_ ? expand<4>(indices, pixels, count, colors_) : expand<3>(indices, pixels, count, colors_);
  if (largest >= size_) {
    reject_damaged(name, fmt::format("a pixel has color index {}, but its palette has size {}", largest, size_));
  }
}

std::optional<PngFile> scan_png(const RandomAccess& file) {
  constexpr std::uint64_t kSignatureBytes = 8;
  constexpr std::uint64_t kOverhead = kLengthBytes + kTypeBytes + kCrcBytes;
  constexpr std::uint64_t kMaxBytes = 0x7FFFFFFF;  // libpng's limit for a chunk and for all image data
  constexpr std::uint64_t kUsualChunkBytes = 1024;
  PngFile png;
  png.file = file;
  auto chunks = std::make_shared<std::vector<DataChunk>>();
  std::uint64_t data_bytes = 0;
  std::uint64_t count = 0;
  std::uint32_t previous = 0;
  if (!append(file, 0, kSignatureBytes, png.frame)) {
    return std::nullopt;
  }
  for (std::uint64_t offset = kSignatureBytes; previous != png_chunk_type("IEND");) {
    std::array<std::byte, kLengthBytes + kTypeBytes> head{};
    if (file.read(offset, head) < head.size() || ++count > 64 + file.size / kUsualChunkBytes) {
      return std::nullopt;
    }
    const std::uint64_t size = u32be_at(head, 0);
    const std::uint32_t type = u32be_at(head, kLengthBytes);
    if (size > kMaxBytes || offset + kOverhead + size > file.size) {
      return std::nullopt;
    }
    if (type != kIdat) {
      if (!append(file, offset, kOverhead + size, png.frame)) {
        return std::nullopt;
      }
    } else if (chunks->empty() || previous == kIdat) {
      if (chunks->empty()) {
        const auto empty = std::as_bytes(std::span(kEmptyIdat));
        png.frame.insert(png.frame.end(), empty.begin(), empty.end());
      }
      data_bytes += size;
      chunks->push_back({offset + kLengthBytes, kTypeBytes + size + kCrcBytes, data_bytes});
    } else {
      return std::nullopt;
    }
    previous = type;
    offset += kOverhead + size;
  }
  if (data_bytes == 0 || data_bytes > kMaxBytes) {
    return std::nullopt;
  }
  png.chunks = std::move(chunks);
  png.image_data = joined_data(file, png.chunks);
  return png;
}

PngDataCheck::PngDataCheck(const PngFile& png) : png_(png), crc_(crc_of_type()) { end_chunks(); }

RandomAccess PngDataCheck::image_data() {
  return {png_.image_data.size, [this](std::uint64_t offset, std::span<std::byte> to) {
            const std::size_t count = png_.image_data.read(offset, to);
            if (offset <= done_ && done_ < offset + count) {
              add(to.first(count).subspan(static_cast<std::size_t>(done_ - offset)));
            }
            return count;
          }};
}

bool PngDataCheck::up_to(std::uint64_t end) {
  constexpr std::size_t kBufferBytes = std::size_t{128} << 10;
  while (are_right_ && done_ < std::min(end, png_.image_data.size)) {
    buffer_.resize(kBufferBytes);
    const std::size_t count = png_.image_data.read(done_, buffer_);
    are_right_ = count > 0;
    add(std::span(buffer_).first(count));
  }
  return are_right_;
}

/// Adds the next bytes of the image data.
void PngDataCheck::add(std::span<const std::byte> bytes) {
  while (are_right_ && !bytes.empty()) {
    const std::uint64_t left = (*png_.chunks)[chunk_].data_end - done_;
    const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size())));
    crc_ = deflate::crc32_of(part, crc_);
    done_ += part.size();
    bytes = bytes.subspan(part.size());
    end_chunks();
  }
}

/// If the last byte of a chunk has been added, compares its checksum, and the checksums of empty chunks that follow.
void PngDataCheck::end_chunks() {
  for (; are_right_ && chunk_ < png_.chunks->size() && done_ == (*png_.chunks)[chunk_].data_end; ++chunk_) {
    const DataChunk& chunk = (*png_.chunks)[chunk_];
    std::array<std::byte, kCrcBytes> stored{};
    are_right_ =
        png_.file.read(chunk.offset + chunk.size - kCrcBytes, stored) == stored.size() && u32be_at(stored, 0) == crc_;
    crc_ = crc_of_type();
  }
}

std::optional<SimplePng> parse_simple_png(ByteSpan bytes, const std::string& name) {
  Parser parser;
  return parser.add_all(bytes, name) && parser.finish() ? std::optional(std::move(parser.png)) : std::nullopt;
}

std::optional<SimplePng> parse_simple_png(const PngFile& file, const std::string& name) {
  Parser parser;
  return parser.add_all(file.frame, name) && parser.finish(file.image_data) ? std::optional(std::move(parser.png))
                                                                            : std::nullopt;
}

std::optional<EncodedPng> describe_png_data(ByteSpan bytes) noexcept {
  try {
    const std::array<ByteSpan, 1> whole = {bytes};
    const std::optional<PngFile> file = scan_png(in_pieces(whole));
    const std::optional<SimplePng> png = file ? parse_simple_png(*file, std::string()) : std::nullopt;
    return png && png->bits >= 8 && !png->palette && !png->transparent ? describe_data(bytes, *file, *png)
                                                                       : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::byte* stored_rows_of(Image& rows, const SimplePng& png) {
  return rows.view().data + (rows.size_bytes() - static_cast<std::size_t>(rows.height()) * png.row_bytes());
}

void expand_stored_rows(Image& rows, const SimplePng& png, const std::string& name) {
  const auto* const packed = reinterpret_cast<const std::uint8_t*>(stored_rows_of(rows, png));
  auto* const samples = reinterpret_cast<std::uint8_t*>(PngPalette::indices_of(rows));
  switch (png.bits) {
    case 1: unpack_rows<1>(packed, samples, png, rows.height()); break;
    case 2: unpack_rows<2>(packed, samples, png, rows.height()); break;
    case 4: unpack_rows<4>(packed, samples, png, rows.height()); break;
    default: break;
  }
  if (png.palette) {
    png.palette->paint(rows, name);
  } else if (png.transparent && png.bits == 16) {
    add_alpha<std::uint16_t>(rows, png);
  } else if (png.transparent) {
    add_alpha<std::uint8_t>(rows, png);
  }
}

}  // namespace gpuimg::codecs::png

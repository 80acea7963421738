// Reads BMP. Checks that the file is long enough before it allocates pixels, then unpacks row by row. Supports
// BITMAPCOREHEADER, BITMAPINFOHEADER and their successors, as Microsoft documents them, and OS/2 headers, which can end
// after any field.
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/rejections.hpp"
#include "codecs/rows.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::bmp {
namespace {

struct BmpHeader {
  enum class Packing : std::uint8_t { plain, runs8, runs4 };

  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool is_top_down = false;
  std::uint32_t bits = 0;  ///< bits per pixel: 1, 2, 4 or 8 with a palette; 16, 24 or 32 without
  Packing packing = Packing::plain;
  std::array<std::uint32_t, 4> masks{};  ///< red, green, blue and alpha: at most 8 contiguous bits; 0: no alpha
  std::size_t pixels = 0;                ///< offset of the pixels
  std::size_t palette = 0;               ///< offset of the palette
  std::size_t palette_entry_bytes = 4;
  std::size_t colors = 0;  ///< number of palette entries before the pixels

  std::uint32_t x_per_meter = 0;  ///< pixels per meter; 0 if not stated
  std::uint32_t y_per_meter = 0;
  bool names_profile = false;       ///< the ICC profile is in another file
  std::uint64_t profile = 0;        ///< offset of the ICC profile
  std::uint64_t profile_bytes = 0;  ///< 0 without a profile

  [[nodiscard]] bool has_palette() const { return bits <= 8; }
  [[nodiscard]] bool has_alpha() const { return masks[3] != 0; }
  [[nodiscard]] std::size_t row_bytes() const { return (static_cast<std::size_t>(width) * bits + 31) / 32 * 4; }
  /// Number of bytes in a row, without its padding.
  [[nodiscard]] std::size_t used_row_bytes() const { return (static_cast<std::size_t>(width) * bits + 7) / 8; }
  /// True for pixels stored as blue, green and red bytes.
  [[nodiscard]] bool is_bgr() const {
    return bits == 24 && masks == std::array<std::uint32_t, 4>{0xFF0000, 0x00FF00, 0x0000FF, 0};
  }
};

constexpr std::size_t kFileHeaderBytes = 14;
constexpr std::uint32_t kCoreBytes = 12;
constexpr std::uint32_t kInfoBytes = 40;
constexpr std::uint32_t kOs2Bytes = 64;
constexpr std::uint32_t kVersion5 = 124;

enum Compression : std::uint32_t { kPlain = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3, kMasksWithAlpha = 6 };

/// Fields as stored. Fields that are missing from a short header are 0.
struct Fields {
  std::uint32_t bytes = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::uint32_t compression = kPlain;
  std::uint32_t colors_used = 0;

  [[nodiscard]] std::size_t end() const { return kFileHeaderBytes + bytes; }
};

bool is_known_length(std::uint32_t bytes) {
  constexpr std::uint32_t kMinOs2Bytes = 16;
  constexpr std::uint32_t kVersion4 = 108;
  return bytes == kCoreBytes || (bytes >= kMinOs2Bytes && bytes <= kOs2Bytes) || bytes == kVersion4 ||
         bytes == kVersion5;
}

void read_profile(ByteSpan bytes, const Fields& fields, BmpHeader& header) {
  constexpr std::uint32_t kEmbedded = 0x4D424544;
  constexpr std::uint32_t kLinked = 0x4C494E4B;
  if (fields.bytes < kVersion5) {
    return;
  }
  const std::uint32_t color_space = u32le_at(bytes, kFileHeaderBytes + 56);
  header.names_profile = color_space == kLinked;
  if (color_space == kEmbedded) {
    header.profile = std::uint64_t{kFileHeaderBytes} + u32le_at(bytes, kFileHeaderBytes + 112);
    header.profile_bytes = u32le_at(bytes, kFileHeaderBytes + 116);
  }
}

Fields read_fields(ByteSpan bytes, BmpHeader& header, const std::string& name) {
  require_bytes(bytes, kFileHeaderBytes + kCoreBytes, name);
  Fields fields;
  fields.bytes = u32le_at(bytes, 14);
  header.pixels = u32le_at(bytes, 10);
  if (!is_known_length(fields.bytes)) {
    reject_unsupported(name, fmt::format("BMP with a {}-byte header", fields.bytes));
  }
  require_bytes(bytes, fields.end(), name);
  if (fields.bytes == kCoreBytes) {
    fields.width = static_cast<std::int32_t>(u16le_at(bytes, 18));
    fields.height = static_cast<std::int32_t>(u16le_at(bytes, 20));
    header.bits = u16le_at(bytes, 24);
    header.palette_entry_bytes = 3;
    return fields;
  }
  const auto field = [&](std::size_t offset) { return offset + 4 <= fields.end() ? u32le_at(bytes, offset) : 0; };
  fields.width = static_cast<std::int32_t>(u32le_at(bytes, 18));
  fields.height = static_cast<std::int32_t>(u32le_at(bytes, 22));
  header.bits = u16le_at(bytes, 28);
  fields.compression = field(30);
  fields.colors_used = field(46);
  header.x_per_meter = field(38);
  header.y_per_meter = field(42);
  read_profile(bytes, fields, header);
  return fields;
}

void check_kind(const BmpHeader& header, const Fields& fields, const std::string& name) {
  constexpr std::array<std::uint32_t, 7> kDepths = {1, 2, 4, 8, 16, 24, 32};
  if (std::find(kDepths.begin(), kDepths.end(), header.bits) == kDepths.end()) {
    reject_unsupported(name, fmt::format("BMP with {} bits per pixel", header.bits));
  }
  const bool has_masks = fields.compression == kMasks || fields.compression == kMasksWithAlpha;
  const bool has_runs = fields.compression == kRuns8 || fields.compression == kRuns4;
  if ((fields.compression != kPlain && !has_masks && !has_runs) || (has_masks && fields.bytes == kOs2Bytes)) {
    reject_unsupported(name, fmt::format("BMP with compression type {}", fields.compression));
  }
  if (has_masks && header.bits < 16) {
    reject_damaged(name, fmt::format("it has channel masks for {} bits per pixel", header.bits));
  }
  if (has_runs && header.bits != (fields.compression == kRuns8 ? 8 : 4)) {
    reject_damaged(name, fmt::format("it has run-length coding for {} bits per pixel", header.bits));
  }
  if (fields.width < 0) {
    reject_damaged(name, "its width is negative");
  }
}

bool is_one_run(std::uint32_t mask) {
  const std::uint32_t filled_below = mask | (mask - 1);
  return (filled_below & (filled_below + 1)) == 0;
}

void check_mask(std::uint32_t mask, bool is_color, const std::string& name) {
  if (std::popcount(mask) > 8) {
    reject_unsupported(name, "BMP with more than 8 bits per channel");
  }
  if (is_color && mask == 0) {
    reject_damaged(name, "a channel mask is empty");
  }
  if (!is_one_run(mask)) {
    reject_damaged(name, "the bits of a channel mask are not contiguous");
  }
}

/// Reads the masks from the file, or sets the default masks of its depth. Returns the end of the header, including
/// masks that follow it.
std::size_t read_masks(ByteSpan bytes, BmpHeader& header, const Fields& fields, const std::string& name) {
  if (fields.compression != kMasks && fields.compression != kMasksWithAlpha) {
    header.masks = header.bits == 16 ? std::array<std::uint32_t, 4>{0x7C00, 0x03E0, 0x001F, 0}
                                     : std::array<std::uint32_t, 4>{0xFF0000, 0x00FF00, 0x0000FF, 0};
    return fields.end();
  }
  constexpr std::uint32_t kWithRgbMasks = 52;
  constexpr std::uint32_t kWithAllMasks = 56;
  constexpr std::size_t kMasksAt = kFileHeaderBytes + kInfoBytes;  // inside a long header or after a short one
  const std::size_t count = fields.bytes >= kWithAllMasks || fields.compression == kMasksWithAlpha ? 4 : 3;
  const std::uint32_t pixel = 0xFFFFFFFF >> (32 - header.bits);  // clears mask bits outside the pixel
  require_bytes(bytes, kMasksAt + 4 * count, name);
  for (std::size_t i = 0; i < count; ++i) {
    header.masks[i] = u32le_at(bytes, kMasksAt + 4 * i) & pixel;
    check_mask(header.masks[i], i < 3, name);
  }
  return std::max(fields.end(), fields.bytes < kWithRgbMasks ? kMasksAt + 4 * count : std::size_t{0});
}

/// The number of palette entries: the declared number, limited to the entries that fit before the pixels.
std::size_t palette_size(const BmpHeader& header, std::uint32_t colors_used) {
  const std::size_t full = std::size_t{1} << header.bits;
  const std::size_t declared = colors_used != 0 ? colors_used : full;
  const std::size_t space = header.pixels - std::min(header.pixels, header.palette);
  return std::min({declared, full, space / header.palette_entry_bytes});
}

/// `bytes` starts with the signature, and may be cut off after the header and its masks. Throws like decode_image. Does
/// not check the size.
BmpHeader read_bmp_header(ByteSpan bytes, const std::string& name) {
  BmpHeader header;
  const Fields fields = read_fields(bytes, header, name);
  check_kind(header, fields, name);
  const std::int64_t height = fields.height;
  header.width = static_cast<std::uint64_t>(fields.width);
  header.height = static_cast<std::uint64_t>(height < 0 ? -height : height);
  header.is_top_down = height < 0;
  header.packing = fields.compression == kRuns8   ? BmpHeader::Packing::runs8
                   : fields.compression == kRuns4 ? BmpHeader::Packing::runs4
                                                  : BmpHeader::Packing::plain;
  header.palette = read_masks(bytes, header, fields, name);
  header.colors = header.has_palette() ? palette_size(header, fields.colors_used) : 0;
  return header;
}

using RgbColor = std::array<std::byte, 3>;

/// Decodes run-length coded rows, BI_RLE8 and BI_RLE4. They consist of pairs of a count and an index, and of escapes:
/// end of row, end of image, a jump, or a number of literal indices.
class RunReader {
 public:
  RunReader(ByteSpan data, const BmpHeader& header, std::span<const RgbColor> palette, const std::string& name, View to)
      : data_(data), header_(header), palette_(palette), name_(name), to_(to) {
    const std::int64_t pixels_a_word = header.packing == BmpHeader::Packing::runs8 ? 4 : 8;
    padded_width_ = (std::int64_t{to.width} + pixels_a_word - 1) / pixels_a_word * pixels_a_word;
  }

  /// Decodes all runs. Returns true if pixels outside a row were cut off.
  bool read() {
    while (!has_ended_ && !is_full()) {
      const std::uint32_t count = byte();
      if (count > 0) {
        paint_run(count);
        continue;
      }
      follow_escape(byte());
    }
    return was_cut_;
  }

 private:
  [[nodiscard]] bool is_full() const { return y_ >= to_.height || (y_ == to_.height - 1 && x_ >= to_.width); }

  std::uint32_t byte() {
    require_bytes(data_, 1, name_);
    const std::uint32_t value = u8_at(data_, 0);
    data_ = data_.subspan(1);
    return value;
  }

  void follow_escape(std::uint32_t code) {
    constexpr std::uint32_t kEndOfRow = 0;
    constexpr std::uint32_t kEndOfImage = 1;
    constexpr std::uint32_t kJump = 2;
    switch (code) {
      case kEndOfRow:
        x_ = 0;
        ++y_;
        break;
      case kEndOfImage: has_ended_ = true; break;
      case kJump:
        x_ += static_cast<int>(byte());
        y_ += static_cast<int>(byte());
        if (x_ > padded_width_ || y_ >= to_.height) {
          reject_damaged(name_, "a jump leaves the image");
        }
        break;
      default: paint_literals(code);
    }
  }

  /// In a byte of a 4-bit run, two indices alternate, the high one first.
  void paint_run(std::uint32_t count) {
    const std::uint32_t value = byte();
    note_excess(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      paint(header_.packing == BmpHeader::Packing::runs8 ? value : i % 2 == 0 ? value >> 4 : value & 15U);
    }
  }

  void paint_literals(std::uint32_t count) {
    const bool is_wide = header_.packing == BmpHeader::Packing::runs8;
    const std::size_t bytes = is_wide ? count : (count + 1) / 2;
    const std::size_t padded = bytes + bytes % 2;
    note_excess(count);
    require_bytes(data_, padded, name_);
    for (std::uint32_t i = 0; i < count; ++i) {
      paint(is_wide ? u8_at(data_, i) : u8_at(data_, i / 2) >> (i % 2 == 0 ? 4 : 0) & 15U);
    }
    data_ = data_.subspan(padded);
  }

  /// Records pixels past the padded row. Pixels inside the padding are allowed, because ImageMagick also encodes the
  /// padding that uncompressed rows have.
  void note_excess(std::uint32_t count) { was_cut_ = was_cut_ || std::int64_t{x_} + count > padded_width_; }

  void paint(std::uint32_t index) {
    if (index >= palette_.size()) {
      reject_damaged(name_,
                     fmt::format("a pixel has color index {}, but its palette has size {}", index, palette_.size()));
    }
    if (x_ < to_.width) {
      const int row = header_.is_top_down ? y_ : to_.height - 1 - y_;
      std::copy_n(palette_[index].begin(), 3, to_.row_bytes(row) + std::size_t{3} * static_cast<std::size_t>(x_));
    }
    x_ += x_ < padded_width_ ? 1 : 0;
  }

  ByteSpan data_;
  const BmpHeader& header_;
  std::span<const RgbColor> palette_;
  const std::string& name_;
  View to_;
  std::int64_t padded_width_ = 0;
  int x_ = 0;
  int y_ = 0;  ///< row in file order
  bool has_ended_ = false;
  bool was_cut_ = false;
};

/// Paints the runs of `data`. Pixels that they skip get the first color, as in Pillow, OpenCV and ImageMagick. Cuts off
/// runs that extend past a row and its padding, and returns true if it did. Rejects jumps that leave the image, indices
/// outside the palette, and data that end too early.
bool read_bmp_runs(ByteSpan data, const BmpHeader& header, std::span<const RgbColor> palette, const std::string& name,
                   View to) {
  if (palette.empty()) {
    reject_damaged(name, "its palette has size 0");
  }
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      std::copy_n(palette[0].begin(), 3, to.row_bytes(y) + std::size_t{3} * static_cast<std::size_t>(x));
    }
  }
  return RunReader(data, header, palette, name, to).read();
}

/// The fields are signed, so a value above the maximum represents a negative number.
bool is_density(std::uint32_t per_meter) {
  return per_meter > 0 && per_meter <= static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
}

/// Adds a clause to `details` if the profile is damaged.
Metadata read_bmp_metadata(ByteSpan bytes, const BmpHeader& header, std::vector<std::string>& details) {
  Metadata metadata;
  if (is_density(header.x_per_meter) && is_density(header.y_per_meter)) {
    metadata.density = PixelDensity{header.x_per_meter, header.y_per_meter, DensityUnit::meter};
  }
  if (header.names_profile) {
    metadata.not_kept.emplace_back("the name of the file with its ICC profile");
  }
  if (header.profile_bytes > 0) {
    const bool is_inside = header.profile + header.profile_bytes <= bytes.size();
    const ByteSpan profile = is_inside ? icc_profile_in(bytes.subspan(static_cast<std::size_t>(header.profile),
                                                                      static_cast<std::size_t>(header.profile_bytes)))
                                       : ByteSpan{};
    metadata.icc.assign(profile.begin(), profile.end());
    if (profile.empty()) {
      details.emplace_back("its ICC profile is damaged and is left out");
    }
  }
  return metadata;
}

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
      reject_damaged(name,
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
  /// Repeats the bits of a value up to a width of eight: 10110 becomes 10110101.
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

std::uint32_t masked_pixel(ByteSpan from, std::size_t bytes, std::size_t x) {
  switch (bytes) {
    case 2: return u16le_at(from, 2 * x);
    case 3: return u16le_at(from, 3 * x) | u8_at(from, 3 * x + 2) << 16;
    default: return u32le_at(from, 4 * x);
  }
}

void unpack_masked(ByteSpan from, std::size_t pixel_bytes, std::span<const MaskedChannel> channels, std::byte* to,
                   int width) {
  for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
    const std::uint32_t pixel = masked_pixel(from, pixel_bytes, x);
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
    const ByteSpan row = rows.subspan(static_cast<std::size_t>(stored) * header.row_bytes(), header.used_row_bytes());
    if (header.has_palette()) {
      unpack_indices(row.data(), header.bits, palette, name, to.row_bytes(y), to.width);
    } else if (header.is_bgr()) {
      unpack_24(row.data(), to.row_bytes(y), to.width);
    } else {
      unpack_masked(row, header.bits / 8, channels, to.row_bytes(y), to.width);
    }
  }
}

/// Number of bits in the widest channel or in an index.
int channel_bits(const BmpHeader& header) {
  const auto wider = [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); };
  return header.has_palette() ? static_cast<int>(header.bits)
                              : std::popcount(*std::max_element(header.masks.begin(), header.masks.end(), wider));
}

PixelFormat format_of(const BmpHeader& header) { return {Sample::u8, header.has_alpha() ? 4 : 3}; }

/// The bytes of the pixels. For uncompressed rows, returns exactly their bytes; the padding of the last row may be
/// missing.
ByteSpan pixel_bytes(ByteSpan bytes, const BmpHeader& header, const std::string& name) {
  if (header.pixels < header.palette) {
    reject_damaged(name, "its pixels start inside its header");
  }
  require_bytes(bytes, header.pixels, name);
  const ByteSpan rest = bytes.subspan(header.pixels);
  if (header.packing != BmpHeader::Packing::plain) {
    return rest;
  }
  const std::size_t before_last = static_cast<std::size_t>(header.height) - 1;
  if (rest.size() / header.row_bytes() < before_last ||
      rest.size() - before_last * header.row_bytes() < header.used_row_bytes()) {
    reject_truncated(name);
  }
  return rest.first(std::min(rest.size(), (before_last + 1) * header.row_bytes()));
}

}  // namespace

Metadata bmp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  const BmpHeader header = read_bmp_header(beginning, name);
  require_bytes(beginning, static_cast<std::size_t>(header.profile + header.profile_bytes), name);
  return read_bmp_metadata(beginning, header, details);
}

DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const BmpHeader header = read_bmp_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  const ByteSpan pixels = pixel_bytes(bytes, header, name);
  const bool has_runs = header.packing != BmpHeader::Packing::plain;
  if (has_runs) {
    constexpr std::uint64_t kMaxPixelsPerByte = 128;  // a run takes two bytes and has at most 255 pixels
    check_coverage(name, header.width * header.height, pixels.size() * kMaxPixelsPerByte, options);
  }
  DecodedImage decoded;
  decoded.image = options.image(static_cast<int>(header.width), static_cast<int>(header.height), format_of(header));
  const std::vector<RgbColor> palette = read_palette(bytes, header);
  if (!has_runs) {
    read_rows(pixels, header, palette, name, decoded.image.view());
    if (pixels.size() < header.row_bytes() * static_cast<std::size_t>(header.height)) {
      decoded.notes.emplace_back("BMP: the padding of its last row is missing; all pixels are there");
    }
  } else if (read_bmp_runs(pixels, header, palette, name, decoded.image.view())) {
    decoded.notes.emplace_back("BMP: a run extends past its row, and the excess is left out");
  }
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

}  // namespace gpuimg::codecs::bmp

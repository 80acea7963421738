// Reads PSD. Skips from section to section, and reads only the number of layers from the layer section. Combines the
// planes of the merged image into pixels, row by row. Adobe Photoshop File Formats Specification; docs/operations.md,
// "Files".
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/rejections.hpp"
#include "codecs/stored_samples.hpp"

namespace gpuimg::codecs::psd {
namespace {

/// The color mode. The values are those of the file format.
enum class PsdMode : std::uint8_t { bitmap = 0, gray = 1, indexed = 2, rgb = 3, cmyk = 4, duotone = 8 };

struct PsdHeader {
  bool is_large = false;  ///< PSB: some length fields have 8 bytes instead of 4
  PsdMode mode = PsdMode::rgb;
  std::uint32_t bits = 8;      ///< bits per value: 1, 8 or 16
  std::uint64_t channels = 0;  ///< number of planes in the merged image
  std::uint64_t width = 0;
  std::uint64_t height = 0;

  [[nodiscard]] std::size_t color_planes() const { return mode == PsdMode::cmyk ? 4 : mode == PsdMode::rgb ? 3 : 1; }
  [[nodiscard]] std::size_t row_bytes() const { return (static_cast<std::size_t>(width) * bits + 7) / 8; }
};

struct PsdSections {
  ByteSpan colors;                ///< palette of an indexed file
  ByteSpan resources;             ///< Photoshop image resources
  bool has_transparency = false;  ///< the plane after the colors holds the transparency
  std::size_t image = 0;          ///< offset of the merged image
};

constexpr std::size_t kHeaderBytes = 26;

/// Reads consecutive big-endian fields.
class PsdFields {
 public:
  PsdFields(ByteSpan bytes, std::size_t offset, const std::string& name)
      : bytes_(bytes), offset_(std::min(offset, bytes.size())), name_(name) {}

  [[nodiscard]] std::size_t offset() const { return offset_; }

  ByteSpan take(std::uint64_t count) {
    if (count > bytes_.size() - offset_) {
      reject_truncated(name_);
    }
    const ByteSpan taken = bytes_.subspan(offset_, static_cast<std::size_t>(count));
    offset_ += taken.size();
    return taken;
  }
  /// Reads a length of 8 bytes if `is_long`, otherwise of 4 bytes.
  std::uint64_t length(bool is_long) {
    const std::uint64_t high = is_long ? u32be_at(take(4), 0) : 0;
    return high << 32 | u32be_at(take(4), 0);
  }

 private:
  ByteSpan bytes_;
  std::size_t offset_;
  const std::string& name_;
};

void check_mode(std::uint32_t mode, std::uint32_t bits, const std::string& name) {
  constexpr std::array<std::string_view, 10> kNames = {"bitmap", "grayscale", "indexed",      "RGB",     "CMYK",
                                                       "?",      "?",         "multichannel", "duotone", "Lab"};
  constexpr std::array kRead = {PsdMode::bitmap, PsdMode::gray, PsdMode::indexed,
                                PsdMode::rgb,    PsdMode::cmyk, PsdMode::duotone};
  const auto is_mode = [&](PsdMode known) { return static_cast<std::uint32_t>(known) == mode; };
  if (std::none_of(kRead.begin(), kRead.end(), is_mode)) {
    const std::string_view known = mode < kNames.size() ? kNames[mode] : "?";
    reject_unsupported(name, fmt::format("PSD with {}", known == "?" ? "an unknown mode" : known));
  }
  const bool takes_8 = mode != static_cast<std::uint32_t>(PsdMode::bitmap);
  const bool takes_16 = takes_8 && mode != static_cast<std::uint32_t>(PsdMode::indexed);
  if (bits != 1 && bits != 8 && bits != 16) {
    reject_unsupported(name, fmt::format("{}-bit PSD", bits));
  }
  if ((bits == 1 && takes_8) || (bits == 8 && !takes_8) || (bits == 16 && !takes_16)) {
    reject_damaged(name, fmt::format("it declares {} pixels of {} bits", kNames[mode], bits));
  }
}

/// True for the keys of tagged blocks whose length has 8 bytes in a PSB.
bool has_long_length(std::string_view key) {
  constexpr std::array<std::string_view, 13> kKeys = {"LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn",
                                                      "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// A negative number of layers means that the merged image has transparency.
bool is_negative(ByteSpan layers) { return layers.size() >= 2 && (u8_at(layers, 0) & 0x80U) != 0; }

/// Reads tagged blocks, because 16-bit files keep their layers there. Throws TruncatedFile if the blocks do not fit
/// into the section.
bool blocks_say_transparent(ByteSpan section, std::size_t offset, bool is_large, const std::string& name) {
  PsdFields blocks(section, offset, name);
  while (section.size() - blocks.offset() >= 12) {
    const std::string_view signature = text_of(blocks.take(4));
    const std::string_view key = text_of(blocks.take(4));
    if (signature != "8BIM" && signature != "8B64") {
      return false;
    }
    const ByteSpan data = blocks.take(blocks.length(is_large && has_long_length(key)));
    if (key == "Lr16" || key == "Layr" || key == "Mt16" || key == "Mtrn") {
      return key[0] == 'M' || is_negative(data);
    }
    const std::size_t padding = (4 - data.size() % 4) % 4;
    blocks.take(std::min(padding, section.size() - blocks.offset()));
  }
  return false;
}

/// `section` holds layers and masks. Ignores damage inside it, because the merged image does not depend on it.
bool says_transparent(ByteSpan section, bool is_large, const std::string& name) {
  try {
    PsdFields fields(section, 0, name);
    const ByteSpan layers = fields.take(fields.length(is_large));
    if (!layers.empty()) {
      return is_negative(layers);
    }
    fields.take(fields.length(false));  // skips the global layer mask
    return blocks_say_transparent(section, fields.offset(), is_large, name);
  } catch (const TruncatedFile&) {
    return false;
  }
}

/// `bytes` starts with the signature, and may be cut off after the first 26 bytes. Throws like decode_image. Does not
/// check the size.
PsdHeader read_psd_header(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kHeaderBytes, name);
  constexpr std::uint32_t kSmall = 1;
  constexpr std::uint32_t kLarge = 2;
  const std::uint32_t version = u16be_at(bytes, 4);
  if (version != kSmall && version != kLarge) {
    reject_unsupported(name, fmt::format("PSD of version {}", version));
  }
  PsdHeader header;
  header.is_large = version == kLarge;
  header.channels = u16be_at(bytes, 12);
  header.height = u32be_at(bytes, 14);
  header.width = u32be_at(bytes, 18);
  header.bits = u16be_at(bytes, 22);
  check_mode(u16be_at(bytes, 24), header.bits, name);
  header.mode = static_cast<PsdMode>(u16be_at(bytes, 24));
  if (header.channels < header.color_planes()) {
    reject_damaged(name, fmt::format("it declares {} channels, too few for its color mode", header.channels));
  }
  return header;
}

/// The image resources. The file may be cut off after them.
ByteSpan psd_resources(ByteSpan bytes, const std::string& name) {
  PsdFields fields(bytes, kHeaderBytes, name);
  fields.take(fields.length(false));  // skips the colors
  return fields.take(fields.length(false));
}

PsdSections read_psd_sections(ByteSpan bytes, const PsdHeader& header, const std::string& name) {
  PsdFields fields(bytes, kHeaderBytes, name);
  PsdSections sections;
  sections.colors = fields.take(fields.length(false));
  sections.resources = fields.take(fields.length(false));
  const ByteSpan layers = fields.take(fields.length(header.is_large));
  sections.has_transparency =
      header.channels > header.color_planes() && says_transparent(layers, header.is_large, name);
  sections.image = fields.offset();
  return sections;
}

/// The rows of the planes of a merged image, stored plain or run-length coded (PackBits). The table of row lengths
/// gives the position of each coded row, even if the data of the previous row end elsewhere.
class PsdPlanes {
 public:
  /// `data` is the merged image, starting with its compression method. Rejects data that are too short for the planes
  /// before allocating the table of rows.
  PsdPlanes(ByteSpan data, const PsdHeader& header, const std::string& name);

  /// Writes one stored row of a plane: header.row_bytes() bytes.
  void read_row(std::size_t plane, std::size_t y, std::byte* to) const;

 private:
  void locate_rows(const PsdHeader& header);

  ByteSpan data_;
  std::size_t height_;
  std::size_t row_bytes_;
  std::vector<std::size_t> starts_;  ///< start of each coded row, and end of the last one; empty if rows are plain
  const std::string& name_;
};

/// Unpacks PackBits until `to` is full. Ignores counts of 128.
void unpack_runs(ByteSpan from, std::span<std::byte> to, const std::string& name) {
  while (!to.empty()) {
    if (from.empty()) {
      reject_damaged(name, "the coded data of a row ends before the row is full");
    }
    const std::uint32_t code = u8_at(from, 0);
    from = from.subspan(1);
    if (code == 128) {
      continue;
    }
    const bool is_run = code > 128;
    const std::size_t count = is_run ? 257 - code : code + 1;
    if (count > to.size() || from.size() < (is_run ? 1 : count)) {
      reject_damaged(name, "a run extends past its row");
    }
    if (is_run) {
      std::fill_n(to.begin(), count, from[0]);
    } else {
      std::memcpy(to.data(), from.data(), count);
    }
    from = from.subspan(is_run ? 1 : count);
    to = to.subspan(count);
  }
}

PsdPlanes::PsdPlanes(ByteSpan data, const PsdHeader& header, const std::string& name)
    : height_(static_cast<std::size_t>(header.height)), row_bytes_(header.row_bytes()), name_(name) {
  constexpr std::uint32_t kPlain = 0;
  constexpr std::uint32_t kRunLength = 1;
  require_bytes(data, 2, name);
  const std::uint32_t compression = u16be_at(data, 0);
  data_ = data.subspan(2);
  if (compression > kRunLength) {
    reject_unsupported(name, "PSD with a deflated merged image");
  }
  if (compression == kRunLength) {
    locate_rows(header);
  } else if (compression == kPlain && data_.size() / row_bytes_ / height_ < header.channels) {
    reject_truncated(name);
  }
}

void PsdPlanes::locate_rows(const PsdHeader& header) {
  const std::size_t entry_bytes = header.is_large ? 4 : 2;
  if (data_.size() / entry_bytes / height_ < header.channels) {
    reject_truncated(name_);
  }
  const std::size_t rows = height_ * static_cast<std::size_t>(header.channels);
  starts_.resize(rows + 1);
  starts_[0] = rows * entry_bytes;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t length = header.is_large ? u32be_at(data_, 4 * row) : u16be_at(data_, 2 * row);
    starts_[row + 1] = starts_[row] + length;
  }
  require_bytes(data_, starts_[rows], name_);
}

void PsdPlanes::read_row(std::size_t plane, std::size_t y, std::byte* to) const {
  const std::size_t row = plane * height_ + y;
  if (starts_.empty()) {
    std::memcpy(to, data_.data() + row * row_bytes_, row_bytes_);
    return;
  }
  unpack_runs(data_.subspan(starts_[row], starts_[row + 1] - starts_[row]), {to, row_bytes_}, name_);
}

/// Stores `found`, which is a part of `resource` or empty.
void keep(std::vector<std::byte>& to, ByteSpan found, ByteSpan resource, const char* what,
          std::vector<std::string>& details) {
  to.assign(found.begin(), found.end());
  if (found.empty() && !resource.empty()) {
    details.push_back("its " + std::string(what) + " is damaged and is left out");
  }
}

/// The density in fixed-point pixels per inch. The unit that the program displays does not matter.
std::optional<PixelDensity> density_in(ByteSpan resolution) {
  constexpr std::size_t kBytes = 16;
  constexpr std::size_t kVerticalAt = 8;
  if (resolution.size() < kBytes) {
    return std::nullopt;
  }
  const auto ratio_at = [&](std::size_t offset) {  // numbers have 16 fractional bits
    constexpr double kOne = 65536;
    return simplest_ratio(u32be_at(resolution, offset) / kOne, 0.5 / kOne);
  };
  const std::optional<Ratio> x = ratio_at(0);
  const std::optional<Ratio> y = ratio_at(kVerticalAt);
  return x && y ? std::optional(PixelDensity{*x, *y, DensityUnit::inch}) : std::nullopt;
}

/// Reads the metadata. Adds a clause to `details` for each damaged part.
Metadata read_psd_metadata(ByteSpan resources, std::vector<std::string>& details) {
  const PhotoshopResources found = photoshop_resources(resources);
  Metadata metadata;
  keep(metadata.icc, icc_profile_in(found.icc), found.icc, "ICC profile", details);
  keep(metadata.exif, is_exif(found.exif) ? found.exif : ByteSpan{}, found.exif, "EXIF data", details);
  keep(metadata.xmp, is_xmp(found.xmp) ? found.xmp : ByteSpan{}, found.xmp, "XMP", details);
  keep(metadata.iptc, is_iptc(found.iptc) ? found.iptc : ByteSpan{}, found.iptc, "IPTC data", details);
  metadata.density = density_in(found.resolution);
  if (found.is_damaged) {
    details.emplace_back("the rest of its Photoshop data is damaged and is left out");
  }
  if (found.others > 0) {
    metadata.not_kept.emplace_back("other Photoshop data");
  }
  return metadata;
}

constexpr std::size_t kPaletteBytes = 768;

PixelFormat format_of(const PsdHeader& header, bool has_alpha) {
  const bool is_gray = header.color_planes() == 1 && header.mode != PsdMode::indexed;
  return {header.bits == 16 ? Sample::u16 : Sample::u8, (is_gray ? 1 : 3) + (has_alpha ? 1 : 0)};
}

template <class T>
class RowJoiner {
 public:
  RowJoiner(const PsdHeader& header, const PsdSections& sections, const PsdPlanes& planes)
      : header_(header), sections_(sections), planes_(planes), width_(static_cast<std::size_t>(header.width)) {
    for (std::size_t plane = 0; plane < header.color_planes() + (sections.has_transparency ? 1 : 0); ++plane) {
      rows_.emplace_back(std::max(width_ * sizeof(T), header.row_bytes()));
    }
    joined_.resize(width_ * 4);
  }

  void read(std::size_t y, T* to, std::size_t channels) {
    for (std::size_t plane = 0; plane < rows_.size(); ++plane) {
      planes_.read_row(plane, y, rows_[plane].data());
      if constexpr (sizeof(T) == 2) {
        auto* row = reinterpret_cast<std::uint8_t*>(rows_[plane].data());
        swap_sample_bytes(row, row, width_ * 2);
      }
    }
    switch (header_.mode) {
      case PsdMode::bitmap: spread_bits(to, channels); break;
      case PsdMode::indexed: look_up(to, channels); break;
      case PsdMode::cmyk:
        spread(4, joined_.data(), 4);
        channels == 3 ? cmyk_to_rgb<T>(joined_.data(), to, width_) : convert_beside_alpha(to);
        break;
      default: spread(header_.color_planes(), to, channels);
    }
    if (sections_.has_transparency) {
      spread_plane(rows_.size() - 1, to + channels - 1, channels);
    }
  }

 private:
  [[nodiscard]] const T* row(std::size_t plane) const { return reinterpret_cast<const T*>(rows_[plane].data()); }

  void spread_plane(std::size_t plane, T* to, std::size_t step) const {
    for (std::size_t x = 0; x < width_; ++x) {
      to[x * step] = row(plane)[x];
    }
  }
  void spread(std::size_t planes, T* to, std::size_t step) const {
    for (std::size_t plane = 0; plane < planes; ++plane) {
      spread_plane(plane, to + plane, step);
    }
  }

  /// Converts bits to levels; 1 is black.
  void spread_bits(T* to, std::size_t step) const {
    for (std::size_t x = 0; x < width_; ++x) {
      const bool is_black = (std::to_integer<unsigned>(rows_[0][x / 8]) >> (7 - x % 8) & 1U) != 0;
      to[x * step] = static_cast<T>(is_black ? 0 : kMaxOf<T>);
    }
  }

  /// Looks up palette colors. The palette has all red levels first, then green, then blue.
  void look_up(T* to, std::size_t step) const {
    constexpr std::size_t kColors = kPaletteBytes / 3;
    for (std::size_t x = 0; x < width_; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        to[x * step + c] = static_cast<T>(u8_at(sections_.colors, c * kColors + row(0)[x]));
      }
    }
  }

  void convert_beside_alpha(T* to) {
    rgb_.resize(width_ * 3);
    cmyk_to_rgb<T>(joined_.data(), rgb_.data(), width_);
    for (std::size_t x = 0; x < width_; ++x) {
      std::copy_n(rgb_.begin() + static_cast<std::ptrdiff_t>(3 * x), 3, to + 4 * x);
    }
  }

  const PsdHeader& header_;
  const PsdSections& sections_;
  const PsdPlanes& planes_;
  std::size_t width_;
  std::vector<std::vector<std::byte>> rows_;  ///< one row for each plane that is read
  std::vector<T> joined_;
  std::vector<T> rgb_;
};

template <class T>
void read_pixels(const PsdHeader& header, const PsdSections& sections, const PsdPlanes& planes, View to) {
  RowJoiner<T> rows(header, sections, planes);
  for (int y = 0; y < to.height; ++y) {
    rows.read(static_cast<std::size_t>(y), to.row<T>(y), static_cast<std::size_t>(to.format.channels));
  }
}

void add_notes(const PsdHeader& header, const PsdSections& sections, std::vector<std::string>& notes) {
  if (header.mode == PsdMode::cmyk) {
    notes.emplace_back(kCmykNote);
  }
  if (header.mode == PsdMode::duotone) {
    notes.emplace_back("PSD: the duotone is read as gray, without its inks");
  }
  if (header.channels > header.color_planes() + (sections.has_transparency ? 1 : 0)) {
    notes.emplace_back("PSD: the merged image is read; its extra channels are left out");
  }
}

}  // namespace

Metadata psd_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_psd_metadata(psd_resources(beginning, name), details);
}

DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const PsdHeader header = read_psd_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  const PsdSections sections = read_psd_sections(bytes, header, name);
  if (header.mode == PsdMode::indexed && sections.colors.size() < kPaletteBytes) {
    reject_damaged(name, "its palette is missing");
  }
  const PsdPlanes planes(bytes.subspan(sections.image), header, name);
  DecodedImage decoded;
  decoded.image = options.image(static_cast<int>(header.width), static_cast<int>(header.height),
                                format_of(header, sections.has_transparency));
  if (header.bits == 16) {
    read_pixels<std::uint16_t>(header, sections, planes, decoded.image.view());
  } else {
    read_pixels<std::uint8_t>(header, sections, planes, decoded.image.view());
  }
  add_notes(header, sections, decoded.notes);
  decoded.metadata = read_psd_metadata(sections.resources, decoded.details);
  return decoded;
}

DeclaredImage declared_psd(ByteSpan beginning, const std::string& name) {
  const PsdHeader header = read_psd_header(beginning, name);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = header.mode == PsdMode::indexed ? "palette"
                   : header.mode == PsdMode::cmyk  ? "CMYK"
                   : header.mode == PsdMode::rgb   ? "RGB"
                                                   : "gray";
  declared.bits = static_cast<int>(header.bits);
  declared.palette_colors = header.mode == PsdMode::indexed ? kPaletteBytes / 3 : 0;
  declared.decoded = format_of(header, false);
  declared.may_add_alpha = header.channels > header.color_planes();
  declared.bytes_per_pixel = format_of(header, declared.may_add_alpha).bytes_per_pixel();
  declared.facts = {{"stored_channels", header.channels}};
  return declared;
}

}  // namespace gpuimg::codecs::psd

// Joins the planes of the merged image to pixels, row by row: docs/operations.md, "Files".
#include "codecs/psd/psd_reader.hpp"

#include <algorithm>
#include <vector>

#include "codecs/cmyk.hpp"
#include "codecs/psd/psd_header.hpp"
#include "codecs/psd/psd_metadata.hpp"
#include "codecs/psd/psd_planes.hpp"
#include "codecs/refusals.hpp"
#include "codecs/sample_order.hpp"

namespace gpuimg::codecs {
namespace {

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

  /// 1 is black.
  void spread_bits(T* to, std::size_t step) const {
    for (std::size_t x = 0; x < width_; ++x) {
      const bool is_black = (std::to_integer<unsigned>(rows_[0][x / 8]) >> (7 - x % 8) & 1U) != 0;
      to[x * step] = static_cast<T>(is_black ? 0 : kMaxOf<T>);
    }
  }

  /// The palette has all red levels first, then green, then blue.
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
  std::vector<std::vector<std::byte>> rows_;  ///< one of each plane that is read
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

DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const PsdHeader header = read_psd_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  const PsdSections sections = read_psd_sections(bytes, header, name);
  if (header.mode == PsdMode::indexed && sections.colors.size() < kPaletteBytes) {
    refuse_damaged(name, "its palette is missing");
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

}  // namespace gpuimg::codecs

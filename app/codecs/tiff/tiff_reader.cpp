// Decodes block by block (strips or tiles), so that besides the image only one block of each plane is held.
#include "codecs/tiff/tiff_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "codecs/cmyk.hpp"
#include "codecs/refusals.hpp"
#include "codecs/tiff/tiff_blocks.hpp"
#include "codecs/tiff/tiff_file.hpp"
#include "codecs/tiff/tiff_kind.hpp"
#include "codecs/tiff/tiff_metadata.hpp"
#include "codecs/tiff/tiff_pages.hpp"
#include "codecs/tiff/tiff_samples.hpp"
#include "codecs/tiff/tiff_ycbcr.hpp"

namespace gpuimg::codecs {
namespace {

class BlockReader {
 public:
  BlockReader(const TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks)
      : file_(file), kind_(kind), blocks_(blocks) {
    memory_.assign(static_cast<std::size_t>(kind.is_planar ? kind.used_samples() : 1),
                   std::vector<std::byte>(static_cast<std::size_t>(blocks.bytes)));
  }

  /// Reads the block with this pixel, of all planes.
  void read(std::uint32_t x, std::uint32_t y) {
    for (std::size_t plane = 0; plane < memory_.size(); ++plane) {
      std::vector<std::byte>& to = memory_[plane];
      const auto sample = static_cast<std::uint16_t>(plane);
      const auto size = static_cast<tmsize_t>(to.size());
      const tmsize_t read =
          blocks_.are_tiles
              ? TIFFReadEncodedTile(file_.tiff(), TIFFComputeTile(file_.tiff(), x, y, 0, sample), to.data(), size)
              : TIFFReadEncodedStrip(file_.tiff(), TIFFComputeStrip(file_.tiff(), y, sample), to.data(), size);
      file_.check();
      const std::uint64_t rows = blocks_.are_tiles ? blocks_.height : std::min(blocks_.height, kind_.height - y);
      if (read < 0 ||
          static_cast<std::uint64_t>(read) < blocks_.lines(static_cast<std::uint32_t>(rows)) * blocks_.row_bytes) {
        refuse_damaged(file_.name(), "a strip or tile is cut off");
      }
    }
  }

  /// The line `y` of the block, of all planes.
  [[nodiscard]] std::vector<const std::byte*> rows(std::uint32_t y) const {
    std::vector<const std::byte*> rows;
    for (const std::vector<std::byte>& plane : memory_) {
      rows.push_back(plane.data() + y * blocks_.row_bytes);
    }
    return rows;
  }

 private:
  const TiffFile& file_;
  const TiffKind& kind_;
  const TiffBlocks& blocks_;
  std::vector<std::vector<std::byte>> memory_;
};

TiffPalette palette_of(const TiffFile& file, const TiffKind& kind) {
  TiffPalette palette;
  if (kind.color != TiffKind::Color::palette) {
    return palette;
  }
  std::uint16_t* levels[3] = {};
  if (TIFFGetField(file.tiff(), TIFFTAG_COLORMAP, &levels[0], &levels[1], &levels[2]) != 1) {
    refuse_damaged(file.name(), "its palette is missing");
  }
  const std::size_t size = std::size_t{1} << kind.bits;
  // Some programs write levels of 8 bits instead of 16.
  const bool is_narrow = std::all_of(std::begin(levels), std::end(levels), [&](const std::uint16_t* channel) {
    return std::all_of(channel, channel + size, [](std::uint16_t level) { return level < 256; });
  });
  for (std::size_t i = 0; i < size; ++i) {
    palette.emplace_back();
    for (std::size_t c = 0; c < 3; ++c) {
      palette.back()[c] = static_cast<std::uint8_t>(levels[c][i] >> (is_narrow ? 0 : 8));
    }
  }
  return palette;
}

template <class T>
void read_pixels(TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks, View to) {
  const TiffPalette palette = palette_of(file, kind);
  TiffRowConverter<T> converter(kind, palette, std::min(blocks.width, kind.width));
  BlockReader reader(file, kind, blocks);
  file.begin_pixels();
  for (std::uint32_t y = 0; y < kind.height; y += blocks.height) {
    for (std::uint32_t x = 0; x < kind.width; x += blocks.width) {
      reader.read(x, y);
      const std::uint32_t width = std::min(blocks.width, kind.width - x);
      const std::uint32_t rows = std::min(blocks.height, kind.height - y);
      for (std::uint32_t row = 0; row < rows; ++row) {
        T* const line = to.row<T>(static_cast<int>(y + row));
        converter.convert(reader.rows(row), width,
                          line + std::size_t{x} * static_cast<std::size_t>(to.format.channels));
      }
    }
  }
}

/// The pixels of a block that lie in the image.
View part_of(View image, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
  View part = image;
  part.data = image.row_bytes(static_cast<int>(y)) + std::size_t{x} * image.format.bytes_per_pixel();
  part.width = static_cast<int>(width);
  part.height = static_cast<int>(height);
  return part;
}

void read_ycbcr(TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks, View to) {
  YcbcrConverter converter(file);
  BlockReader reader(file, kind, blocks);
  file.begin_pixels();
  for (std::uint32_t y = 0; y < kind.height; y += blocks.height) {
    for (std::uint32_t x = 0; x < kind.width; x += blocks.width) {
      reader.read(x, y);
      const std::uint32_t width = std::min(blocks.width, kind.width - x);
      const std::uint32_t rows = std::min(blocks.height, kind.height - y);
      for (std::uint32_t row = 0; row < rows; row += blocks.line_height) {
        const std::uint32_t count = std::min(blocks.line_height, rows - row);
        converter.convert(reader.rows(row / blocks.line_height)[0], part_of(to, x, y + row, width, count));
      }
    }
  }
}

void add_notes(const TiffKind& kind, std::vector<std::string>& notes) {
  if (kind.color == TiffKind::Color::cmyk) {
    notes.emplace_back(kCmykNote);
  }
  if (kind.alpha == TiffKind::Alpha::premultiplied) {
    notes.emplace_back("TIFF: its colors are stored multiplied by alpha; they are divided by it");
  }
  if (kind.alpha == TiffKind::Alpha::assumed) {
    notes.emplace_back("TIFF: it does not say what the fourth sample of each pixel is; it is read as alpha");
  }
  if (kind.samples > kind.used_samples()) {
    notes.emplace_back(
        fmt::format("TIFF: {} extra samples of each pixel are left out", kind.samples - kind.used_samples()));
  }
}

DecodedImage decoded_page(TiffFile& file, const ReadOptions& options) {
  const TiffKind kind = tiff_kind(file);
  check_size(file.name(), kind.width, kind.height, options.max_pixels);
  const TiffBlocks blocks = tiff_blocks(file, kind);
  DecodedImage decoded;
  decoded.metadata = read_tiff_metadata(file, decoded.details);
  decoded.image = options.image(static_cast<int>(kind.width), static_cast<int>(kind.height), kind.format());
  if (kind.color == TiffKind::Color::ycbcr) {
    read_ycbcr(file, kind, blocks, decoded.image.view());
  } else if (kind.format().sample == Sample::u16) {
    read_pixels<std::uint16_t>(file, kind, blocks, decoded.image.view());
  } else {
    read_pixels<std::uint8_t>(file, kind, blocks, decoded.image.view());
  }
  add_notes(kind, decoded.notes);
  for (const std::string& warning : file.warnings()) {
    decoded.notes.push_back("TIFF: libtiff warns: " + warning);
  }
  return decoded;
}

DecodedImage decode(const RandomAccess& content, const std::string& name, const ReadOptions& options) {
  const std::vector<std::uint64_t> pages = tiff_pages(content);
  const auto count = static_cast<std::uint32_t>(pages.size());
  check_page(name, options.page, count);
  TiffFile file(content, name, options.page > 1 ? pages[options.page - 1] : 0);
  DecodedImage decoded = decoded_page(file, options);
  decoded.pages = count;
  if (count > 1 && options.page == 0) {
    decoded.notes.push_back(fmt::format("TIFF of {} pages: first page only; --page N or all reads others", count));
  }
  return decoded;
}

std::uint64_t offset_of(const RandomAccess& content, const std::string& name, std::uint32_t page) {
  if (page <= 1) {
    return 0;
  }
  const std::vector<std::uint64_t> pages = tiff_pages(content);
  check_page(name, page, static_cast<std::uint32_t>(pages.size()));
  return pages[page - 1];
}

DeclaredImage declared(const TiffFile& file) {
  const TiffKind kind = tiff_kind(file);
  DeclaredImage declared;
  declared.width = kind.width;
  declared.height = kind.height;
  declared.color = kind.color == TiffKind::Color::palette ? "palette"
                   : kind.color == TiffKind::Color::cmyk  ? "CMYK"
                   : kind.color == TiffKind::Color::rgb   ? "RGB"
                   : kind.color == TiffKind::Color::ycbcr ? "YCbCr"
                                                          : "gray";
  declared.bits = kind.bits;
  declared.palette_colors = kind.color == TiffKind::Color::palette ? 1 << kind.bits : 0;
  declared.decoded = kind.format();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  // One strip may be the whole image.
  declared.decoder_bytes_per_pixel = static_cast<std::uint64_t>(kind.samples * kind.bits + 7) / 8;
  declared.facts = {{"stored_channels", static_cast<std::uint64_t>(kind.samples)},
                    {"tiled", TIFFIsTiled(file.tiff()) != 0}};
  return declared;
}

}  // namespace

bool looks_like_tiff(ByteSpan bytes, std::string_view /*name*/) {
  using namespace std::string_view_literals;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
  constexpr std::array kSignatures = {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv};
  const bool is_tiff = std::any_of(kSignatures.begin(), kSignatures.end(),
                                   [&](std::string_view signature) { return text.starts_with(signature); });
  return is_tiff && !(text.size() >= 10 && text.substr(8).starts_with("CR\2"sv));
}

DecodedImage read_tiff(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  return decode(in_memory(bytes), name, options);
}

DeclaredImage declared_tiff(ByteSpan beginning, const std::string& name) {
  return declared(TiffFile(in_memory(beginning), name));
}

Metadata tiff_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_tiff_metadata(TiffFile(in_memory(beginning), name), details);
}

const PagedReading kPagedTiff = {
    .count = [](const RandomAccess& content) { return static_cast<std::uint32_t>(tiff_pages(content).size()); },
    .declared =
        [](const RandomAccess& content, const std::string& name, std::uint32_t page) {
          DeclaredImage image = declared(TiffFile(content, name, offset_of(content, name, page)));
          image.facts.push_back({"pages", std::uint64_t{tiff_pages(content).size()}});
          return image;
        },
    .metadata =
        [](const RandomAccess& content, const std::string& name, std::uint32_t page,
           std::vector<std::string>& details) {
          return read_tiff_metadata(TiffFile(content, name, offset_of(content, name, page)), details);
        },
    .decode = decode,
};

}  // namespace gpuimg::codecs

// Blocks are converted right after they are decoded if the band has room for all their rows.
#include "codecs/tiff/tiff_pixels.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "codecs/refusals.hpp"
#include "codecs/tiff/tiff_samples.hpp"
#include "codecs/tiff/tiff_ycbcr.hpp"

namespace gpuimg::codecs {
namespace {

std::size_t plane_count(const TiffKind& kind) {
  return static_cast<std::size_t>(kind.is_planar ? kind.used_samples() : 1);
}

/// Decodes blocks, and holds some of them.
class BlockReader {
 public:
  BlockReader(const TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks)
      : file_(file), kind_(kind), blocks_(blocks), lines_(plane_count(kind)) {}

  /// Reads the block with this pixel, of all planes, in place of the one that `place` had.
  void read(std::uint32_t x, std::uint32_t y, std::size_t place) {
    if (place >= places_.size()) {
      places_.emplace_back(lines_.size(), std::vector<std::byte>(static_cast<std::size_t>(blocks_.bytes)));
    }
    for (std::size_t plane = 0; plane < lines_.size(); ++plane) {
      std::vector<std::byte>& to = places_[place][plane];
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

  /// Line `y` of the block in `place`, of all planes. Valid until the next call.
  std::span<const std::byte* const> line(std::size_t place, std::uint32_t y) {
    std::transform(places_[place].begin(), places_[place].end(), lines_.begin(),
                   [&](const std::vector<std::byte>& plane) { return plane.data() + y * blocks_.row_bytes; });
    return lines_;
  }

 private:
  const TiffFile& file_;
  const TiffKind& kind_;
  const TiffBlocks& blocks_;
  std::vector<std::vector<std::vector<std::byte>>> places_;  // a block each, of all planes
  std::vector<const std::byte*> lines_;
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

/// Makes pixels of blocks whose lines are rows of samples.
template <class T>
class SampleBlocks {
 public:
  SampleBlocks(const TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks)
      : palette_(palette_of(file, kind)), rows_(kind, palette_, std::min(blocks.width, kind.width)) {}

  /// Converts rows of a block from row `first`.
  void convert(BlockReader& blocks, std::size_t place, std::uint32_t first, View to) {
    for (int y = 0; y < to.height; ++y) {
      rows_.convert(blocks.line(place, first + static_cast<std::uint32_t>(y)), static_cast<std::size_t>(to.width),
                    to.row<T>(y));
    }
  }

 private:
  TiffPalette palette_;
  TiffRowConverter<T> rows_;
};

/// The same for blocks whose lines are rows of clumps.
class ClumpBlocks {
 public:
  ClumpBlocks(const TiffFile& file, const TiffKind& /*kind*/, const TiffBlocks& /*blocks*/) : clumps_(file) {}

  void convert(BlockReader& blocks, std::size_t place, std::uint32_t first, View to) {
    const std::uint32_t line_height = clumps_.clump_height();
    for (int y = 0; y < to.height;) {
      const std::uint32_t row = first + static_cast<std::uint32_t>(y);
      View rows = to;
      rows.data = to.row_bytes(y);
      rows.height = std::min(static_cast<int>(line_height - row % line_height), to.height - y);
      clumps_.convert(blocks.line(place, row / line_height)[0], row % line_height, rows);
      y += rows.height;
    }
  }

 private:
  YcbcrConverter clumps_;
};

/// `height` rows, from column `x` on, of the band that is being filled.
View place_in(BandCutter& bands, std::uint32_t x, std::uint32_t width, std::uint32_t height) {
  View part = bands.rows().view();
  part.data = part.row_bytes(bands.filled()) + std::size_t{x} * part.format.bytes_per_pixel();
  part.width = static_cast<int>(width);
  part.height = static_cast<int>(height);
  return part;
}

template <class Converter>
void read_blocks(TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks, const BandOutput& to) {
  Converter converter(file, kind, blocks);
  BlockReader reader(file, kind, blocks);
  BandCutter bands(to, 0, static_cast<int>(kind.height));
  file.begin_pixels();
  for (std::uint32_t y = 0; y < kind.height; y += blocks.height) {
    const std::uint32_t rows = std::min(blocks.height, kind.height - y);
    const bool fit = static_cast<std::uint32_t>(bands.left()) >= rows;
    for (std::uint32_t row = 0; row < rows;) {
      const std::uint32_t count = std::min(static_cast<std::uint32_t>(bands.left()), rows - row);
      for (std::uint32_t x = 0; x < kind.width; x += blocks.width) {
        const std::size_t place = fit ? 0 : x / blocks.width;
        if (row == 0) {
          reader.read(x, y, place);
        }
        converter.convert(reader, place, row, place_in(bands, x, std::min(blocks.width, kind.width - x), count));
      }
      row += count;
      bands.add(static_cast<int>(count));
      if (bands.left() == 0) {
        bands.pass_on();
      }
    }
  }
}

}  // namespace

void read_tiff_pixels(TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks, const BandOutput& to) {
  if (kind.color == TiffKind::Color::ycbcr) {
    read_blocks<ClumpBlocks>(file, kind, blocks, to);
  } else if (kind.format().sample == Sample::u16) {
    read_blocks<SampleBlocks<std::uint16_t>>(file, kind, blocks, to);
  } else {
    read_blocks<SampleBlocks<std::uint8_t>>(file, kind, blocks, to);
  }
}

std::uint64_t bytes_of_block_row(const TiffKind& kind, const TiffBlocks& blocks) {
  return ((kind.width - 1) / blocks.width + 1) * blocks.bytes * plane_count(kind);
}

}  // namespace gpuimg::codecs

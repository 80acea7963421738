// Files may declare blocks of any size, and some of the libraries behind libtiff believe them.
#include "codecs/tiff/tiff_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "codecs/refusals.hpp"
#include "codecs/tiff/tiff_ycbcr.hpp"

namespace gpuimg::codecs {
namespace {

void set_size(TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  blocks.are_tiles = TIFFIsTiled(file.tiff()) != 0;
  if (blocks.are_tiles) {
    blocks.width = file.number<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    blocks.height = file.number<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    blocks.bytes = TIFFTileSize64(file.tiff());
    blocks.row_bytes = TIFFTileRowSize64(file.tiff());
  } else {
    blocks.width = kind.width;
    blocks.height = std::min(file.number<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, kind.height), kind.height);
    blocks.bytes = TIFFVStripSize64(file.tiff(), blocks.height);
    blocks.row_bytes = TIFFScanlineSize64(file.tiff());
  }
}

void check_size(TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  const std::uint64_t samples = kind.is_planar ? 1 : static_cast<std::uint64_t>(kind.samples);
  std::uint64_t needed = (blocks.width * samples * static_cast<std::uint64_t>(kind.bits) + 7) / 8;
  if (kind.color == TiffKind::Color::ycbcr) {
    const YcbcrConverter converter(file);
    blocks.line_height = converter.clump_height();
    needed = blocks.row_bytes = converter.bytes_of_clump_row(blocks.width);
  }
  if (blocks.width == 0 || blocks.height == 0 || blocks.row_bytes < needed ||
      blocks.bytes / blocks.lines(blocks.height) < blocks.row_bytes) {
    refuse_damaged(file.name(), "its strips or tiles have an impossible size");
  }
}

/// A tile may lie almost wholly outside the image, and pixels may have thousands of samples that are left out.
void check_memory(const TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{256} << 20;
  const std::uint64_t planes = kind.is_planar ? static_cast<std::uint64_t>(kind.used_samples()) : 1;
  const std::uint64_t image = std::uint64_t{kind.width} * kind.height * kind.format().bytes_per_pixel();
  const std::uint64_t allowed = std::max({kAlwaysAllowed, 4 * image, 4 * file.size()});
  // A row is unpacked to whole bytes.
  const std::uint64_t row = std::uint64_t{blocks.width} *
                            (kind.is_planar ? 1 : static_cast<std::uint64_t>(kind.samples)) *
                            sample_bytes(kind.format().sample);
  if (blocks.bytes > allowed / planes || row > allowed / planes) {
    refuse_damaged(file.name(), "its strips or tiles are far larger than the image");
  }
}

/// libjbig takes memory for the size that a strip itself declares, whatever the TIFF says, and ends the process where
/// it gets none. libtiff turns the bits of its bytes around.
void check_jbig(const TiffFile& file, std::uint64_t offset, std::uint32_t width, std::uint32_t rows) {
  std::array<std::byte, 20> bytes{};
  if (file.read(offset, bytes) < bytes.size()) {
    refuse_truncated(file.name());
  }
  std::array<std::uint8_t, 20> header{};
  std::transform(bytes.begin(), bytes.end(), header.begin(),
                 [](std::byte value) { return std::to_integer<std::uint8_t>(value); });
  if (file.number<std::uint16_t>(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB) {
    TIFFReverseBits(header.data(), header.size());
  }
  const auto number = [&](std::size_t at) {
    return std::uint32_t{header[at]} << 24 | std::uint32_t{header[at + 1]} << 16 | std::uint32_t{header[at + 2]} << 8 |
           header[at + 3];
  };
  const bool is_one_plane = header[0] == 0 && header[1] == 0 && header[2] == 1;
  if (!is_one_plane || number(4) != width || number(8) > rows) {
    refuse_damaged(file.name(), "a strip of JBIG has another size than the image");
  }
}

/// Memory is touched as far as the file holds pixels, so it is checked first that there is something to decode.
void check_content(const TiffBlocks& blocks, const TiffFile& file) {
  const bool is_jbig = file.number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JBIG;
  const std::uint32_t count = blocks.are_tiles ? TIFFNumberOfTiles(file.tiff()) : TIFFNumberOfStrips(file.tiff());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t offset = TIFFGetStrileOffset(file.tiff(), i);
    const std::uint64_t bytes = TIFFGetStrileByteCount(file.tiff(), i);
    if (bytes == 0) {
      refuse_damaged(file.name(), "a strip or tile is empty");
    }
    if (offset > file.size() || bytes > file.size() - offset) {
      refuse_truncated(file.name());
    }
    if (is_jbig) {
      check_jbig(file, offset, blocks.width, blocks.height);
    }
  }
}

}  // namespace

TiffBlocks tiff_blocks(const TiffFile& file, const TiffKind& kind) {
  TiffBlocks blocks;
  set_size(blocks, file, kind);
  check_size(blocks, file, kind);
  check_memory(blocks, file, kind);
  check_content(blocks, file);
  file.check();
  return blocks;
}

}  // namespace gpuimg::codecs

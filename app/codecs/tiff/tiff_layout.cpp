// A file may declare strips or tiles of any size, and some of the libraries that libtiff uses believe it.
#include "codecs/tiff/tiff_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs::tiff {
namespace {

TiffKind::Color color_of(const TiffFile& file, std::uint16_t compression) {
  std::uint16_t photometric = 0;
  if (TIFFGetField(file.tiff(), TIFFTAG_PHOTOMETRIC, &photometric) != 1) {
    refuse_damaged(file.name(), "it does not say what its samples mean");
  }
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE: return TiffKind::Color::inverted_gray;
    case PHOTOMETRIC_MINISBLACK: return TiffKind::Color::gray;
    case PHOTOMETRIC_PALETTE: return TiffKind::Color::palette;
    case PHOTOMETRIC_RGB: return TiffKind::Color::rgb;
    case PHOTOMETRIC_SEPARATED:
      if (file.number<std::uint16_t>(TIFFTAG_INKSET, INKSET_CMYK) != INKSET_CMYK) {
        refuse_unsupported(file.name(), "TIFF with inks other than CMYK");
      }
      return TiffKind::Color::cmyk;
    case PHOTOMETRIC_YCBCR:
      if (compression != COMPRESSION_JPEG) {
        return TiffKind::Color::ycbcr;
      }
      TIFFSetField(file.tiff(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);  // libtiff converts
      return TiffKind::Color::rgb;
    default: refuse_unsupported(file.name(), fmt::format("TIFF of photometric interpretation {}", photometric));
  }
}

void check_samples(const TiffFile& file, const TiffKind& kind) {
  const auto format = file.number<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) {
    const std::string_view what = format == SAMPLEFORMAT_INT      ? "signed"
                                  : format == SAMPLEFORMAT_IEEEFP ? "float"
                                                                  : "complex";
    refuse_unsupported(file.name(), fmt::format("TIFF of {}-bit {} samples", kind.bits, what));
  }
  constexpr std::array kDepths = {1, 2, 4, 8, 12, 16};
  const bool is_palette = kind.color == TiffKind::Color::palette;
  const bool is_known = std::find(kDepths.begin(), kDepths.end(), kind.bits) != kDepths.end();
  if (!is_known || (is_palette && kind.bits > 8)) {
    refuse_unsupported(file.name(),
                       fmt::format("TIFF of {}-bit {}", kind.bits, is_palette ? "palette indices" : "samples"));
  }
  if (kind.color == TiffKind::Color::ycbcr && (kind.bits != 8 || kind.samples != 3)) {
    refuse_unsupported(file.name(), fmt::format("YCbCr TIFF of {} samples of {} bits", kind.samples, kind.bits));
  }
  if (kind.color == TiffKind::Color::ycbcr && kind.is_planar) {
    refuse_unsupported(file.name(), "YCbCr TIFF in planes");
  }
  if (kind.samples < kind.color_samples()) {
    refuse_damaged(file.name(), fmt::format("its pixels have {} samples", kind.samples));
  }
}

TiffKind::Alpha alpha_of(const TiffFile& file, const TiffKind& kind) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  if (kind.samples <= kind.color_samples() ||
      TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 1 || count == 0) {
    return TiffKind::Alpha::none;
  }
  if (kinds[0] == EXTRASAMPLE_UNSPECIFIED && file.lacks_extra_samples() && kind.color == TiffKind::Color::rgb &&
      kind.samples == 4) {
    return TiffKind::Alpha::assumed;
  }
  return kinds[0] == EXTRASAMPLE_ASSOCALPHA   ? TiffKind::Alpha::premultiplied
         : kinds[0] == EXTRASAMPLE_UNASSALPHA ? TiffKind::Alpha::plain
                                              : TiffKind::Alpha::none;
}

/// The name of the raw format if the directory belongs to a raw photo, else empty. Its first directory is often a mere
/// thumbnail.
std::string_view raw_kind(const TiffFile& file, std::uint16_t compression) {
  struct RawKind {
    std::uint16_t compression;
    std::string_view maker;  ///< as Make begins
    std::string_view name;
  };
  constexpr std::array<RawKind, 6> kKinds = {{{34713, "NIKON", "Nikon's raw photo (NEF)"},
                                              {32767, "SONY", "Sony's raw photo (ARW)"},
                                              {65535, "PENTAX", "Pentax' raw photo (PEF)"},
                                              {32770, "SAMSUNG", "Samsung's raw photo (SRW)"},
                                              {65000, "KODAK", "Kodak's raw photo (DCR)"},
                                              {0, "Hasselblad", "Hasselblad's raw photo (3FR)"}}};
  void* version = nullptr;
  if (TIFFGetField(file.tiff(), TIFFTAG_DNGVERSION, &version) == 1) {
    return "a raw photo (DNG)";
  }
  std::uint16_t count = 0;
  void* directories = nullptr;
  const bool has_others = TIFFGetField(file.tiff(), TIFFTAG_SUBIFD, &count, &directories) == 1;
  const bool is_thumbnail =
      has_others && (file.number<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE) != 0;
  const char* make = nullptr;
  const bool has_make = TIFFGetField(file.tiff(), TIFFTAG_MAKE, &make) == 1 && make != nullptr;
  for (const RawKind& kind : kKinds) {
    if (compression == kind.compression && kind.compression != 0) {
      return kind.name;
    }
    if (is_thumbnail && has_make && std::string_view(make).starts_with(kind.maker)) {
      return kind.name;
    }
  }
  return is_thumbnail && has_make ? "a raw photo" : "";
}

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

void check_block_size(TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
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
  const auto planes = static_cast<std::uint64_t>(kind.planes());
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

TiffKind tiff_kind(const TiffFile& file) {
  const auto compression = file.number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (const std::string_view raw = raw_kind(file, compression); !raw.empty()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: {} is not supported; convert it, for example with: darktable-cli in.raw out.png",
                            file.name(), raw));
  }
  if (TIFFIsCODECConfigured(compression) == 0) {
    refuse_unsupported(file.name(), fmt::format("TIFF of compression {} by this libtiff", compression));
  }
  TiffKind kind;
  kind.width = file.number<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  kind.height = file.number<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  kind.bits = file.number<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  kind.samples = file.number<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  kind.is_planar = file.number<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  kind.color = color_of(file, compression);
  check_samples(file, kind);
  kind.alpha = alpha_of(file, kind);
  return kind;
}

TiffBlocks tiff_blocks(const TiffFile& file, const TiffKind& kind) {
  TiffBlocks blocks;
  set_size(blocks, file, kind);
  check_block_size(blocks, file, kind);
  check_memory(blocks, file, kind);
  check_content(blocks, file);
  file.check();
  return blocks;
}

YcbcrConverter::YcbcrConverter(const TiffFile& file) {
  std::uint16_t horizontal = 2;
  std::uint16_t vertical = 2;
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRSUBSAMPLING, &horizontal, &vertical);
  const auto is_known = [](std::uint16_t factor) { return factor == 1 || factor == 2 || factor == 4; };
  if (!is_known(horizontal) || !is_known(vertical)) {
    refuse_damaged(file.name(), "its chroma has an impossible size");
  }
  horizontal_ = horizontal;
  vertical_ = vertical;
  float* luma = nullptr;
  float* reference = nullptr;
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRCOEFFICIENTS, &luma);
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_REFERENCEBLACKWHITE, &reference);
  // The tables lie after the structure, each of 256 entries.
  constexpr std::size_t kTables = 256 * (4 * sizeof(TIFFRGBValue) + 2 * sizeof(int) + 3 * sizeof(std::int32_t));
  constexpr std::size_t kWords = (sizeof(TIFFYCbCrToRGB) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  memory_.resize(kWords + kTables / sizeof(std::uint64_t) + 1);
  tables_ = reinterpret_cast<TIFFYCbCrToRGB*>(memory_.data());
  if (luma == nullptr || reference == nullptr || luma[1] == 0 || TIFFYCbCrToRGBInit(tables_, luma, reference) < 0) {
    refuse_damaged(file.name(), "its YCbCr has impossible coefficients");
  }
}

void YcbcrConverter::set_pixel(std::uint8_t luma, const std::uint8_t* chroma, std::uint8_t* pixel) const {
  std::uint32_t red = 0;
  std::uint32_t green = 0;
  std::uint32_t blue = 0;
  TIFFYCbCrtoRGB(tables_, luma, chroma[0], chroma[1], &red, &green, &blue);
  pixel[0] = static_cast<std::uint8_t>(red);
  pixel[1] = static_cast<std::uint8_t>(green);
  pixel[2] = static_cast<std::uint8_t>(blue);
}

void YcbcrConverter::convert(const std::byte* clumps, std::uint32_t first, View to) {
  const std::size_t luma_bytes = std::size_t{horizontal_} * vertical_;
  for (int y = 0; y < to.height; ++y) {
    const std::size_t row = std::size_t{first + static_cast<std::uint32_t>(y)} * horizontal_;
    auto* pixel = to.row<std::uint8_t>(y);
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(to.width); ++x, pixel += 3) {
      const auto* clump = reinterpret_cast<const std::uint8_t*>(clumps) + x / horizontal_ * (luma_bytes + 2);
      set_pixel(clump[row + x % horizontal_], clump + luma_bytes, pixel);
    }
  }
}

}  // namespace gpuimg::codecs::tiff

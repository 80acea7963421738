// Checks the layout of an image. A file can declare strips or tiles of any size, and some of the libraries that libtiff
// uses trust the declared size.
#include "codecs/tiff/tiff_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "codecs/jpeg/jpeg_segments.hpp"
#include "codecs/rejections.hpp"
#include "codecs/tiff/tiff_colors.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs::tiff {
namespace {

constexpr std::string_view kConvert = "convert in.tif out.png";
constexpr std::string_view kConvertLevels = "convert in.tif -auto-level out.png";
constexpr std::string_view kTiff2Rgba = "tiff2rgba in.tif out.tif";
constexpr std::string_view kDarktable = "darktable-cli in.raw out.png";
constexpr std::string_view kBioFormats = "bfconvert in.tif out.png";
constexpr std::string_view kGdal = "gdal_translate -of PNG in.tif out.png";
constexpr std::string_view kGdal16 = "gdal_translate -of PNG -ot UInt16 in.tif out.png";

/// The meaning of a number in a tag, and a command that converts a file with this number.
struct TagValue {
  std::uint16_t number;
  std::string_view name;
  std::string_view command = kConvert;
};

/// Compressions that libtiff lacks, in all builds or in some.
constexpr std::array<TagValue, 33> kCompressions = {{{6, "old-style JPEG"},
                                                     {7, "JPEG"},
                                                     {8, "Deflate"},
                                                     {9, "JBIG (T.85)"},
                                                     {10, "JBIG (T.43)"},
                                                     {32766, "NeXT"},
                                                     {32809, "ThunderScan"},
                                                     {32895, "IT8 CT"},
                                                     {32896, "IT8 line work"},
                                                     {32897, "IT8 monochrome"},
                                                     {32898, "IT8 binary line art"},
                                                     {32908, "Pixar film"},
                                                     {32909, "Pixar log"},
                                                     {32946, "Deflate"},
                                                     {32947, "Kodak DCS"},
                                                     {33003, "JPEG 2000", kBioFormats},
                                                     {33004, "JPEG 2000", kBioFormats},
                                                     {33005, "JPEG 2000", kBioFormats},
                                                     {33007, "JPEG", kBioFormats},
                                                     {34661, "JBIG"},
                                                     {34676, "SGI LogLuv", kTiff2Rgba},
                                                     {34677, "SGI LogLuv", kTiff2Rgba},
                                                     {34712, "JPEG 2000", kBioFormats},
                                                     {34715, "JBIG2"},
                                                     {34718, "Microsoft Document Imaging"},
                                                     {34887, "LERC", kGdal},
                                                     {34892, "lossy JPEG of DNG"},
                                                     {34925, "LZMA", kGdal},
                                                     {34933, "PNG", kBioFormats},
                                                     {34934, "JPEG XR", kBioFormats},
                                                     {50000, "Zstandard", kGdal},
                                                     {50001, "WebP", kGdal},
                                                     {50002, "JPEG XL", kGdal}}};

constexpr std::array<TagValue, 10> kPhotometrics = {{{4, "transparency mask"},
                                                     {9, "ICC Lab"},
                                                     {10, "ITU Lab"},
                                                     {32803, "color filter array", kDarktable},
                                                     {32844, "LogL (high dynamic range)", kTiff2Rgba},
                                                     {32845, "LogLuv (high dynamic range)", kTiff2Rgba},
                                                     {34892, "linear raw", kDarktable},
                                                     {51177, "depth"},
                                                     {52527, "semantic mask"},
                                                     {8, "CIELab"}}};

template <std::size_t kCount>
TagValue named(const std::array<TagValue, kCount>& values, std::uint16_t number) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const TagValue& value) { return value.number == number; });
  return found != values.end() ? *found : TagValue{number, ""};
}

[[noreturn]] void reject_compression(const TiffFile& file, std::uint16_t compression) {
  const TagValue value = named(kCompressions, compression);
  reject_unsupported(file.name(),
                     value.name.empty() ? fmt::format("TIFF with compression {}", compression)
                                        : fmt::format("TIFF with {} compression", value.name),
                     value.command);
}

[[noreturn]] void reject_photometric(const TiffFile& file, std::uint16_t photometric) {
  const TagValue value = named(kPhotometrics, photometric);
  reject_unsupported(file.name(),
                     value.name.empty() ? fmt::format("TIFF of photometric interpretation {}", photometric)
                                        : fmt::format("TIFF of {} pixels", value.name),
                     value.command);
}

/// libtiff reads a palette image without a color map as gray or RGB, and ignores a color map of a wrong length.
void check_color_map(const TiffFile& file, TiffKind& kind) {
  const std::vector<std::uint64_t> photometric = file.numbers(TIFFTAG_PHOTOMETRIC);
  if (photometric.empty() || photometric[0] != PHOTOMETRIC_PALETTE) {
    return;
  }
  const std::size_t entries = file.numbers(TIFFTAG_COLORMAP).size();
  const std::size_t needed = std::size_t{3} << std::clamp(kind.bits, 1, 16);
  if (entries == 0) {
    kind.notes.emplace_back("TIFF: its color map is missing; its indices are read as levels");
  } else if (entries != needed) {
    reject_damaged(file.name(), fmt::format("its color map has {} entries instead of {}", entries, needed));
  }
}

/// The color type of the pixels if the directory does not state it.
TiffKind::Color color_by_default(const TiffFile& file, TiffKind& kind) {
  if (kind.bits != 1 || kind.samples != 1) {
    reject_damaged(file.name(), "it does not say what its samples mean");
  }
  kind.notes.emplace_back("TIFF: it does not say whether 0 is white or black; it is read as white");
  return TiffKind::Color::inverted_gray;
}

TiffKind::Color color_of(const TiffFile& file, TiffKind& kind, std::uint16_t compression) {
  std::uint16_t photometric = 0;
  if (TIFFGetField(file.tiff(), TIFFTAG_PHOTOMETRIC, &photometric) != 1) {
    return color_by_default(file, kind);
  }
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE: return TiffKind::Color::inverted_gray;
    case PHOTOMETRIC_MINISBLACK: return TiffKind::Color::gray;
    case PHOTOMETRIC_PALETTE: return TiffKind::Color::palette;
    case PHOTOMETRIC_RGB: return TiffKind::Color::rgb;
    case PHOTOMETRIC_SEPARATED:
      if (file.number<std::uint16_t>(TIFFTAG_INKSET, INKSET_CMYK) != INKSET_CMYK) {
        reject_unsupported(file.name(), "TIFF with inks other than CMYK", kConvert);
      }
      return TiffKind::Color::cmyk;
    case PHOTOMETRIC_YCBCR:
      if (compression != COMPRESSION_JPEG || kind.is_planar) {
        return TiffKind::Color::ycbcr;
      }
      TIFFSetField(file.tiff(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);  // libtiff converts to RGB
      return TiffKind::Color::rgb;
    case PHOTOMETRIC_CIELAB:
      if (kind.samples < 3) {
        reject_unsupported(file.name(), "TIFF of CIELab pixels without a* and b*", kConvert);
      }
      return TiffKind::Color::lab;
    default: reject_photometric(file, photometric);
  }
}

void check_sample_format(const TiffFile& file, const TiffKind& kind) {
  const auto format = file.number<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const bool is_signed_lab = kind.color == TiffKind::Color::lab && format == SAMPLEFORMAT_INT;
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID && !is_signed_lab) {
    const std::string_view what = format == SAMPLEFORMAT_INT      ? "signed"
                                  : format == SAMPLEFORMAT_IEEEFP ? "float"
                                                                  : "complex";
    reject_unsupported(file.name(), fmt::format("TIFF of {}-bit {} samples", kind.bits, what), kConvertLevels);
  }
}

void check_samples(const TiffFile& file, const TiffKind& kind) {
  check_sample_format(file, kind);
  if (kind.bits < 1) {
    reject_damaged(file.name(), "its samples have no bits");
  }
  if (kind.bits > 16) {
    reject_unsupported(file.name(), fmt::format("TIFF of {}-bit samples", kind.bits), kConvertLevels);
  }
  const bool has_whole_bytes = kind.bits == 8 || kind.bits == 16;
  if (kind.color == TiffKind::Color::ycbcr && (!has_whole_bytes || kind.samples != 3)) {
    reject_unsupported(file.name(), fmt::format("YCbCr TIFF of {} samples of {} bits", kind.samples, kind.bits),
                       kConvert);
  }
  if (kind.color == TiffKind::Color::lab && !has_whole_bytes) {
    reject_unsupported(file.name(), fmt::format("CIELab TIFF of {} bits", kind.bits), kConvert);
  }
  if (kind.samples < kind.color_samples()) {
    reject_damaged(file.name(), fmt::format("its pixels have {} samples, too few for its colors", kind.samples));
  }
}

/// Rejects files that libtiff would decode incorrectly or report as damaged.
void check_coding(const TiffFile& file, const TiffKind& kind, std::uint16_t compression) {
  constexpr std::array kBilevel = {COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
                                   COMPRESSION_CCITTRLEW, COMPRESSION_JBIG};
  const bool is_bilevel = std::find(kBilevel.begin(), kBilevel.end(), compression) != kBilevel.end();
  if (is_bilevel && kind.samples > 1 && !kind.is_planar) {
    const std::string_view name = compression == COMPRESSION_JBIG ? "JBIG" : "CCITT";
    reject_unsupported(file.name(), fmt::format("TIFF with {} compression of {} samples a pixel", name, kind.samples));
  }
  constexpr std::array kPredicted = {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE, COMPRESSION_ZSTD,
                                     COMPRESSION_LZMA};
  const bool is_predicted = std::find(kPredicted.begin(), kPredicted.end(), compression) != kPredicted.end();
  const std::vector<std::uint64_t> predictor = file.numbers(TIFFTAG_PREDICTOR);
  if (is_predicted && kind.bits != 8 && kind.bits != 16 && !predictor.empty() && predictor[0] == PREDICTOR_HORIZONTAL) {
    reject_unsupported(file.name(), fmt::format("TIFF with a predictor for {}-bit samples", kind.bits), kConvert);
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

/// The name of the raw format if the directory belongs to a raw photo; otherwise empty. The first directory of a raw
/// photo is often only a thumbnail.
std::string_view raw_kind(const TiffFile& file, std::uint16_t compression) {
  struct RawKind {
    std::uint16_t compression;
    std::string_view maker;  ///< prefix of the tag Make
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

/// The frame header of the first JPEG stream. Returns nullopt if the stream does not begin as usual.
std::optional<jpeg::JpegFrame> first_jpeg_frame(const TiffFile& file) {
  constexpr std::uint64_t kMostBytes = 64 << 10;
  const std::uint32_t count =
      TIFFIsTiled(file.tiff()) != 0 ? TIFFNumberOfTiles(file.tiff()) : TIFFNumberOfStrips(file.tiff());
  std::uint32_t first = 0;
  while (first < count && TIFFGetStrileByteCount(file.tiff(), first) == 0) {
    ++first;
  }
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(first < count ? std::min(kMostBytes, TIFFGetStrileByteCount(file.tiff(), first)) : 0));
  if (file.read(first < count ? TIFFGetStrileOffset(file.tiff(), first) : 0, bytes) < bytes.size()) {
    reject_truncated(file.name());
  }
  jpeg::JpegSegments segments(bytes);
  while (const std::optional<jpeg::JpegSegment> segment = segments.next()) {
    if (segment->is_frame()) {
      return segment->is_cut_off ? std::nullopt : jpeg::jpeg_frame(*segment);
    }
    if (segment->marker == jpeg::jpeg_marker::kStartOfScan) {
      break;
    }
  }
  return std::nullopt;
}

/// True if the sampling factors are allowed for a JPEG in a TIFF: 1 for every component. If `may_subsample`, the first
/// component can also have 2 or 4.
bool has_usual_factors(const jpeg::JpegFrame& frame, bool may_subsample) {
  const auto is_known = [&](std::uint32_t factor) {
    return factor == 1 || (may_subsample && (factor == 2 || factor == 4));
  };
  for (std::size_t c = 0; c < std::min<std::size_t>(frame.component_count, frame.components.size()); ++c) {
    const auto& [id, horizontal, vertical, table] = frame.components[c];
    const bool is_one = horizontal == 1 && vertical == 1;
    if (!is_one && (c > 0 || !is_known(horizontal) || !is_known(vertical))) {
      return false;
    }
  }
  return true;
}

/// Rejects JPEG data that libtiff might not decode. Uses the sampling factors in the data, not those in the tag.
void check_jpeg_frame(const TiffFile& file, const TiffKind& kind, const jpeg::JpegFrame& frame) {
  const bool is_usual = frame.marker <= 0xC2 || frame.marker == 0xC9 || frame.marker == 0xCA;
  if (!is_usual) {
    const bool is_lossless = frame.marker == 0xC3 || frame.marker == 0xCB;
    reject_unsupported(file.name(),
                       fmt::format("TIFF with {} JPEG compression", is_lossless ? "lossless" : "hierarchical"),
                       kBioFormats);
  }
  if (frame.bits != 8) {
    reject_unsupported(file.name(), fmt::format("TIFF with {}-bit JPEG compression", frame.bits), kGdal16);
  }
  std::uint16_t photometric = 0;
  TIFFGetField(file.tiff(), TIFFTAG_PHOTOMETRIC, &photometric);
  const bool is_ycbcr = photometric == PHOTOMETRIC_YCBCR && !kind.is_planar;
  if (!has_usual_factors(frame, is_ycbcr)) {
    reject_unsupported(file.name(), "TIFF with JPEG data of unusual sampling factors", kBioFormats);
  }
  const bool is_untold = photometric == PHOTOMETRIC_YCBCR && file.numbers(TIFFTAG_YCBCRSUBSAMPLING).empty();
  if (is_ycbcr || is_untold) {
    const auto& [id, horizontal, vertical, table] = frame.components[0];
    TIFFSetField(file.tiff(), TIFFTAG_YCBCRSUBSAMPLING, static_cast<int>(horizontal), static_cast<int>(vertical));
  }
}

void check_jpeg(const TiffFile& file, const TiffKind& kind, std::uint16_t compression) {
  const std::vector<std::uint64_t> process = file.numbers(TIFFTAG_JPEGPROC);
  if (compression == COMPRESSION_OJPEG && !process.empty() && process[0] == JPEGPROC_LOSSLESS) {
    reject_unsupported(file.name(), "TIFF with lossless JPEG compression", kBioFormats);
  }
  if (compression != COMPRESSION_JPEG) {
    return;
  }
  if (kind.bits != 8) {
    reject_unsupported(file.name(), fmt::format("TIFF with {}-bit JPEG compression", kind.bits), kGdal16);
  }
  if (const std::optional<jpeg::JpegFrame> frame = first_jpeg_frame(file)) {
    check_jpeg_frame(file, kind, *frame);
  }
}

/// Treats an invalid orientation as 1, as libtiff does.
void note_orientation(const TiffFile& file, TiffKind& kind) {
  const std::vector<std::uint64_t> orientation = file.numbers(TIFFTAG_ORIENTATION);
  if (!orientation.empty() && (orientation[0] < ORIENTATION_TOPLEFT || orientation[0] > ORIENTATION_LEFTBOT)) {
    kind.notes.push_back(fmt::format("TIFF: its orientation {} does not exist; it is read as upright", orientation[0]));
  }
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
  blocks.count = blocks.are_tiles ? TIFFNumberOfTiles(file.tiff()) : TIFFNumberOfStrips(file.tiff());
}

void check_block_size(TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  const std::uint64_t samples = kind.is_planar ? 1 : static_cast<std::uint64_t>(kind.samples);
  std::uint64_t needed = (blocks.width * samples * static_cast<std::uint64_t>(kind.bits) + 7) / 8;
  if (kind.has_clumps()) {
    const YcbcrConverter converter(file, kind.bits, kind.is_planar);
    blocks.line_height = converter.clump_height();
    needed = blocks.row_bytes = converter.bytes_of_clump_row(blocks.width);
  }
  if (blocks.width == 0 || blocks.height == 0 || blocks.row_bytes < needed ||
      blocks.bytes / blocks.lines(blocks.height) < blocks.row_bytes) {
    reject_damaged(file.name(), "its strips or tiles have an invalid size");
  }
}

/// Limits memory: a tile can lie almost entirely outside the image, and pixels can have thousands of unused samples.
void check_memory(const TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{256} << 20;
  const auto planes = static_cast<std::uint64_t>(kind.planes());
  const std::uint64_t image = std::uint64_t{kind.width} * kind.height * kind.format().bytes_per_pixel();
  const std::uint64_t allowed = std::max({kAlwaysAllowed, 4 * image, 4 * file.size()});
  // A row is unpacked to 16-bit numbers.
  const std::uint64_t row = std::uint64_t{blocks.width} *
                            (kind.is_planar ? 1 : static_cast<std::uint64_t>(kind.samples)) * sizeof(std::uint16_t);
  if (blocks.bytes > allowed / planes || row > allowed / planes) {
    reject_damaged(file.name(), "its strips or tiles are far larger than the image");
  }
}

/// Checks the size that the strip itself declares: libjbig allocates that size regardless of the TIFF's tags, and ends
/// the process if the allocation fails. The bits of each byte are reversed, because libtiff reverses them.
void check_jbig(const TiffFile& file, std::uint64_t offset, std::uint32_t width, std::uint32_t rows) {
  std::array<std::byte, 20> bytes{};
  if (file.read(offset, bytes) < bytes.size()) {
    reject_truncated(file.name());
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
    reject_damaged(file.name(), "a strip of JBIG has another size than the image");
  }
}

/// The strips or tiles as stored in the file. libtiff, in contrast, divides a single uncompressed strip into several.
struct StoredBlocks {
  std::uint32_t height = 0;
  std::uint64_t per_plane = 0;
  std::uint64_t planes = 1;

  StoredBlocks(const TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks) : height(blocks.height) {
    planes = kind.is_planar ? static_cast<std::uint64_t>(kind.samples) : 1;
    if (blocks.are_tiles) {
      per_plane = std::max<std::uint64_t>(blocks.count / planes, 1);
      return;
    }
    const std::vector<std::uint64_t> rows = file.numbers(TIFFTAG_ROWSPERSTRIP);
    height = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows.empty() ? kind.height : rows[0], kind.height));
    height = std::max(height, 1U);
    per_plane = (kind.height + height - 1) / height;
  }

  [[nodiscard]] std::uint64_t count() const { return per_plane * planes; }
};

/// Rejects an uncompressed block whose byte count is too small: libtiff would read as many bytes as the pixels need.
void check_byte_counts(const TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  const std::vector<std::uint64_t> counts =
      file.numbers(blocks.are_tiles ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS);
  const StoredBlocks stored(file, kind, blocks);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(counts.size(), stored.count()); ++i) {
    const std::uint64_t first = i % stored.per_plane * stored.height;
    const std::uint64_t rows =
        blocks.are_tiles ? blocks.height : std::min<std::uint64_t>(stored.height, kind.height - first);
    // 0 marks a missing block, or a single strip whose size libtiff computes.
    if (counts[i] != 0 && counts[i] < blocks.lines(static_cast<std::uint32_t>(rows)) * blocks.row_bytes) {
      reject_damaged(file.name(), "a strip or tile is cut off");
    }
  }
}

/// Checks that every block has data, so that decoding does not touch memory for pixels that the file does not have. In
/// a sparse file, a block is missing if the directory gives 0 as its offset and size.
void check_content(TiffBlocks& blocks, const TiffFile& file, const TiffKind& kind) {
  const auto compression = file.number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  for (std::uint32_t i = 0; i < blocks.count; ++i) {
    const std::uint64_t offset = TIFFGetStrileOffset(file.tiff(), i);
    const std::uint64_t bytes = TIFFGetStrileByteCount(file.tiff(), i);
    if (bytes == 0 && offset == 0 && compression != COMPRESSION_OJPEG) {
      ++blocks.missing;
      continue;
    }
    if (bytes == 0) {
      reject_damaged(file.name(), "a strip or tile is empty");
    }
    if (offset == 0 && compression != COMPRESSION_OJPEG) {
      reject_damaged(file.name(), "a strip or tile overlaps the header");
    }
    if (offset > file.size() || bytes > file.size() - offset) {
      reject_truncated(file.name());
    }
    if (compression == COMPRESSION_JBIG) {
      check_jbig(file, offset, blocks.width, blocks.height);
    }
  }
  if (compression == COMPRESSION_NONE) {
    check_byte_counts(blocks, file, kind);
  }
  const auto offsets = blocks.are_tiles ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS;
  if (blocks.missing > 0 && file.numbers(offsets).size() < StoredBlocks(file, kind, blocks).count()) {
    reject_damaged(file.name(), "its list of strips or tiles is too short");
  }
}

}  // namespace

TiffKind tiff_kind(const TiffFile& file) {
  const auto compression = file.number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (const std::string_view raw = raw_kind(file, compression); !raw.empty()) {
    reject_unsupported(file.name(), raw, kDarktable);
  }
  const bool is_left_out = compression == COMPRESSION_JBIG && !GPUIMG_HAS_JBIG;
  if (is_left_out || TIFFIsCODECConfigured(compression) == 0) {
    reject_compression(file, compression);
  }
  TiffKind kind;
  kind.width = file.number<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  kind.height = file.number<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  kind.bits = file.number<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  kind.samples = file.number<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  kind.is_planar = file.number<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  check_color_map(file, kind);
  kind.color = color_of(file, kind, compression);
  check_samples(file, kind);
  check_coding(file, kind, compression);
  check_jpeg(file, kind, compression);
  note_orientation(file, kind);
  kind.alpha = alpha_of(file, kind);
  return kind;
}

TiffBlocks tiff_blocks(const TiffFile& file, const TiffKind& kind) {
  TiffBlocks blocks;
  set_size(blocks, file, kind);
  check_block_size(blocks, file, kind);
  check_memory(blocks, file, kind);
  check_content(blocks, file, kind);
  file.check();
  return blocks;
}

}  // namespace gpuimg::codecs::tiff

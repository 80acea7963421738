// Decodes blocks (strips or tiles) and converts them to pixels. If the band has room for all rows of a block, converts
// them directly after decoding. An image that is decoded whole is a single band. Warnings of libtiff are known only
// after the pixels have been read, so the result of reading in bands is discarded if there are warnings.
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/rejections.hpp"
#include "codecs/rows.hpp"
#include "codecs/stored_samples.hpp"
#include "codecs/tiff/tiff_colors.hpp"
#include "codecs/tiff/tiff_file.hpp"
#include "codecs/tiff/tiff_layout.hpp"
#include "codecs/tiff/tiff_metadata.hpp"
#include "codecs/tiff/tiff_pages.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::tiff {
namespace {

template <class T>
bool are_pixels(const TiffKind& kind) {
  const bool is_direct = kind.color == TiffKind::Color::gray || kind.color == TiffKind::Color::rgb;
  return is_direct && kind.alpha != TiffKind::Alpha::premultiplied && !kind.is_planar &&
         kind.bits == 8 * static_cast<int>(sizeof(T)) && kind.samples == kind.format().channels;
}

/// The colors of a palette, 8 bits each.
using TiffPalette = std::vector<std::array<std::uint8_t, 3>>;

/// Converters for colors that are not stored as RGB or gray.
struct TiffColors {
  TiffPalette palette;
  std::optional<YcbcrConverter> ycbcr;
  std::optional<LabConverter> lab;

  TiffColors(const TiffFile& file, const TiffKind& kind);
};

/// Converts rows to pixels of T.
template <class T>
class TiffRowConverter {
 public:
  /// Rows have up to `width` pixels.
  TiffRowConverter(const TiffFile& file, const TiffKind& kind, std::size_t width);

  /// `planes` holds the stored rows: one row with all samples of each pixel, or one row for each sample that is used.
  void convert(std::span<const std::byte* const> planes, std::size_t width, T* to);

 private:
  void unpack(const std::byte* from, std::size_t count, std::uint16_t* to) const;
  void join(std::size_t width, T* to);
  void convert_color(const std::uint16_t* samples, T* to) const;

  const TiffKind& kind_;
  TiffColors colors_;
  bool are_pixels_;                                   ///< stored rows need no conversion
  std::vector<std::vector<std::uint16_t>> unpacked_;  ///< one row per plane
};

template <class T>
TiffRowConverter<T>::TiffRowConverter(const TiffFile& file, const TiffKind& kind, std::size_t width)
    : kind_(kind), colors_(file, kind), are_pixels_(are_pixels<T>(kind)) {
  const auto planes = static_cast<std::size_t>(kind.planes());
  const auto samples = static_cast<std::size_t>(kind.is_planar ? 1 : kind.samples);
  unpacked_.assign(planes, std::vector<std::uint16_t>(width * samples));
}

template <class T>
void TiffRowConverter<T>::convert(std::span<const std::byte* const> planes, std::size_t width, T* to) {
  const auto samples = static_cast<std::size_t>(kind_.is_planar ? 1 : kind_.samples);
  if (are_pixels_) {
    std::memcpy(to, planes[0], width * samples * sizeof(T));
    return;
  }
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    unpack(planes[plane], width * samples, unpacked_[plane].data());
  }
  join(width, to);
}

/// The number stored in `bits` bits, starting at bit `first`; the highest bit comes first.
std::uint32_t bits_at(const std::byte* from, std::size_t first, std::size_t bits) {
  const std::size_t last = (first + bits - 1) / 8;
  std::uint32_t window = 0;
  for (std::size_t i = first / 8; i <= last; ++i) {
    window = window << 8 | std::to_integer<std::uint32_t>(from[i]);
  }
  return window >> (8 * (last + 1) - first - bits) & ((1U << bits) - 1);
}

/// Scales samples of fewer bits than T to the full range of T, rounded to nearest. Does not scale indices. libtiff has
/// already swapped 16-bit samples to the machine's byte order. Samples with neither 8 nor 16 bits are packed.
template <class T>
void TiffRowConverter<T>::unpack(const std::byte* from, std::size_t count, std::uint16_t* to) const {
  const auto bits = static_cast<std::size_t>(kind_.bits);
  if (bits == 16) {
    std::memcpy(to, from, count * sizeof(std::uint16_t));
    return;
  }
  if (bits == 8) {
    std::transform(from, from + count, to, [](std::byte sample) { return std::to_integer<std::uint16_t>(sample); });
    return;
  }
  const std::uint32_t max = (1U << bits) - 1;
  const bool is_index = kind_.color == TiffKind::Color::palette;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t value = bits_at(from, i * bits, bits);
    to[i] = static_cast<std::uint16_t>(is_index ? value : (value * kMaxOf<T> + max / 2) / max);
  }
}

template <class T>
void TiffRowConverter<T>::join(std::size_t width, T* to) {
  const auto channels = static_cast<std::size_t>(kind_.format().channels);
  const auto used = static_cast<std::size_t>(kind_.used_samples());
  std::array<std::uint16_t, 5> samples{};
  for (std::size_t x = 0; x < width; ++x, to += channels) {
    for (std::size_t s = 0; s < used; ++s) {
      samples[s] = kind_.is_planar ? unpacked_[s][x] : unpacked_[0][x * static_cast<std::size_t>(kind_.samples) + s];
    }
    convert_color(samples.data(), to);
    if (kind_.alpha == TiffKind::Alpha::none) {
      continue;
    }
    const std::uint64_t alpha = samples[used - 1];
    to[channels - 1] = static_cast<T>(alpha);
    for (std::size_t c = 0; c + 1 < channels && kind_.alpha == TiffKind::Alpha::premultiplied; ++c) {
      const std::uint64_t divided = alpha == 0 ? 0 : (std::uint64_t{to[c]} * kMaxOf<T> + alpha / 2) / alpha;
      to[c] = static_cast<T>(std::min<std::uint64_t>(divided, kMaxOf<T>));
    }
  }
}

template <class T>
void TiffRowConverter<T>::convert_color(const std::uint16_t* samples, T* to) const {
  const auto level = [](std::uint16_t sample) { return static_cast<T>(sample); };
  switch (kind_.color) {
    case TiffKind::Color::gray: to[0] = level(samples[0]); break;
    case TiffKind::Color::inverted_gray: to[0] = static_cast<T>(kMaxOf<T> - samples[0]); break;
    case TiffKind::Color::palette: std::copy_n(colors_.palette[samples[0]].begin(), 3, to); break;
    case TiffKind::Color::rgb: std::transform(samples, samples + 3, to, level); break;
    case TiffKind::Color::ycbcr: colors_.ycbcr->convert_pixel(samples, to); break;
    case TiffKind::Color::lab: colors_.lab->convert_pixel(samples, to); break;
    case TiffKind::Color::cmyk: {
      std::array<T, 4> light{};
      std::transform(samples, samples + 4, light.begin(),
                     [](std::uint16_t ink) { return static_cast<T>(kMaxOf<T> - ink); });
      cmyk_to_rgb<T>(light.data(), to, 1);
      break;
    }
  }
}

/// Decodes blocks, and keeps several of them in memory.
class BlockReader {
 public:
  BlockReader(const TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks)
      : file_(file), kind_(kind), blocks_(blocks), lines_(static_cast<std::size_t>(kind.planes())) {}

  /// Reads all planes of the block that contains pixel (x, y) into slot `place`.
  void read(std::uint32_t x, std::uint32_t y, std::size_t place) {
    if (place >= places_.size()) {
      places_.emplace_back(lines_.size(), std::vector<std::byte>(static_cast<std::size_t>(blocks_.bytes)));
    }
    for (std::size_t plane = 0; plane < lines_.size(); ++plane) {
      const auto sample = static_cast<std::uint16_t>(plane);
      const std::uint32_t block = blocks_.are_tiles ? TIFFComputeTile(file_.tiff(), x, y, 0, sample)
                                                    : TIFFComputeStrip(file_.tiff(), y, sample);
      read_block(block, blocks_.are_tiles ? blocks_.height : std::min(blocks_.height, kind_.height - y),
                 places_[place][plane]);
    }
  }

  /// Line `y` of all planes of the block in slot `place`. Valid until the next call.
  std::span<const std::byte* const> line(std::size_t place, std::uint32_t y) {
    std::transform(places_[place].begin(), places_[place].end(), lines_.begin(),
                   [&](const std::vector<std::byte>& plane) { return plane.data() + y * blocks_.row_bytes; });
    return lines_;
  }

 private:
  /// Fills missing blocks, and lines missing from the fax data of a block, with zeros.
  void read_block(std::uint32_t block, std::uint32_t rows, std::vector<std::byte>& to) {
    const bool is_missing = blocks_.missing > 0 && TIFFGetStrileByteCount(file_.tiff(), block) == 0;
    if (is_missing || is_fax_) {
      std::fill(to.begin(), to.end(), std::byte{0});
    }
    if (is_missing) {
      return;
    }
    const auto size = static_cast<tmsize_t>(to.size());
    const tmsize_t read = blocks_.are_tiles ? TIFFReadEncodedTile(file_.tiff(), block, to.data(), size)
                                            : TIFFReadEncodedStrip(file_.tiff(), block, to.data(), size);
    file_.check();
    if (read < 0 || static_cast<std::uint64_t>(read) < blocks_.lines(rows) * blocks_.row_bytes) {
      reject_damaged(file_.name(), "a strip or tile is cut off");
    }
  }

  [[nodiscard]] bool has_fax_data() const {
    constexpr std::array kFax = {COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
                                 COMPRESSION_CCITTRLEW};
    const auto compression = file_.number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    return std::find(kFax.begin(), kFax.end(), compression) != kFax.end();
  }

  const TiffFile& file_;
  const TiffKind& kind_;
  const TiffBlocks& blocks_;
  bool is_fax_ = has_fax_data();
  std::vector<std::vector<std::vector<std::byte>>> places_;  // one block per slot, with all planes
  std::vector<const std::byte*> lines_;
};

TiffPalette palette_of(const TiffFile& file, const TiffKind& kind) {
  TiffPalette palette;
  if (kind.color != TiffKind::Color::palette) {
    return palette;
  }
  std::uint16_t* levels[3] = {};
  if (TIFFGetField(file.tiff(), TIFFTAG_COLORMAP, &levels[0], &levels[1], &levels[2]) != 1) {
    reject_damaged(file.name(), "its palette is missing");
  }
  const std::size_t size = std::size_t{1} << kind.bits;
  // Some programs write 8-bit levels into the 16-bit color map.
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

TiffColors::TiffColors(const TiffFile& file, const TiffKind& kind) : palette(palette_of(file, kind)) {
  if (kind.color == TiffKind::Color::ycbcr) {
    ycbcr.emplace(file, kind.bits, kind.is_planar);
  }
  if (kind.color == TiffKind::Color::lab) {
    lab.emplace(kind.bits);
  }
}

/// Converts to pixels the blocks whose lines are rows of samples.
template <class T>
class SampleBlocks {
 public:
  SampleBlocks(const TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks)
      : rows_(file, kind, std::min(blocks.width, kind.width)) {}

  /// Converts the rows of a block, starting with row `first`.
  void convert(BlockReader& blocks, std::size_t place, std::uint32_t first, View to) {
    for (int y = 0; y < to.height; ++y) {
      rows_.convert(blocks.line(place, first + static_cast<std::uint32_t>(y)), static_cast<std::size_t>(to.width),
                    to.row<T>(y));
    }
  }

 private:
  TiffRowConverter<T> rows_;
};

/// Converts to pixels the blocks whose lines are rows of clumps.
template <class T>
class ClumpBlocks {
 public:
  ClumpBlocks(const TiffFile& file, const TiffKind& kind, const TiffBlocks& /*blocks*/)
      : clumps_(file, kind.bits, kind.is_planar) {}

  void convert(BlockReader& blocks, std::size_t place, std::uint32_t first, View to) {
    const std::uint32_t line_height = clumps_.clump_height();
    for (int y = 0; y < to.height;) {
      const std::uint32_t row = first + static_cast<std::uint32_t>(y);
      View rows = to;
      rows.data = to.row_bytes(y);
      rows.height = std::min(static_cast<int>(line_height - row % line_height), to.height - y);
      clumps_.convert<T>(blocks.line(place, row / line_height)[0], row % line_height, rows);
      y += rows.height;
    }
  }

 private:
  YcbcrConverter clumps_;
};

/// The area of `height` rows and `width` columns, from column `x` on, in the band that is being filled.
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

/// Passes the pixels on in bands, from top to bottom. In addition to a band, holds one decoded block, or a whole row of
/// tiles if the row ends in a later band. Throws like decode_image, and passes on exceptions of the output.
void read_tiff_pixels(TiffFile& file, const TiffKind& kind, const TiffBlocks& blocks, const BandOutput& to) {
  const bool has_16_bits = kind.format().sample == Sample::u16;
  if (kind.has_clumps()) {
    has_16_bits ? read_blocks<ClumpBlocks<std::uint16_t>>(file, kind, blocks, to)
                : read_blocks<ClumpBlocks<std::uint8_t>>(file, kind, blocks, to);
  } else {
    has_16_bits ? read_blocks<SampleBlocks<std::uint16_t>>(file, kind, blocks, to)
                : read_blocks<SampleBlocks<std::uint8_t>>(file, kind, blocks, to);
  }
}

/// Memory in bytes for a row of decoded blocks.
std::uint64_t bytes_of_block_row(const TiffKind& kind, const TiffBlocks& blocks) {
  return ((kind.width - 1) / blocks.width + 1) * blocks.bytes * static_cast<std::uint64_t>(kind.planes());
}

void add_notes(const TiffKind& kind, std::vector<std::string>& notes) {
  notes.insert(notes.end(), kind.notes.begin(), kind.notes.end());
  if (kind.color == TiffKind::Color::lab) {
    notes.emplace_back("TIFF: CIELab is converted to sRGB");
  }
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

struct Page {
  TiffFile file;
  TiffKind kind;
  TiffBlocks blocks;
};

Page open_page(const RandomAccess& content, const std::string& name, std::uint64_t offset, const ReadOptions& options) {
  TiffFile file(content, name, offset);
  const TiffKind kind = tiff_kind(file);
  check_size(name, kind.width, kind.height, options.max_pixels);
  const TiffBlocks blocks = tiff_blocks(file, kind);
  const std::uint64_t pixels = std::uint64_t{kind.width} * kind.height;
  if (blocks.missing > 0) {
    check_coverage(name, pixels, pixels / blocks.count * (blocks.count - blocks.missing), options);
  }
  return {std::move(file), kind, blocks};
}

/// The location of a page, and the known pages of the file.
struct PagePlace {
  RandomAccess content;      ///< the file; for an image of a stack, a view in which the image is the first one
  std::uint64_t offset = 0;  ///< 0: the first directory
  PageList all;              ///< only this page if its offset was given

  PagePlace(const RandomAccess& file, const std::string& name, PageRef page) : content(file) {
    if (page.number > 0 && page.place > 0) {
      all.places = {page.place};
    } else {
      all = tiff_pages(file);
      check_page(name, page, all);
    }
    // The list may start with a thumbnail if all later pages are lost. The thumbnail must not be read as the requested
    // page.
    offset = page.number <= 1 ? first_tiff_page(file, name) : page.place > 0 ? page.place : all.places[page.number - 1];
    if (page.number > 0) {
      content = image_stack(file).at(file, page.number - 1);
    }
  }
};

/// The note for a multi-page file that is read without --page.
std::string note_of(const PageList& pages) {
  const std::string first_only = "first page only; --page N or all reads others";
  if (pages.lost.empty()) {
    return fmt::format("TIFF of {} pages: {}", pages.count(), first_only);
  }
  return pages.count() == 1
             ? fmt::format("TIFF: file is damaged after its first page: {}; first page only", pages.lost)
             : fmt::format("TIFF of {} pages, and others are lost: {}; {}", pages.count(), pages.lost, first_only);
}

/// Includes libtiff's warnings, which are complete only after the pixels have been read.
void add_notes(const Page& page, const PagePlace& place, const ReadOptions& options, DecodedImage& to) {
  add_notes(page.kind, to.notes);
  to.scaled_from = page.kind.scaled_from();
  if (page.blocks.missing > 0) {
    to.notes.push_back(fmt::format("TIFF: {} without data: {} of {}; their samples are 0",
                                   page.blocks.are_tiles ? "tiles" : "strips", page.blocks.missing, page.blocks.count));
  }
  if (const std::uint64_t lines = page.file.short_fax_lines(); lines > 0) {
    to.notes.push_back(fmt::format("TIFF: lines of fax data that end early: {}; the rest of each is blank", lines));
  }
  for (const std::string& warning : page.file.warnings()) {
    to.notes.push_back("TIFF: libtiff warns: " + warning);
  }
  to.pages = place.all.count();
  to.has_lost_pages = !place.all.lost.empty();
  if ((to.pages > 1 || to.has_lost_pages) && options.page.number == 0) {
    to.notes.push_back(note_of(place.all));
  }
}

DecodedImage decode(const RandomAccess& content, const std::string& name, const ReadOptions& options) {
  const PagePlace place(content, name, options.page);
  Page page = open_page(place.content, name, place.offset, options);
  const TiffKind& kind = page.kind;
  DecodedImage decoded;
  decoded.metadata = read_tiff_metadata(page.file, decoded.details);
  const BandOutput whole{static_cast<int>(kind.height),
                         [&](int rows) { return options.image(static_cast<int>(kind.width), rows, kind.format()); },
                         [&](RowBand band) { decoded.image = std::move(band.rows); }};
  read_tiff_pixels(page.file, kind, page.blocks, whole);
  add_notes(page, place, options, decoded);
  return decoded;
}

class TiffRowReader final : public RowReader {
 public:
  TiffRowReader(const TiffKind& kind, RandomAccess content, std::string name, std::uint64_t offset)
      : RowReader(static_cast<int>(kind.width), static_cast<int>(kind.height), kind.format()),
        content_(std::move(content)),
        name_(std::move(name)),
        offset_(offset) {}

  /// Opens the page again in each call, so that libtiff repeats its warnings.
  bool read(const BandOutput& to, Order /*order*/) override {
    bool is_in_output = false;
    const BandOutput marked{to.rows,
                            [&](int rows) {
                              is_in_output = true;
                              Image band = to.new_rows(rows);
                              is_in_output = false;
                              return band;
                            },
                            [&](RowBand band) {
                              is_in_output = true;
                              to.take(std::move(band));
                              is_in_output = false;
                            }};
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const ReadOptions without_limits{.max_pixels = kMost, .max_sparse_pixels = kMost};  // open_page has already checked
                                                                                        // them
    try {
      Page page = open_page(content_, name_, offset_, without_limits);
      if (!is_as_opened(page.kind)) {
        return false;
      }
      read_tiff_pixels(page.file, page.kind, page.blocks, marked);
      return page.file.is_plain();
    } catch (const Error& error) {
      if (is_in_output || error.kind() == ErrorKind::out_of_memory) {
        throw;
      }
      return false;
    }
  }

 private:
  /// Returns false if another program has changed the file.
  [[nodiscard]] bool is_as_opened(const TiffKind& kind) const {
    return static_cast<int>(kind.width) == width() && static_cast<int>(kind.height) == height() &&
           kind.format() == format();
  }

  RandomAccess content_;
  std::string name_;
  std::uint64_t offset_;
};

/// Opens the directory of a page, for a caller that does not need the other pages.
TiffFile file_of(const RandomAccess& content, const std::string& name, PageRef page) {
  return {content, name, page.number <= 1 ? first_tiff_page(content, name) : PagePlace(content, name, page).offset};
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
                   : kind.color == TiffKind::Color::lab   ? "CIELab"
                                                          : "gray";
  declared.bits = kind.bits;
  declared.palette_colors = kind.color == TiffKind::Color::palette ? 1 << kind.bits : 0;
  declared.decoded = kind.format();
  declared.scaled_from = kind.scaled_from();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  // A single strip can hold the whole image.
  declared.decoder_bytes_per_pixel = static_cast<std::uint64_t>(kind.samples * kind.bits + 7) / 8;
  declared.is_read_in_parts = true;
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

std::optional<DecodedImage> open_tiff_rows(const RandomAccess& content, const std::string& name,
                                           const ReadOptions& options) {
  const PagePlace place(content, name, options.page);
  const Page page = open_page(place.content, name, place.offset, options);
  const TiffKind& kind = page.kind;
  // Tiles can lie almost entirely outside the image.
  constexpr std::uint64_t kAlwaysHeld = std::uint64_t{4} << 20;
  const std::uint64_t image_bytes = std::uint64_t{kind.width} * kind.height * kind.format().bytes_per_pixel();
  if (bytes_of_block_row(kind, page.blocks) > std::max(kAlwaysHeld, 2 * image_bytes)) {
    return std::nullopt;
  }
  DecodedImage opened;
  opened.metadata = read_tiff_metadata(page.file, opened.details);
  add_notes(page, place, options, opened);
  opened.rows = std::make_shared<TiffRowReader>(kind, place.content, name, place.offset);
  return opened;
}

DeclaredImage declared_tiff(ByteSpan beginning, const std::string& name) {
  return declared(file_of(in_memory(beginning), name, {}));
}

Metadata tiff_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_tiff_metadata(file_of(in_memory(beginning), name, {}), details);
}

const PagedReading kPagedTiff = {
    .pages = tiff_pages,
    .declared = [](const RandomAccess& content, const std::string& name,
                   PageRef page) { return declared(file_of(content, name, page)); },
    .metadata =
        [](const RandomAccess& content, const std::string& name, PageRef page, std::vector<std::string>& details) {
          return read_tiff_metadata(file_of(content, name, page), details);
        },
    .decode = decode,
};

}  // namespace gpuimg::codecs::tiff

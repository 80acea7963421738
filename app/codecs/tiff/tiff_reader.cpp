// Reads TIFF. An image decoded whole is an image of one band. What libtiff warns of is known once the pixels are read,
// so a file with a warning is not read in bands.
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/refusals.hpp"
#include "codecs/stored_samples.hpp"
#include "codecs/tiff/tiff_blocks.hpp"
#include "codecs/tiff/tiff_file.hpp"
#include "codecs/tiff/tiff_kind.hpp"
#include "codecs/tiff/tiff_metadata.hpp"
#include "codecs/tiff/tiff_pages.hpp"
#include "codecs/tiff/tiff_pixels.hpp"

namespace gpuimg::codecs::tiff {
namespace {

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

struct Page {
  TiffFile file;
  TiffKind kind;
  TiffBlocks blocks;
};

Page open_page(const RandomAccess& content, const std::string& name, std::uint64_t offset, std::uint64_t max_pixels) {
  TiffFile file(content, name, offset);
  const TiffKind kind = tiff_kind(file);
  check_size(name, kind.width, kind.height, max_pixels);
  const TiffBlocks blocks = tiff_blocks(file, kind);
  return {std::move(file), kind, blocks};
}

/// Where a page is, and what is known of the others.
struct PagePlace {
  std::uint64_t offset = 0;  ///< 0: the first
  PageList all;              ///< only this one if its place was known

  PagePlace(const RandomAccess& content, const std::string& name, PageRef page) {
    if (page.number > 0 && page.place > 0) {
      offset = page.place;
      all.places = {offset};
      return;
    }
    all = tiff_pages(content);
    check_page(name, page, all);
    offset = page.number > 1 ? all.places[page.number - 1] : 0;
  }
};

/// The note for a multi-page file that is read without --page.
std::string note_of(const PageList& pages) {
  const std::string first_only = "first page only; --page N or all reads others";
  if (pages.lost.empty()) {
    return fmt::format("TIFF of {} pages: {}", pages.count(), first_only);
  }
  return pages.count() == 1
             ? fmt::format("TIFF: file is damaged behind its first page: {}; first page only", pages.lost)
             : fmt::format("TIFF of {} pages and lost ones: {}; {}", pages.count(), pages.lost, first_only);
}

/// Call after the pixels have been read: libtiff may warn of them.
void add_notes(const Page& page, const PagePlace& place, const ReadOptions& options, DecodedImage& to) {
  add_notes(page.kind, to.notes);
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
  Page page = open_page(content, name, place.offset, options.max_pixels);
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

  /// Opens the page anew each time, so that libtiff warns of the same each time.
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
    try {
      Page page = open_page(content_, name_, offset_, std::numeric_limits<std::uint64_t>::max());
      if (!is_as_opened(page.kind)) {
        return false;
      }
      read_tiff_pixels(page.file, page.kind, page.blocks, marked);
      return page.file.warnings().empty();
    } catch (const Error& error) {
      if (is_in_output || error.kind() == ErrorKind::out_of_memory) {
        throw;
      }
      return false;
    }
  }

 private:
  /// False if another program has changed the file.
  [[nodiscard]] bool is_as_opened(const TiffKind& kind) const {
    return static_cast<int>(kind.width) == width() && static_cast<int>(kind.height) == height() &&
           kind.format() == format();
  }

  RandomAccess content_;
  std::string name_;
  std::uint64_t offset_;
};

/// The same, if nothing is asked of the others.
std::uint64_t offset_of(const RandomAccess& content, const std::string& name, PageRef page) {
  return page.number <= 1 && page.place == 0 ? 0 : PagePlace(content, name, page).offset;
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

std::optional<DecodedImage> open_tiff_rows(const RandomAccess& content, const std::string& name,
                                           const ReadOptions& options) {
  const PagePlace place(content, name, options.page);
  const Page page = open_page(content, name, place.offset, options.max_pixels);
  const TiffKind& kind = page.kind;
  // Tiles may lie almost wholly outside the image.
  constexpr std::uint64_t kAlwaysHeld = std::uint64_t{4} << 20;
  const std::uint64_t image_bytes = std::uint64_t{kind.width} * kind.height * kind.format().bytes_per_pixel();
  if (bytes_of_block_row(kind, page.blocks) > std::max(kAlwaysHeld, 2 * image_bytes)) {
    return std::nullopt;
  }
  DecodedImage opened;
  opened.metadata = read_tiff_metadata(page.file, opened.details);
  add_notes(page, place, options, opened);
  opened.rows = std::make_shared<TiffRowReader>(kind, content, name, place.offset);
  return opened;
}

DeclaredImage declared_tiff(ByteSpan beginning, const std::string& name) {
  return declared(TiffFile(in_memory(beginning), name));
}

Metadata tiff_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_tiff_metadata(TiffFile(in_memory(beginning), name), details);
}

const PagedReading kPagedTiff = {
    .pages = tiff_pages,
    .declared = [](const RandomAccess& content, const std::string& name,
                   PageRef page) { return declared(TiffFile(content, name, offset_of(content, name, page))); },
    .metadata =
        [](const RandomAccess& content, const std::string& name, PageRef page, std::vector<std::string>& details) {
          return read_tiff_metadata(TiffFile(content, name, offset_of(content, name, page)), details);
        },
    .decode = decode,
};

}  // namespace gpuimg::codecs::tiff

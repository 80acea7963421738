// Reads, changes and writes EXIF data, and rotates pixels tile by tile. The data can be hostile.
#include "codecs/metadata/exif.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/ifd.hpp"
#include "codecs/metadata/metadata.hpp"
#include "orientation.hpp"

namespace gpuimg::codecs {
namespace {

// --- Orientation ----------------------------------------------------------------------------------------------------

/// Copies tile by tile: if the source is read by columns, tiles keep source and destination in the cache.
template <std::size_t kPixelBytes>
void copy_pixels(ConstView from, View to, const Orientation& walk) {
  constexpr std::ptrdiff_t kTile = 32;
  const auto bytes = static_cast<std::ptrdiff_t>(kPixelBytes);
  for (std::ptrdiff_t tile_y = 0; tile_y < to.height; tile_y += kTile) {
    const std::ptrdiff_t end_y = std::min(to.height - tile_y, kTile) + tile_y;
    for (std::ptrdiff_t tile_x = 0; tile_x < to.width; tile_x += kTile) {
      const std::ptrdiff_t end_x = std::min(to.width - tile_x, kTile) + tile_x;
      for (std::ptrdiff_t y = tile_y; y < end_y; ++y) {
        const std::byte* source = from.data + (walk.origin + tile_x * walk.along_x + y * walk.along_y) * bytes;
        std::byte* target = to.row_bytes(static_cast<int>(y)) + tile_x * bytes;
        for (std::ptrdiff_t x = tile_x; x < end_x; ++x, target += kPixelBytes) {
          std::memcpy(target, source + (x - tile_x) * walk.along_x * bytes, kPixelBytes);
        }
      }
    }
  }
}

constexpr std::uint32_t kBigEndianMark = 0x4D4D;     // MM
constexpr std::uint32_t kLittleEndianMark = 0x4949;  // II

std::optional<IfdDirectory> main_directory(ByteSpan exif) {
  return is_exif(exif) ? first_ifd(exif, IfdLayout::of(exif.first(4))) : std::nullopt;
}

/// Size in bytes of a value of a TIFF type; 0 if the type is not a 16- or 32-bit integer.
std::size_t integer_bytes(std::uint16_t type) {
  switch (type) {
    case 3: return 2;  // SHORT, as EXIF requires; the other types also occur
    case 4: return 4;  // LONG
    case 8: return 2;  // SSHORT
    case 9: return 4;  // SLONG
    default: return 0;
  }
}

constexpr std::uint16_t kOrientationTag = 274;

/// Calls visit(number, layout) for each orientation entry of the main image, until visit returns false. `number` is the
/// part of `exif` that holds the value.
template <class Visit>
void visit_orientations(ByteSpan exif, Visit visit) {
  const std::optional<IfdDirectory> main = main_directory(exif);
  if (!main) {
    return;
  }
  main->visit_entries(exif, [&](const IfdEntry& entry) {
    const std::size_t size = integer_bytes(entry.type);
    const bool is_orientation = entry.tag == kOrientationTag && size > 0 && entry.count == 1;
    return !is_orientation || visit(entry.value.first(size), main->layout);
  });
}

// --- Size -----------------------------------------------------------------------------------------------------------

// Tag numbers. The tag of the height is one higher than the tag of the width; the resolutions are numbered likewise.
constexpr std::uint16_t kImageWidthTag = 256;
constexpr std::uint16_t kXResolutionTag = 282;
constexpr std::uint16_t kPixelXDimensionTag = 40962;

std::vector<IfdEntry> entries_with(ByteSpan exif, const IfdDirectory& directory, std::uint16_t tag) {
  std::vector<IfdEntry> found;
  directory.visit_entries(exif, [&](const IfdEntry& entry) {
    if (entry.tag == tag) {
      found.push_back(entry);
    }
    return true;
  });
  return found;
}

/// Returns a writable view of `part`, which must lie inside `exif`.
std::span<std::byte> part_of(std::span<std::byte> exif, ByteSpan part) {
  return exif.subspan(static_cast<std::size_t>(part.data() - exif.data()), part.size());
}

/// Writes a number to an entry. A 32-bit number also fits where a 16-bit value is stored.
void set_number(std::span<std::byte> exif, const IfdEntry& entry, const IfdLayout& layout, std::uint32_t number) {
  constexpr std::size_t kTypeBefore = 6;  // the type and a count of 4 bytes precede the value
  constexpr std::uint32_t kLongType = 4;
  const auto put = [&](std::span<std::byte> to, std::uint32_t value) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[layout.is_big_endian ? to.size() - 1 - i : i] = static_cast<std::byte>(value >> (8 * i));
    }
  };
  const auto at = static_cast<std::size_t>(entry.value.data() - exif.data());
  put(exif.subspan(at - kTypeBefore, 2), kLongType);
  put(exif.subspan(at, 4), number);
}

void set_sizes(std::span<std::byte> exif, const IfdDirectory& directory, std::uint16_t width_tag, Size size) {
  for (const bool is_width : {true, false}) {
    const auto tag = static_cast<std::uint16_t>(is_width ? width_tag : width_tag + 1);
    for (const IfdEntry& entry : entries_with(exif, directory, tag)) {
      if (integer_bytes(entry.type) > 0 && entry.count == 1) {
        set_number(exif, entry, directory.layout, static_cast<std::uint32_t>(is_width ? size.width : size.height));
      }
    }
  }
}

// --- Directories ----------------------------------------------------------------------------------------------------

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxTagBytes = std::uint64_t{16} << 20;
constexpr std::uint16_t kText = 2;
constexpr std::uint16_t kShort = 3;
constexpr std::uint16_t kLong = 4;
constexpr std::uint16_t kRatio = 5;
constexpr std::uint16_t kOffset = 13;
constexpr std::uint16_t kExifTag = 34665;
constexpr std::uint16_t kGpsTag = 34853;
constexpr std::uint16_t kInteroperabilityTag = 40965;
constexpr std::uint16_t kMakerNoteTag = 37500;
constexpr std::uint16_t kUserCommentTag = 37510;
/// Description, make, model, software, date, artist, host computer, copyright.
constexpr std::array<std::uint16_t, 8> kImageTags = {270, 271, 272, 305, 306, 315, 316, 33432};

/// Size in bytes of a number of this type, and how many numbers a value has; 0 for a type that EXIF does not define.
struct TypeSize {
  std::size_t number = 0;
  std::size_t numbers = 1;

  [[nodiscard]] std::size_t bytes() const { return number * numbers; }
};

TypeSize size_of_type(std::uint16_t type) {
  switch (type) {
    case 1:
    case 2:
    case 6:
    case 7: return {1, 1};
    case 3:
    case 8: return {2, 1};
    case 4:
    case 9:
    case 11:
    case 13: return {4, 1};
    case 5:
    case 10: return {4, 2};
    case 12: return {8, 1};
    default: return {};
  }
}

/// Size in bytes of a number of a TIFF or BigTIFF type; 0 if the type is not an unsigned integer.
std::size_t unsigned_bytes(std::uint16_t type) {
  constexpr std::uint16_t kLong8 = 16;
  constexpr std::uint16_t kOffset8 = 18;
  switch (type) {
    case 1: return 1;
    case kShort: return 2;
    case kLong:
    case kOffset: return 4;
    case kLong8:
    case kOffset8: return 8;
    default: return 0;
  }
}

/// Removes GPS directories from EXIF data and overwrites them with zeros.
class PositionEraser {
 public:
  PositionEraser(std::span<std::byte> exif, const IfdDirectory& main)
      : exif_(exif),
        main_(main),
        main_begin_(main.first - main.layout.count_bytes()),
        main_end_(main.first + main.entries_bytes() + main.layout.offset_bytes()) {}

  ErasedPositions run() {
    bool has_any = false;
    const std::size_t entry_bytes = main_.layout.entry_bytes();
    for (std::size_t i = main_.count; i-- > 0;) {
      const std::size_t at = main_.first + i * entry_bytes;
      if (at + entry_bytes <= exif_.size() && number_at(at, 2) == kGpsTag) {
        has_any = true;
        erase_directory(number_at(at + 8, 4));
        remove_entry(at);
      }
    }
    return !has_any ? ErasedPositions::none : is_apart_ ? ErasedPositions::all : ErasedPositions::impossible;
  }

 private:
  [[nodiscard]] std::uint64_t number_at(std::size_t offset, std::size_t bytes) const {
    return main_.layout.number(ByteSpan(exif_).subspan(offset, bytes));
  }

  void erase_directory(std::uint64_t offset) {
    constexpr std::uint64_t kInlineBytes = 4;
    const std::optional<IfdDirectory> gps = ifd_at(exif_, offset, main_.layout);
    if (!gps) {
      return;  // the link does not lead to a directory
    }
    gps->visit_entries(exif_, [&](const IfdEntry& entry) {
      const std::uint64_t bytes = entry.count * size_of_type(entry.type).bytes();
      if (bytes > kInlineBytes) {
        erase(main_.layout.number(entry.value), bytes);
      }
      return true;
    });
    erase(offset, gps->layout.count_bytes() + gps->entries_bytes());
  }

  void erase(std::uint64_t begin, std::uint64_t bytes) {
    const bool is_inside = begin >= kHeaderBytes && begin <= exif_.size() && bytes <= exif_.size() - begin;
    is_apart_ = is_apart_ && is_inside && (begin + bytes <= main_begin_ || begin >= main_end_);
    if (is_apart_) {
      std::fill_n(exif_.begin() + static_cast<std::ptrdiff_t>(begin), bytes, std::byte{0});
    }
  }

  /// Removes an entry by moving the later entries, and the link to the next directory, over it.
  void remove_entry(std::size_t at) {
    const std::size_t entry_bytes = main_.layout.entry_bytes();
    const auto from = exif_.begin() + static_cast<std::ptrdiff_t>(at + entry_bytes);
    const auto end = exif_.begin() + static_cast<std::ptrdiff_t>(std::min(main_end_, exif_.size()));
    std::fill(std::copy(from, end, exif_.begin() + static_cast<std::ptrdiff_t>(at)), end, std::byte{0});
    --main_.count;
    const bool is_big_endian = main_.layout.is_big_endian;
    exif_[main_begin_ + (is_big_endian ? 0 : 1)] = static_cast<std::byte>(main_.count >> 8);
    exif_[main_begin_ + (is_big_endian ? 1 : 0)] = static_cast<std::byte>(main_.count);
  }

  static constexpr std::uint64_t kHeaderBytes = 8;

  std::span<std::byte> exif_;
  IfdDirectory main_;
  std::size_t main_begin_;
  std::size_t main_end_;
  bool is_apart_ = true;
};

bool is_image_tag(std::uint16_t tag) {
  return std::find(kImageTags.begin(), kImageTags.end(), tag) != kImageTags.end();
}

/// True for tags that define how pixels are stored, and for tags that other code reads: orientation, resolution, ICC
/// profile, XMP, IPTC, GeoTIFF.
bool is_of_layout(std::uint16_t tag) {
  constexpr std::array<std::pair<std::uint16_t, std::uint16_t>, 14> kRanges = {{{254, 266},
                                                                                {273, 284},
                                                                                {290, 301},
                                                                                {317, 347},
                                                                                {512, 532},
                                                                                {700, 700},
                                                                                {33550, 33550},
                                                                                {33723, 33723},
                                                                                {33922, 33922},
                                                                                {34264, 34264},
                                                                                {34377, 34377},
                                                                                {34675, 34675},
                                                                                {34735, 34737},
                                                                                {kExifTag, kExifTag}}};
  return tag == kGpsTag || std::any_of(kRanges.begin(), kRanges.end(),
                                       [&](const auto& range) { return tag >= range.first && tag <= range.second; });
}

/// An entry before its value is read.
struct RawEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint64_t count = 0;
  std::vector<std::byte> inner;  ///< the value, or its offset

  /// Size of the value. Exceeds every limit if `count` is absurdly large.
  [[nodiscard]] std::uint64_t value_bytes() const {
    return std::min(count, kMaxTagBytes + 1) * size_of_type(type).bytes();
  }
};

struct RawDirectory {
  std::vector<RawEntry> entries;
  std::uint64_t next = 0;

  [[nodiscard]] const RawEntry* find(std::uint16_t tag) const {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const RawEntry& entry) { return entry.tag == tag; });
    return found != entries.end() ? &*found : nullptr;
  }
};

class DirectoryReader {
 public:
  DirectoryReader(const RandomAccess& file, std::uint64_t max_bytes) : file_(file), left_(max_bytes) {
    const std::vector<std::byte> start = bytes_at(0, 4);
    layout_ = is_whole_ ? IfdLayout::of(start) : IfdLayout{};
  }

  /// False after any part was missing or too large.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] bool is_big_endian() const { return layout_.is_big_endian; }

  RawDirectory directory(std::uint64_t offset) {
    constexpr std::uint64_t kMaxEntries = 4096;
    RawDirectory directory;
    const std::uint64_t at = offset > 0 ? offset : number_at(layout_.first_link(), layout_.offset_bytes());
    const std::uint64_t count = number_at(at, layout_.count_bytes());
    if (!is_whole_ || count > kMaxEntries) {
      is_whole_ = false;
      return directory;
    }
    const std::uint64_t first = at + layout_.count_bytes();
    const std::size_t size = static_cast<std::size_t>(count) * layout_.entry_bytes();
    const std::vector<std::byte> bytes = bytes_at(first, size);
    layout_.visit_entries(is_whole_ ? ByteSpan(bytes) : ByteSpan(), [&](const IfdEntry& entry) {
      directory.entries.push_back({entry.tag, entry.type, entry.count, {entry.value.begin(), entry.value.end()}});
      return true;
    });
    // Some programs omit the link to the next directory.
    std::vector<std::byte> link(layout_.offset_bytes());
    directory.next = file_.read(first + size, link) == link.size() ? layout_.number(link) : 0;
    return directory;
  }

  std::vector<std::byte> value_of(const RawEntry& entry) {
    const std::uint64_t size = entry.value_bytes();
    if (size <= entry.inner.size()) {
      return {entry.inner.begin(), entry.inner.begin() + static_cast<std::ptrdiff_t>(size)};
    }
    return bytes_at(layout_.number(entry.inner), size);
  }

  /// The numbers of a value of unsigned integers; empty for other types.
  std::vector<std::uint64_t> numbers_of(const RawEntry& entry) {
    const std::size_t width = unsigned_bytes(entry.type);
    const std::uint64_t size = std::min(entry.count, kMaxTagBytes) * width;
    const bool is_inside = size <= entry.inner.size();
    const std::vector<std::byte> far =
        is_inside || width == 0 ? std::vector<std::byte>() : bytes_at(layout_.number(entry.inner), size);
    const ByteSpan value = is_inside ? ByteSpan(entry.inner).first(static_cast<std::size_t>(size)) : ByteSpan(far);
    std::vector<std::uint64_t> numbers;
    for (std::size_t at = 0; is_whole_ && width > 0 && at + width <= value.size(); at += width) {
      numbers.push_back(layout_.number(value.subspan(at, width)));
    }
    return numbers;
  }

  /// The offset of the directory to which an entry refers.
  [[nodiscard]] std::uint64_t offset_in(const RawEntry& entry) const {
    const bool is_short = entry.type == kLong || entry.type == kOffset;
    return layout_.number(std::span(entry.inner).first(is_short ? 4 : entry.inner.size()));
  }

 private:
  std::vector<std::byte> bytes_at(std::uint64_t offset, std::uint64_t size) {
    if (!is_whole_ || size > left_ || size > file_.size) {
      is_whole_ = false;
      return std::vector<std::byte>(8);  // eight zero bytes, read as 0
    }
    left_ -= size;
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    is_whole_ = file_.read(offset, bytes) == size;
    return bytes;
  }

  std::uint64_t number_at(std::uint64_t offset, std::size_t size) { return layout_.number(bytes_at(offset, size)); }

  const RandomAccess& file_;
  std::uint64_t left_;
  IfdLayout layout_;
  bool is_whole_ = true;
};

void reverse_numbers(std::span<std::byte> bytes, std::size_t number_bytes) {
  for (; bytes.size() >= number_bytes; bytes = bytes.subspan(number_bytes)) {
    std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(number_bytes));
  }
}

/// Swaps the bytes of a UTF-16 comment, which has the byte order of the TIFF structure.
void reverse_comment(std::span<std::byte> comment) {
  using namespace std::string_view_literals;
  const ByteSpan mark = letters("UNICODE\0"sv);
  if (comment.size() >= mark.size() && std::equal(mark.begin(), mark.end(), comment.begin())) {
    reverse_numbers(comment.subspan(mark.size()), 2);
  }
}

/// Reads the entries that `wants` accepts.
template <class Wants>
std::vector<ExifEntry> entries_of(DirectoryReader& reader, const RawDirectory& directory, const Wants& wants) {
  std::vector<ExifEntry> entries;
  for (const RawEntry& raw : directory.entries) {
    const TypeSize size = size_of_type(raw.type);
    if (!wants(raw) || size.number == 0 || raw.count == 0) {
      continue;
    }
    ExifEntry entry{raw.tag, raw.type, static_cast<std::uint32_t>(raw.count), reader.value_of(raw)};
    if (!reader.is_whole()) {
      return {};
    }
    if (reader.is_big_endian()) {
      entry.tag == kUserCommentTag ? reverse_comment(entry.value) : reverse_numbers(entry.value, size.number);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void add(std::vector<std::byte>& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

ExifEntry number_entry(std::uint16_t tag, std::uint16_t type, std::uint64_t value) {
  ExifEntry entry{tag, type, 1, {}};
  add(entry.value, value, size_of_type(type).bytes());
  return entry;
}

/// Appends a directory, sorted by tag as TIFF demands. Returns its offset; 0 if there are no entries.
std::uint64_t append(std::vector<std::byte>& file, std::vector<ExifEntry> entries, bool is_big) {
  if (entries.empty()) {
    return 0;
  }
  const std::size_t offset_size = is_big ? 8 : 4;
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.tag < b.tag; });
  std::vector<std::byte> directory;
  add(directory, entries.size(), is_big ? 8 : 2);
  for (const ExifEntry& entry : entries) {
    add(directory, entry.tag, 2);
    add(directory, entry.type, 2);
    add(directory, entry.count, offset_size);
    if (entry.value.size() <= offset_size) {
      directory.insert(directory.end(), entry.value.begin(), entry.value.end());
      directory.resize(directory.size() + offset_size - entry.value.size());
      continue;
    }
    add(directory, file.size(), offset_size);
    file.insert(file.end(), entry.value.begin(), entry.value.end());
    file.resize(file.size() + file.size() % 2);
  }
  add(directory, 0, offset_size);
  const std::uint64_t offset = file.size();
  file.insert(file.end(), directory.begin(), directory.end());
  return offset;
}

}  // namespace

bool is_exif(std::span<const std::byte> data) noexcept {
  constexpr std::size_t kHeaderBytes = 8;
  return data.size() >= kHeaderBytes && ((u16be_at(data, 0) == kBigEndianMark && u16be_at(data, 2) == 42) ||
                                         (u16be_at(data, 0) == kLittleEndianMark && u16le_at(data, 2) == 42));
}

int exif_orientation(std::span<const std::byte> exif) noexcept {
  int orientation = 1;
  visit_orientations(exif, [&](ByteSpan number, const IfdLayout& layout) {
    const std::uint64_t value = layout.number(number);
    orientation = value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    return false;
  });
  return orientation;
}

void reset_orientation(std::span<std::byte> exif) noexcept {
  visit_orientations(exif, [&](ByteSpan number, const IfdLayout& layout) {
    const auto to = exif.subspan(static_cast<std::size_t>(number.data() - exif.data()), number.size());
    std::fill(to.begin(), to.end(), std::byte{0});
    (layout.is_big_endian ? to.back() : to.front()) = std::byte{1};
    return true;
  });
}

bool unlink_thumbnail(std::span<std::byte> exif) noexcept {
  const std::optional<IfdDirectory> main = main_directory(exif);
  if (!main) {
    return false;
  }
  const std::size_t link = main->first + main->entries_bytes();
  const std::size_t link_bytes = main->layout.offset_bytes();
  if (link > exif.size() || exif.size() - link < link_bytes) {
    return false;
  }
  // Some programs omit the link. The value is treated as a link only if it leads to a directory.
  const std::uint64_t next = main->layout.number(exif.subspan(link, link_bytes));
  const auto thumbnail = next > 0 ? ifd_at(exif, next, main->layout) : std::nullopt;
  if (!thumbnail || thumbnail->count == 0 || thumbnail->entries_bytes() > exif.size() - thumbnail->first) {
    return false;
  }
  std::fill_n(exif.begin() + static_cast<std::ptrdiff_t>(link), link_bytes, std::byte{0});
  return true;
}

ErasedPositions erase_exif_positions(std::span<std::byte> exif) {
  const std::optional<IfdDirectory> main = main_directory(exif);
  return main ? PositionEraser(exif, *main).run() : ErasedPositions::none;
}

void set_exif_size(std::span<std::byte> exif, Size size) {
  const std::optional<IfdDirectory> main = main_directory(exif);
  if (!main) {
    return;
  }
  set_sizes(exif, *main, kImageWidthTag, size);
  for (const IfdEntry& entry : entries_with(exif, *main, kExifTag)) {
    if (const auto directory = ifd_at(exif, main->layout.number(entry.value), main->layout)) {
      set_sizes(exif, *directory, kPixelXDimensionTag, size);
    }
  }
}

void swap_exif_resolutions(std::span<std::byte> exif) {
  const std::optional<IfdDirectory> main = main_directory(exif);
  if (!main) {
    return;
  }
  const std::vector<IfdEntry> x = entries_with(exif, *main, kXResolutionTag);
  const std::vector<IfdEntry> y = entries_with(exif, *main, kXResolutionTag + 1);
  if (x.size() == 1 && y.size() == 1 && x[0].type == y[0].type && x[0].count == y[0].count) {
    const auto of_x = part_of(exif, x[0].value);
    const auto of_y = part_of(exif, y[0].value);
    std::swap_ranges(of_x.begin(), of_x.end(), of_y.begin());
  }
}

Image apply_orientation(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) {
    return image;
  }
  const bool swaps = swaps_sides(orientation);
  Image upright(swaps ? image.height() : image.width(), swaps ? image.width() : image.height(), image.format());
  const ConstView from = std::as_const(image).view();
  const Orientation walk = orientation_of(orientation, image.width(), image.height());
  switch (image.format().bytes_per_pixel()) {
    case 1: copy_pixels<1>(from, upright.view(), walk); break;
    case 2: copy_pixels<2>(from, upright.view(), walk); break;
    case 3: copy_pixels<3>(from, upright.view(), walk); break;
    case 4: copy_pixels<4>(from, upright.view(), walk); break;
    case 6: copy_pixels<6>(from, upright.view(), walk); break;
    default: copy_pixels<8>(from, upright.view(), walk); break;
  }
  return upright;
}

std::optional<PixelDensity> exif_density(ByteSpan exif) {
  constexpr std::uint16_t kXTag = 282;
  constexpr std::uint16_t kYTag = 283;
  constexpr std::uint16_t kUnitTag = 296;
  constexpr std::array kUnits = {DensityUnit::none, DensityUnit::inch, DensityUnit::centimeter};
  std::optional<Ratio> x;
  std::optional<Ratio> y;
  std::uint64_t unit = 2;
  const std::optional<IfdDirectory> main = main_directory(exif);
  if (!main) {
    return std::nullopt;
  }
  const auto number_at = [&](std::size_t offset) {
    return static_cast<std::uint32_t>(main->layout.number(exif.subspan(offset, 4)));
  };
  main->visit_entries(exif, [&](const IfdEntry& entry) {
    const std::uint64_t offset = main->layout.number(entry.value);
    const bool is_ratio = entry.type == kRatio && entry.count == 1 && exif.size() >= 8 && offset <= exif.size() - 8;
    if (is_ratio && (entry.tag == kXTag || entry.tag == kYTag)) {
      const auto at = static_cast<std::size_t>(offset);
      (entry.tag == kXTag ? x : y) = ratio_of(number_at(at), number_at(at + 4));
    } else if (entry.tag == kUnitTag && entry.type == kShort && entry.count == 1) {
      unit = main->layout.number(entry.value.first(2));
    }
    return true;
  });
  if (!x || !y || unit < 1 || unit > kUnits.size() || (unit == 1 && *x == *y)) {
    return std::nullopt;
  }
  return PixelDensity{*x, *y, kUnits.at(static_cast<std::size_t>(unit) - 1)};
}

std::optional<ExifDirectories> read_exif_directories(const RandomAccess& file, std::uint64_t offset) {
  DirectoryReader reader(file, kMaxBytes);
  ExifDirectories found;
  const RawDirectory main = reader.directory(offset);
  found.has_next = main.next > 0;
  found.image = entries_of(reader, main, [&](const RawEntry& entry) {
    const bool is_kept = is_image_tag(entry.tag) && entry.type == kText;
    found.has_other_tags = found.has_other_tags || (!is_kept && !is_of_layout(entry.tag));
    return is_kept;
  });
  std::uint64_t interoperability = 0;
  const auto is_inner = [&](const RawEntry& entry) {
    if (entry.tag == kInteroperabilityTag) {
      interoperability = reader.offset_in(entry);
    }
    found.has_maker_note = found.has_maker_note || entry.tag == kMakerNoteTag;
    return entry.tag != kInteroperabilityTag && entry.tag != kMakerNoteTag;
  };
  const auto is_any = [](const RawEntry& /*entry*/) { return true; };
  for (const RawEntry& entry : main.entries) {
    const std::uint64_t at = reader.offset_in(entry);
    if (entry.tag == kExifTag && at > 0) {
      found.exif = entries_of(reader, reader.directory(at), is_inner);
    } else if (entry.tag == kGpsTag && at > 0) {
      found.gps = entries_of(reader, reader.directory(at), is_any);
    }
  }
  if (interoperability > 0) {
    found.interoperability = entries_of(reader, reader.directory(interoperability), is_any);
  }
  return reader.is_whole() ? std::optional(std::move(found)) : std::nullopt;
}

std::vector<std::byte> tag_bytes(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag) {
  DirectoryReader reader(file, kMaxTagBytes);
  const RawDirectory directory = reader.directory(offset);
  const RawEntry* entry = directory.find(tag);
  std::vector<std::byte> value = entry != nullptr ? reader.value_of(*entry) : std::vector<std::byte>();
  return reader.is_whole() ? value : std::vector<std::byte>();
}

std::vector<std::uint64_t> tag_numbers(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag) {
  DirectoryReader reader(file, kMaxTagBytes);
  const RawDirectory directory = reader.directory(offset);
  const RawEntry* entry = directory.find(tag);
  return entry != nullptr ? reader.numbers_of(*entry) : std::vector<std::uint64_t>();
}

std::vector<ExifEntry> tag_entries(const RandomAccess& file, std::uint64_t offset,
                                   std::span<const std::uint16_t> tags) {
  DirectoryReader reader(file, kMaxTagBytes);
  const RawDirectory directory = reader.directory(offset);
  return entries_of(reader, directory, [&](const RawEntry& entry) {
    return std::find(tags.begin(), tags.end(), entry.tag) != tags.end();
  });
}

std::vector<std::byte> exif_data(const ExifDirectories& directories, int orientation) {
  std::vector<std::byte> data = {std::byte{'I'}, std::byte{'I'}, std::byte{42}, std::byte{0}};
  add(data, 0, 4);
  const ExifOffsets offsets = append_exif_directories(data, directories, false);
  std::vector<ExifEntry> image = directories.image;
  if (orientation > 1 && orientation <= 8) {
    image.push_back(number_entry(kOrientationTag, kShort, static_cast<std::uint64_t>(orientation)));
  }
  if (offsets.exif > 0) {
    image.push_back(number_entry(kExifTag, kLong, offsets.exif));
  }
  if (offsets.gps > 0) {
    image.push_back(number_entry(kGpsTag, kLong, offsets.gps));
  }
  const std::uint64_t main = append(data, std::move(image), false);
  for (std::size_t i = 0; i < 4; ++i) {
    data[4 + i] = static_cast<std::byte>(main >> (8 * i));
  }
  return main > 0 ? data : std::vector<std::byte>();
}

ExifOffsets append_exif_directories(std::vector<std::byte>& file, const ExifDirectories& directories, bool is_big) {
  std::vector<ExifEntry> exif = directories.exif;
  if (const std::uint64_t at = append(file, directories.interoperability, is_big); at > 0) {
    exif.push_back(number_entry(kInteroperabilityTag, kLong, at));
  }
  ExifOffsets offsets;
  offsets.exif = append(file, std::move(exif), is_big);
  offsets.gps = append(file, directories.gps, is_big);
  return offsets;
}

}  // namespace gpuimg::codecs

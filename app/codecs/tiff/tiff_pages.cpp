// Walks the chain of directories without libtiff. libtiff would read all values of every directory, and would walk the
// chain again for each page.
#include "codecs/tiff/tiff_pages.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/ifd.hpp"
#include "codecs/rejections.hpp"

namespace gpuimg::codecs::tiff {
namespace {

constexpr std::size_t kMaxPages = 1'000'000;
constexpr std::uint32_t kReducedOrMask = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;

struct Directory {
  bool is_page = true;
  bool has_width = false;
  bool has_height = false;
  bool has_foreign_type = false;  ///< an entry has a type that TIFF does not define
  bool refers_behind_end = false;
  std::uint64_t next = 0;

  /// True if the bytes are not a directory but, for example, pixels.
  [[nodiscard]] bool is_garbage() const { return !has_size() && has_foreign_type; }
  [[nodiscard]] bool has_size() const { return has_width && has_height; }

  /// The defect of the directory, or nullptr.
  [[nodiscard]] const char* fault() const {
    return !has_size()         ? "has no width and height"
           : refers_behind_end ? "refers to data after the end of the file"
                               : nullptr;
  }
};

class DirectoryWalk {
 public:
  explicit DirectoryWalk(const RandomAccess& file) : file_(file) {
    std::array<std::byte, 4> start{};
    (void)file.read(0, start);
    layout_ = IfdLayout::of(start);
  }

  [[nodiscard]] std::uint64_t first() const {
    std::array<std::byte, 8> bytes{};
    const auto offset = std::span(bytes).first(layout_.offset_bytes());
    (void)file_.read(layout_.first_link(), offset);
    return layout_.number(offset);
  }

  /// The directory at `offset`. Returns nullopt if it is damaged; why_not() then returns the reason. `page` is the
  /// number of the directory in messages.
  std::optional<Directory> at(std::uint64_t offset, std::size_t page) {
    const std::size_t count_size = layout_.count_bytes();
    constexpr std::uint64_t kMaxEntries = 65535;
    std::array<std::byte, 8> count_bytes{};
    const auto count_span = std::span(count_bytes).first(count_size);
    if (offset >= file_.size) {
      return ended(kBehindEnd, page);
    }
    if (file_.read(offset, count_span) < count_size) {
      return ended(kCutOff, page);
    }
    const std::uint64_t count = layout_.number(count_span);
    if (count == 0 || count > kMaxEntries) {
      return ended(kOther, page);
    }
    entries_.resize(static_cast<std::size_t>(count) * layout_.entry_bytes() + layout_.offset_bytes());
    if (entries_.size() > file_.size - offset - count_size) {
      return ended(kCutOff, page);
    }
    bytes_read_ += entries_.size();
    if (bytes_read_ > file_.size) {
      return ended("other directories overlap that of page ", page);
    }
    if (file_.read(offset + count_size, entries_) < entries_.size()) {
      return ended(kCutOff, page);
    }
    Directory directory;
    const ByteSpan all(entries_);
    layout_.visit_entries(all.first(all.size() - layout_.offset_bytes()), [&](const IfdEntry& entry) {
      take(entry, directory);
      return true;
    });
    directory.next = layout_.number(all.last(layout_.offset_bytes()));
    return directory.is_garbage() ? ended(kOther, page) : std::optional(directory);
  }

  /// True if the file ends where the last directory should be.
  [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }
  /// The reason, as a clause.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  static constexpr const char* kBehindEnd = "it ends before the directory of page ";
  static constexpr const char* kCutOff = "it ends within the directory of page ";
  static constexpr const char* kOther = "other data is in place of the directory of page ";

  std::nullopt_t ended(const char* why, std::size_t page) {
    why_not_ = why + std::to_string(page);
    is_cut_off_ = why == kCutOff || why == kBehindEnd;
    return std::nullopt;
  }

  void take(const IfdEntry& entry, Directory& directory) {
    const auto [tag, type, count, value] = entry;
    const int width = type == TIFF_NOTYPE || type > TIFF_IFD8 ? 0 : TIFFDataWidth(static_cast<TIFFDataType>(type));
    if (tag == TIFFTAG_SUBFILETYPE) {
      directory.is_page = (layout_.number(value.first(type == TIFF_SHORT ? 2 : 4)) & kReducedOrMask) == 0;
    } else if (tag == TIFFTAG_OSUBFILETYPE) {
      directory.is_page = directory.is_page && layout_.number(value.first(2)) != OFILETYPE_REDUCEDIMAGE;
    }
    directory.has_width = directory.has_width || tag == TIFFTAG_IMAGEWIDTH;
    directory.has_height = directory.has_height || tag == TIFFTAG_IMAGELENGTH;
    if (width <= 0) {
      directory.has_foreign_type = true;
      return;
    }
    const bool is_inside = count <= value.size() / static_cast<std::uint64_t>(width);
    const std::uint64_t place = layout_.number(value);
    const bool fits = place <= file_.size && count <= (file_.size - place) / static_cast<std::uint64_t>(width);
    directory.refers_behind_end = directory.refers_behind_end || !(is_inside || fits);
  }

  const RandomAccess& file_;
  IfdLayout layout_;
  std::vector<std::byte> entries_;
  std::uint64_t bytes_read_ = 0;
  std::string why_not_;
  bool is_cut_off_ = false;
};

/// The number after `key` in the lines of a description; 0 if there is none.
std::uint32_t number_in(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::uint32_t number = 0;
  if (at != std::string_view::npos) {
    (void)std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  }
  return number;
}

/// The size in bytes of an image that is stored uncompressed in consecutive strips; 0 for any other image.
std::uint64_t stored_bytes(const RandomAccess& file) {
  const auto numbers = [&](std::uint16_t tag) { return tag_numbers(file, 0, tag); };
  const auto number = [&](std::uint16_t tag, std::uint64_t otherwise) {
    const std::vector<std::uint64_t> found = numbers(tag);
    return found.empty() ? otherwise : found[0];
  };
  const std::vector<std::uint64_t> offsets = numbers(TIFFTAG_STRIPOFFSETS);
  const std::vector<std::uint64_t> counts = numbers(TIFFTAG_STRIPBYTECOUNTS);
  if (number(TIFFTAG_COMPRESSION, COMPRESSION_NONE) != COMPRESSION_NONE || offsets.empty() ||
      offsets.size() != counts.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] != offsets[i - 1] + counts[i - 1]) {
      return 0;
    }
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const std::uint64_t width = std::min(number(TIFFTAG_IMAGEWIDTH, 0), kMost);
  const std::uint64_t height = std::min(number(TIFFTAG_IMAGELENGTH, 0), kMost);
  const std::uint64_t bytes = number(TIFFTAG_SAMPLESPERPIXEL, 1) * number(TIFFTAG_BITSPERSAMPLE, 1) / 8;
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return bytes > 0 && bytes <= 8 && all == width * height * bytes ? all : 0;
}

/// For each image of a stack, adds an entry with the offset of the stack's directory.
void add_stack(const RandomAccess& file, PageList& pages) {
  const ImageStack stack = image_stack(file);
  const std::uint64_t held = stack.count > 1 ? (file.size - std::min(file.size, stack.first)) / stack.bytes : 1;
  const std::uint64_t found = std::clamp<std::uint64_t>(held, 1, stack.count);
  pages.places.resize(static_cast<std::size_t>(found), pages.places.front());
  if (found < stack.count) {
    pages.lost = fmt::format("it ends within image {} of a stack of {}", found + 1, stack.count);
  }
}

}  // namespace

RandomAccess ImageStack::at(const RandomAccess& file, std::uint64_t number) const {
  if (number == 0 || number >= count) {
    return file;
  }
  RandomAccess moved = file;
  moved.read = [stack = *this, number, read = file.read](std::uint64_t offset, std::span<std::byte> to) {
    const bool is_inside = offset >= stack.first && offset - stack.first < stack.bytes;
    if (!is_inside) {
      return read(offset, to);
    }
    const std::uint64_t left = stack.bytes - (offset - stack.first);
    const auto inside = static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size()));
    const std::size_t found = read(offset + number * stack.bytes, to.first(inside));
    return found < inside || inside == to.size() ? found : found + read(offset + inside, to.subspan(inside));
  };
  return moved;
}

ImageStack image_stack(const RandomAccess& file) {
  DirectoryWalk walk(file);
  const std::optional<Directory> directory = walk.at(walk.first(), 1);
  if (!directory || directory->next != 0) {
    return {};
  }
  const std::vector<std::byte> bytes = tag_bytes(file, 0, TIFFTAG_IMAGEDESCRIPTION);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::uint32_t count = text.starts_with("ImageJ=") ? number_in(text, "\nimages=") : 0;
  ImageStack stack;
  stack.bytes = count > 1 && count <= kMaxPages ? stored_bytes(file) : 0;
  if (stack.bytes > 0) {
    stack.count = count;
    stack.first = tag_numbers(file, 0, TIFFTAG_STRIPOFFSETS).front();
  }
  return stack;
}

std::uint64_t first_tiff_page(const RandomAccess& file, const std::string& name) {
  DirectoryWalk walk(file);
  std::uint64_t place = walk.first();
  std::optional<Directory> directory = walk.at(place, 1);
  if (!directory || directory->is_page) {
    return 0;
  }
  std::unordered_set<std::uint64_t> seen = {place};
  while (directory->next != 0 && seen.insert(directory->next).second) {
    place = directory->next;
    directory = walk.at(place, seen.size());
    if (!directory) {
      walk.is_cut_off() ? reject_truncated(name) : reject_damaged(name, walk.why_not());
    }
    if (directory->is_page) {
      return place;
    }
  }
  return 0;
}

PageList tiff_pages(const RandomAccess& file) {
  DirectoryWalk walk(file);
  PageList pages{{walk.first()}, {}, {}};
  std::optional<Directory> directory = walk.at(pages.places.front(), 1);
  if (!directory) {
    pages.damage = walk.why_not();
    return pages;
  }
  const bool has_page_first = directory->is_page;
  const bool is_alone = directory->next == 0;
  std::unordered_set<std::uint64_t> seen = {pages.places.front()};
  while (pages.lost.empty() && directory->next != 0) {
    const std::uint64_t place = directory->next;
    const std::size_t number = pages.places.size() + 1;
    if (!seen.insert(place).second) {
      pages.lost = fmt::format("after page {}, the list of its pages leads back to an earlier one", number - 1);
    } else if (number > kMaxPages) {
      pages.lost = fmt::format("it has more than {} pages", kMaxPages);
    } else if (directory = walk.at(place, number); !directory) {
      pages.lost = walk.why_not();
    } else if (directory->is_page) {
      pages.places.push_back(place);
      if (const char* fault = directory->fault(); fault != nullptr && pages.damage.empty()) {
        pages.damage = fmt::format("the directory of page {} {}", number, fault);
      }
    }
  }
  if (!has_page_first && pages.count() > 1) {
    pages.places.erase(pages.places.begin());
  }
  if (is_alone) {
    add_stack(file, pages);
  }
  if (pages.damage.empty()) {
    pages.damage = pages.lost;
  }
  return pages;
}

}  // namespace gpuimg::codecs::tiff

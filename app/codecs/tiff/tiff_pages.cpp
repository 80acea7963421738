// Walks the chain without libtiff, which would read all values of every directory, and walk it again for each page.
#include "codecs/tiff/tiff_pages.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "codecs/metadata/ifd.hpp"

namespace gpuimg::codecs::tiff {
namespace {

constexpr std::size_t kMaxPages = 1'000'000;
constexpr std::uint32_t kReducedOrMask = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;

struct Directory {
  bool is_page = true;
  bool has_width = false;
  bool has_height = false;
  bool has_foreign_type = false;  ///< an entry of a type that TIFF does not have
  bool refers_behind_end = false;
  std::uint64_t next = 0;

  /// Something else than a directory, such as pixels.
  [[nodiscard]] bool is_garbage() const { return !has_size() && has_foreign_type; }
  [[nodiscard]] bool has_size() const { return has_width && has_height; }

  /// What is wrong with it, or nullptr.
  [[nodiscard]] const char* fault() const {
    return !has_size() ? "has no width and height" : refers_behind_end ? "refers to data behind the end" : nullptr;
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

  /// The directory at a place, or nothing if it is damaged; then why_not() gives the reason. `page` is its number in
  /// messages.
  std::optional<Directory> at(std::uint64_t offset, std::size_t page) {
    const std::size_t count_size = layout_.count_bytes();
    constexpr std::uint64_t kMaxEntries = 65535;
    std::array<std::byte, 8> count_bytes{};
    const auto count_span = std::span(count_bytes).first(count_size);
    if (offset >= file_.size) {
      return ended("it ends before the directory of page ", page);
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

  /// A clause.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  static constexpr const char* kCutOff = "it ends within the directory of page ";
  static constexpr const char* kOther = "other data are in place of the directory of page ";

  std::nullopt_t ended(const char* why, std::size_t page) {
    why_not_ = why + std::to_string(page);
    return std::nullopt;
  }

  void take(const IfdEntry& entry, Directory& directory) {
    const auto [tag, type, count, value] = entry;
    const int width = type == TIFF_NOTYPE || type > TIFF_IFD8 ? 0 : TIFFDataWidth(static_cast<TIFFDataType>(type));
    if (tag == TIFFTAG_SUBFILETYPE) {
      directory.is_page = (layout_.number(value.first(type == TIFF_SHORT ? 2 : 4)) & kReducedOrMask) == 0;
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
};

}  // namespace

PageList tiff_pages(const RandomAccess& file) {
  DirectoryWalk walk(file);
  PageList pages{{walk.first()}, {}, {}};
  std::optional<Directory> directory = walk.at(pages.places.front(), 1);
  if (!directory) {
    pages.damage = walk.why_not();
    return pages;
  }
  std::unordered_set<std::uint64_t> seen = {pages.places.front()};
  while (pages.lost.empty() && directory->next != 0) {
    const std::uint64_t place = directory->next;
    const std::size_t number = pages.places.size() + 1;
    if (!seen.insert(place).second) {
      pages.lost = fmt::format("behind page {}, the list of its pages leads back to an earlier one", number - 1);
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
  if (pages.damage.empty()) {
    pages.damage = pages.lost;
  }
  return pages;
}

}  // namespace gpuimg::codecs::tiff

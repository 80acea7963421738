// Walks the chain without libtiff, which would read all values of every directory.
#include "codecs/tiff/tiff_pages.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_set>

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kMaxPages = 1'000'000;
constexpr std::uint64_t kSubfileType = 254;
constexpr std::uint32_t kReducedOrMask = 1 | 4;

struct Directory {
  bool is_page = true;
  std::uint64_t next = 0;
};

class DirectoryWalk {
 public:
  explicit DirectoryWalk(const RandomAccess& file) : file_(file) {
    std::array<std::byte, 4> start{};
    (void)file.read(0, start);
    is_big_endian_ = start[0] == std::byte{'M'};
    is_big_ = number(std::span(start).subspan(2)) == 43;
  }

  [[nodiscard]] std::uint64_t first() const {
    std::array<std::byte, 8> offset{};
    const std::size_t size = is_big_ ? 8 : 4;
    (void)file_.read(size, std::span(offset).first(size));
    return number(std::span(offset).first(size));
  }

  /// Nothing if the file ends in it, or if its entries are more than all directories of a file can have.
  std::optional<Directory> at(std::uint64_t offset) {
    const std::size_t count_size = is_big_ ? 8 : 2;
    const std::size_t entry_size = is_big_ ? 20 : 12;
    const std::size_t next_size = is_big_ ? 8 : 4;
    constexpr std::uint64_t kMaxEntries = 65535;
    std::array<std::byte, 8> count_bytes{};
    const auto count_span = std::span(count_bytes).first(count_size);
    if (file_.read(offset, count_span) < count_size) {
      return std::nullopt;
    }
    const std::uint64_t count = number(count_span);
    if (count > kMaxEntries) {
      return std::nullopt;
    }
    entries_.resize(static_cast<std::size_t>(count) * entry_size + next_size);
    bytes_read_ += entries_.size();
    if (bytes_read_ > file_.size || file_.read(offset + count_size, entries_) < entries_.size()) {
      return std::nullopt;
    }
    Directory directory;
    const std::span<const std::byte> all(entries_);
    for (std::size_t i = 0; i < count; ++i) {
      const auto entry = all.subspan(i * entry_size, entry_size);
      if (number(entry.first(2)) == kSubfileType) {
        constexpr std::uint64_t kShort = 3;
        const std::size_t size = number(entry.subspan(2, 2)) == kShort ? 2 : 4;
        directory.is_page = (number(entry.subspan(is_big_ ? 12 : 8, size)) & kReducedOrMask) == 0;
      }
    }
    directory.next = number(all.last(next_size));
    return directory;
  }

 private:
  [[nodiscard]] std::uint64_t number(std::span<const std::byte> bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[is_big_endian_ ? i : bytes.size() - 1 - i]);
    }
    return value;
  }

  const RandomAccess& file_;
  bool is_big_endian_ = false;
  bool is_big_ = false;
  std::vector<std::byte> entries_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace

std::vector<std::uint64_t> tiff_pages(const RandomAccess& file) {
  DirectoryWalk walk(file);
  std::uint64_t offset = walk.first();
  std::vector<std::uint64_t> pages = {offset};
  std::unordered_set<std::uint64_t> seen = {offset};
  for (auto directory = walk.at(offset); directory && pages.size() < kMaxPages; directory = walk.at(offset)) {
    if (offset != pages.front() && directory->is_page) {
      pages.push_back(offset);
    }
    offset = directory->next;
    if (offset == 0 || !seen.insert(offset).second) {
      break;
    }
  }
  return pages;
}

}  // namespace gpuimg::codecs

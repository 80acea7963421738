// Joins TIFF files that gpuimg has written into one file of several pages. Strips are copied unchanged. Writes the new
// directories after all strips, when it is known whether offsets fit into 32 bits.
#include "codecs/formats.hpp"

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "codecs/metadata/ifd.hpp"

namespace gpuimg::codecs::tiff {
namespace {

constexpr std::uint64_t kMostClassic = std::numeric_limits<std::uint32_t>::max();
constexpr std::array<std::uint16_t, 3> kDirectoryTags = {TIFFTAG_EXIFIFD, TIFFTAG_GPSIFD, TIFFTAG_INTEROPERABILITYIFD};

void append_number(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

std::uint64_t after_padding(std::uint64_t offset) { return (offset + 1) / 2 * 2; }

/// An entry of a directory that has not been written yet. Its value is in `bytes`, in the file at `offset`, or both. An
/// entry holds a value of up to 8 bytes in BigTIFF, and up to 4 bytes otherwise.
struct HeldEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint64_t count = 0;
  std::array<std::byte, 8> bytes{};
  std::size_t size = 0;       ///< size of the value
  std::uint64_t offset = 0;   ///< 0 if the value is not in the file yet
  std::size_t directory = 0;  ///< for kDirectoryTags: number, from 1, of the directory to which the entry refers
};

struct HeldDirectory {
  std::vector<HeldEntry> entries;     ///< sorted by tag
  std::vector<HeldDirectory> others;  ///< directories to which the entries refer
};

/// A source file. It is little-endian, because libtiff writes little-endian files here.
struct Source {
  ByteSpan file;
  IfdLayout layout;

  [[nodiscard]] std::vector<IfdEntry> entries(const IfdDirectory& directory) const {
    std::vector<IfdEntry> all;
    directory.visit_entries(file, [&](const IfdEntry& entry) {
      all.push_back(entry);
      return true;
    });
    return all;
  }

  [[nodiscard]] ByteSpan value(const IfdEntry& entry) const {
    const auto width = static_cast<std::uint64_t>(TIFFDataWidth(static_cast<TIFFDataType>(entry.type)));
    const auto size = static_cast<std::size_t>(entry.count * width);
    return size <= entry.value.size() ? entry.value.first(size)
                                      : file.subspan(static_cast<std::size_t>(layout.number(entry.value)), size);
  }

  /// The value of an entry as integers.
  [[nodiscard]] std::vector<std::uint64_t> numbers(const IfdEntry& entry) const {
    const auto width = static_cast<std::size_t>(TIFFDataWidth(static_cast<TIFFDataType>(entry.type)));
    std::vector<std::uint64_t> all;
    for (ByteSpan rest = value(entry); rest.size() >= width && width > 0; rest = rest.subspan(width)) {
      all.push_back(layout.number(rest.first(width)));
    }
    return all;
  }
};

class Joiner : public PageJoiner {
 public:
  Joiner(const BytePlacer& place, std::uint64_t first) : place_(place), end_(first) {}

  void add(ByteSpan file) override {
    const Source source{file, IfdLayout::of(file)};
    auto directory = first_ifd(file, source.layout);
    while (directory) {
      pages_.push_back(taken(source, *directory));
      const ByteSpan link = file.subspan(directory->first + directory->entries_bytes(), source.layout.offset_bytes());
      const std::uint64_t next = source.layout.number(link);
      directory = next == 0 ? std::nullopt : ifd_at(file, next, source.layout);
    }
  }

  void finish() override {
    if (pages_.empty()) {
      throw std::logic_error("a TIFF without pages");
    }
    is_big_ = end_ + bound_of(pages_) > kMostClassic;
    std::vector<std::byte> header;
    append_number(header, 'I' | 'I' << 8, 2);
    append_number(header, is_big_ ? 43 : 42, 2);
    if (is_big_) {
      append_number(header, 8, 2);  // size of an offset in bytes
      append_number(header, 0, 2);
    }
    place_(0, header);
    std::uint64_t link = header.size();
    for (const HeldDirectory& page : pages_) {
      const Written written = write(page);
      place_offset(std::exchange(link, written.link), written.offset);
    }
    place_offset(link, 0);
  }

 private:
  [[nodiscard]] std::size_t offset_bytes() const { return is_big_ ? 8 : 4; }

  std::uint64_t append(ByteSpan bytes) {
    const std::uint64_t offset = after_padding(end_);
    place_(offset, bytes);
    end_ = offset + bytes.size();
    return offset;
  }

  HeldDirectory taken(const Source& source, const IfdDirectory& directory) {
    const std::vector<IfdEntry> entries = source.entries(directory);
    HeldDirectory held;
    held.entries.reserve(entries.size());
    for (const IfdEntry& entry : entries) {
      if (entry.tag == TIFFTAG_STRIPOFFSETS) {
        held.entries.push_back(strips_of(source, entries, entry));
      } else if (std::find(kDirectoryTags.begin(), kDirectoryTags.end(), entry.tag) != kDirectoryTags.end()) {
        const auto other = ifd_at(source.file, source.numbers(entry).at(0), source.layout);
        held.others.push_back(taken(source, other.value()));
        HeldEntry reference{entry.tag, 0, 1};
        reference.directory = held.others.size();
        held.entries.push_back(reference);
      } else {
        held.entries.push_back(holding({entry.tag, entry.type, entry.count}, source.value(entry)));
      }
    }
    return held;
  }

  /// Creates an entry. Appends its value to the file if the value is too large for a directory.
  HeldEntry holding(HeldEntry entry, ByteSpan value) {
    entry.size = value.size();
    if (value.size() <= entry.bytes.size()) {
      std::copy(value.begin(), value.end(), entry.bytes.begin());
    } else {
      entry.offset = append(value);
    }
    return entry;
  }

  /// Copies the strips of a page, one after another.
  HeldEntry strips_of(const Source& source, const std::vector<IfdEntry>& entries, const IfdEntry& offsets) {
    const auto counts = std::find_if(entries.begin(), entries.end(),
                                     [](const IfdEntry& entry) { return entry.tag == TIFFTAG_STRIPBYTECOUNTS; });
    const std::vector<std::uint64_t> from = source.numbers(offsets);
    const std::vector<std::uint64_t> sizes = source.numbers(*counts);
    std::vector<std::uint64_t> to;
    for (std::size_t i = 0; i < from.size();) {
      std::uint64_t size = 0;
      const std::uint64_t begin = from[i];
      const std::uint64_t base = after_padding(end_);
      for (; i < from.size() && from[i] == begin + size; size += sizes[i++]) {
        to.push_back(base + size);
      }
      (void)append(source.file.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)));
    }
    const bool is_long = end_ > kMostClassic;
    std::vector<std::byte> value;
    for (const std::uint64_t offset : to) {
      append_number(value, offset, is_long ? 8 : 4);
    }
    return holding({TIFFTAG_STRIPOFFSETS, static_cast<std::uint16_t>(is_long ? TIFF_LONG8 : TIFF_LONG), to.size()},
                   value);
  }

  /// An upper bound for the total size of the directories in bytes.
  static std::uint64_t bound_of(const std::vector<HeldDirectory>& directories) {
    std::uint64_t bytes = 0;
    for (const HeldDirectory& directory : directories) {
      bytes += 24 + 32 * directory.entries.size() + bound_of(directory.others);
    }
    return bytes;
  }

  struct Written {
    std::uint64_t offset;  ///< position of the directory
    std::uint64_t link;    ///< position for the offset of the next directory
  };

  void place_offset(std::uint64_t at, std::uint64_t offset) {
    std::vector<std::byte> bytes;
    append_number(bytes, offset, offset_bytes());
    place_(at, bytes);
  }

  /// Writes a directory and those to which it refers. Reserves space for the offset of the next directory.
  Written write(const HeldDirectory& directory) {
    std::vector<std::uint64_t> others;
    for (const HeldDirectory& other : directory.others) {
      const Written written = write(other);
      place_offset(written.link, 0);
      others.push_back(written.offset);
    }
    std::vector<std::byte> bytes;
    append_number(bytes, directory.entries.size(), is_big_ ? 8 : 2);
    for (const HeldEntry& entry : directory.entries) {
      append_entry(bytes, entry, others);
    }
    const std::uint64_t offset = append(bytes);
    const std::uint64_t link = std::exchange(end_, end_ + offset_bytes());
    return {offset, link};
  }

  void append_entry(std::vector<std::byte>& bytes, const HeldEntry& entry, const std::vector<std::uint64_t>& others) {
    const bool is_reference = entry.directory > 0;
    const int type = !is_reference ? entry.type : is_big_ ? int{TIFF_IFD8} : int{TIFF_LONG};
    append_number(bytes, entry.tag, 2);
    append_number(bytes, static_cast<std::uint64_t>(type), 2);
    append_number(bytes, entry.count, offset_bytes());
    if (is_reference) {
      append_number(bytes, others[entry.directory - 1], offset_bytes());
    } else if (entry.size <= offset_bytes()) {
      bytes.insert(bytes.end(), entry.bytes.begin(), entry.bytes.begin() + static_cast<std::ptrdiff_t>(offset_bytes()));
    } else {
      const std::uint64_t offset = entry.offset > 0 ? entry.offset : append(ByteSpan(entry.bytes).first(entry.size));
      append_number(bytes, offset, offset_bytes());
    }
  }

  BytePlacer place_;
  std::uint64_t end_;  ///< end of the written bytes
  std::vector<HeldDirectory> pages_;
  bool is_big_ = false;
};

}  // namespace

std::unique_ptr<PageJoiner> join_pages(const BytePlacer& place, std::uint64_t first) {
  return std::make_unique<Joiner>(place, first);
}

}  // namespace gpuimg::codecs::tiff

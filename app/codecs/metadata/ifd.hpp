// Parses numbers and entries of directories (IFDs) in TIFF structures: TIFF and BigTIFF files, EXIF data, and the index
// of a Multi-Picture Format file. Each caller decides how to handle damage. TIFF 6.0, section 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// An entry of a directory.
struct IfdEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint64_t count = 0;
  ByteSpan value;  ///< the value, or its offset if it is too large for the entry
};

/// How a structure stores numbers and directories. A directory consists of the number of its entries, the entries, and
/// the offset of the next directory.
struct IfdLayout {
  bool is_big_endian = false;
  bool is_big = false;  ///< BigTIFF

  /// The layout of a structure that begins with these four bytes: II or MM, and 42, or 43 for BigTIFF.
  static IfdLayout of(ByteSpan start) {
    IfdLayout layout{u8_at(start, 0) == 'M', false};
    layout.is_big = layout.number(start.subspan(2, 2)) == 43;
    return layout;
  }

  [[nodiscard]] std::size_t count_bytes() const { return is_big ? 8 : 2; }
  [[nodiscard]] std::size_t entry_bytes() const { return is_big ? 20 : 12; }
  [[nodiscard]] std::size_t offset_bytes() const { return is_big ? 8 : 4; }

  /// Position of the offset of the first directory.
  [[nodiscard]] std::size_t first_link() const { return offset_bytes(); }

  [[nodiscard]] std::uint64_t number(ByteSpan bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = value << 8 | u8_at(bytes, is_big_endian ? i : bytes.size() - 1 - i);
    }
    return value;
  }

  /// Calls visit(entry) for each entry that is complete in `bytes`, until visit returns false.
  template <class Visit>
  void visit_entries(ByteSpan bytes, Visit visit) const {
    for (; bytes.size() >= entry_bytes(); bytes = bytes.subspan(entry_bytes())) {
      const ByteSpan entry = bytes.first(entry_bytes());
      if (!visit(IfdEntry{static_cast<std::uint16_t>(number(entry.first(2))),
                          static_cast<std::uint16_t>(number(entry.subspan(2, 2))),
                          number(entry.subspan(4, offset_bytes())), entry.last(offset_bytes())})) {
        return;
      }
    }
  }
};

/// A directory in data held in memory.
struct IfdDirectory {
  IfdLayout layout;
  std::size_t first = 0;  ///< offset of its first entry
  std::size_t count = 0;  ///< declared number of entries; they can extend past the data

  [[nodiscard]] std::size_t entries_bytes() const { return count * layout.entry_bytes(); }

  /// Calls visit(entry) for each entry that is complete in the data, until visit returns false.
  template <class Visit>
  void visit_entries(ByteSpan data, Visit visit) const {
    const ByteSpan rest = data.subspan(first);
    layout.visit_entries(rest.first(std::min(entries_bytes(), rest.size())), visit);
  }
};

/// Returns nullopt if the data ends before or inside the number of entries.
inline std::optional<IfdDirectory> ifd_at(ByteSpan data, std::uint64_t offset, const IfdLayout& layout) {
  if (offset > data.size() || data.size() - offset < layout.count_bytes()) {
    return std::nullopt;
  }
  const ByteSpan count = data.subspan(static_cast<std::size_t>(offset), layout.count_bytes());
  return IfdDirectory{layout, static_cast<std::size_t>(offset) + count.size(),
                      static_cast<std::size_t>(layout.number(count))};
}

/// The directory to which the header of the data refers.
inline std::optional<IfdDirectory> first_ifd(ByteSpan data, const IfdLayout& layout) {
  const std::size_t header = layout.first_link() + layout.offset_bytes();
  return data.size() < header
             ? std::nullopt
             : ifd_at(data, layout.number(data.subspan(layout.first_link(), layout.offset_bytes())), layout);
}

}  // namespace gpuimg::codecs

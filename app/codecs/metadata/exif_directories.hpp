// EXIF data as directories of entries, so that they can move from one TIFF structure to another. EXIF 2.3, section 4.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "io/bytes.hpp"

namespace gpuimg::codecs {

struct ExifEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint32_t count = 0;
  std::vector<std::byte> value;  ///< little endian
};

struct ExifDirectories {
  std::vector<ExifEntry> image;  ///< of the main directory: texts about picture, camera, program, time and people
  std::vector<ExifEntry> exif;
  std::vector<ExifEntry> gps;
  std::vector<ExifEntry> interoperability;

  // What is left out: it is not named, or it holds offsets that would lead elsewhere.
  bool has_other_tags = false;  ///< in the main directory, besides those that describe the pixels' layout
  bool has_maker_note = false;
  bool has_next = false;  ///< a directory after the main one: the thumbnail of EXIF data, a page of a TIFF
};

/// Reads the directory at `offset` of a TIFF, a BigTIFF or EXIF data, or the first one for 0, and those that it refers
/// to. Nothing if any of it is damaged, or if it is larger than 1 MB.
std::optional<ExifDirectories> read_exif_directories(const RandomAccess& file, std::uint64_t offset = 0);

/// The value of a tag in the directory at `offset`, as stored. Empty if there is none, or if it is damaged.
std::vector<std::byte> tag_bytes(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag);

/// EXIF data with this orientation, of which 2 … 8 are written, in little endian; empty if there are no entries.
std::vector<std::byte> exif_data(const ExifDirectories& directories, int orientation);

/// Offsets of directories in a file; 0 if there is none.
struct ExifOffsets {
  std::uint64_t exif = 0;
  std::uint64_t gps = 0;
};

/// Appends the directories, except the main one, to the beginning of a little-endian TIFF or BigTIFF.
ExifOffsets append_exif_directories(std::vector<std::byte>& file, const ExifDirectories& directories, bool is_big);

}  // namespace gpuimg::codecs

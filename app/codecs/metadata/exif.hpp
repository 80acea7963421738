// EXIF data: its orientation, and its directories of entries, which can move from one TIFF structure to another.
// EXIF 2.3, section 4.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// True if the data begin as EXIF does, with a byte order mark and the number 42.
bool is_exif(std::span<const std::byte> data) noexcept;

// --- Orientation: core/orientation.hpp says what its eight values mean ----------------------------------------------

/// Orientation 1 … 8 from EXIF data that start with the byte order mark ("II" or "MM"). Damaged or missing: 1, which
/// means that the pixels are stored upright. Never throws.
int exif_orientation(std::span<const std::byte> exif) noexcept;

/// The orientation that decoding applies, and `gpuimg info` shows. None (1) if the format has its own way to turn an
/// image (DecodedImage::is_upright, DeclaredImage::is_upright).
inline int applied_orientation(std::span<const std::byte> exif, bool is_upright) noexcept {
  return is_upright ? 1 : exif_orientation(exif);
}

/// Sets every orientation that exif_orientation could find to 1; changes nothing else.
void reset_orientation(std::span<std::byte> exif) noexcept;

/// Unlinks the thumbnail's directory from the main one; its bytes stay in place. True if there was one.
bool unlink_thumbnail(std::span<std::byte> exif) noexcept;

enum class ErasedPositions : std::uint8_t { none, all, impossible };

/// Removes the link to the GPS directory and overwrites the directory and its values with zeros; nothing moves but the
/// entries after the link. Impossible if the directory overlaps the main one: the data are then undefined.
ErasedPositions erase_exif_positions(std::span<std::byte> exif);

/// Sets the existing entries for width and height: ImageWidth and ImageLength, PixelXDimension and PixelYDimension.
/// Adds none.
void set_exif_size(std::span<std::byte> exif, Size size);

/// Exchanges XResolution and YResolution, for pixels that are turned by 90 degrees.
void swap_exif_resolutions(std::span<std::byte> exif);

/// The pixels turned upright. 5 to 8 swap width and height.
Image apply_orientation(Image image, int orientation);

// --- Pixel density
// ----------------------------------------------------------------------------------------------------

/// The density of the main image. Nullopt if it is missing, damaged, or only says that pixels are square.
std::optional<PixelDensity> exif_density(std::span<const std::byte> exif);

// --- Directories ----------------------------------------------------------------------------------------------------

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

  // What is left out, because it is not listed above or holds offsets that would become wrong.
  bool has_other_tags = false;  ///< in the main directory, besides those that describe the pixels' layout
  bool has_maker_note = false;
  bool has_next = false;  ///< a directory after the main one: the thumbnail of EXIF data, a page of a TIFF
};

/// Reads the directory at `offset` of a TIFF, a BigTIFF or EXIF data, or the first one for 0, and those that it refers
/// to. Returns nullopt if any of it is damaged, or if it is larger than 1 MB.
std::optional<ExifDirectories> read_exif_directories(const RandomAccess& file, std::uint64_t offset = 0);

/// The value of a tag in the directory at `offset`, as stored. Empty if there is none, or if it is damaged.
std::vector<std::byte> tag_bytes(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag);

/// The same for a tag of unsigned integers of any width, as its numbers.
std::vector<std::uint64_t> tag_numbers(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag);

/// The entries with these tags of the directory at `offset`, or of the first one for 0; none if any is damaged.
std::vector<ExifEntry> tag_entries(const RandomAccess& file, std::uint64_t offset, std::span<const std::uint16_t> tags);

/// Little-endian EXIF data with this orientation, which is written if it is 2 … 8; empty if there are no entries.
std::vector<std::byte> exif_data(const ExifDirectories& directories, int orientation);

/// Offsets of directories in a file; 0 if there is none.
struct ExifOffsets {
  std::uint64_t exif = 0;
  std::uint64_t gps = 0;
};

/// Appends the directories, except the main one, to the beginning of a little-endian TIFF or BigTIFF.
ExifOffsets append_exif_directories(std::vector<std::byte>& file, const ExifDirectories& directories, bool is_big);

}  // namespace gpuimg::codecs

// Reads and changes EXIF data: the orientation, and directories of entries, which can be copied from one TIFF structure
// to another. EXIF 2.3, section 4.6.
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

/// True if the data begins as EXIF does: with a byte order mark and the number 42.
bool is_exif(std::span<const std::byte> data) noexcept;

// --- Orientation: core/orientation.hpp defines the eight values -----------------------------------------------------

/// The orientation, 1 … 8, in EXIF data that starts with the byte order mark ("II" or "MM"). Returns 1 (stored upright)
/// if the orientation is damaged or missing. Never throws.
int exif_orientation(std::span<const std::byte> exif) noexcept;

/// The orientation that decoding applies and `gpuimg info` shows. Returns 1 (no change) if the format has its own way
/// to rotate an image (DecodedImage::is_upright, DeclaredImage::is_upright).
inline int applied_orientation(std::span<const std::byte> exif, bool is_upright) noexcept {
  return is_upright ? 1 : exif_orientation(exif);
}

/// Sets to 1 every orientation that exif_orientation could find. Changes nothing else.
void reset_orientation(std::span<std::byte> exif) noexcept;

/// Unlinks the thumbnail's directory from the main one; its bytes stay in place. Returns true if there was a thumbnail.
bool unlink_thumbnail(std::span<std::byte> exif) noexcept;

enum class ErasedPositions : std::uint8_t { none, all, impossible };

/// Removes the link to the GPS directory and overwrites the directory and its values with zeros; only the entries after
/// the link move. This is impossible if the GPS directory overlaps the main one; the data is then undefined.
ErasedPositions erase_exif_positions(std::span<std::byte> exif);

/// Sets the existing entries for width and height: ImageWidth and ImageLength, PixelXDimension and PixelYDimension.
/// Does not add entries.
void set_exif_size(std::span<std::byte> exif, Size size);

/// Swaps XResolution and YResolution, for pixels that are rotated by 90 degrees.
void swap_exif_resolutions(std::span<std::byte> exif);

/// Rotates or mirrors the pixels upright. Orientations 5 to 8 swap width and height.
Image apply_orientation(Image image, int orientation);

// --- Pixel density --------------------------------------------------------------------------------------------------

/// The density of the main image. Returns nullopt if it is missing or damaged, or states only that pixels are square.
std::optional<PixelDensity> exif_density(std::span<const std::byte> exif);

// --- Directories ----------------------------------------------------------------------------------------------------

struct ExifEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint32_t count = 0;
  std::vector<std::byte> value;  ///< little-endian
};

struct ExifDirectories {
  std::vector<ExifEntry> image;  ///< main directory: texts about picture, camera, program, time and people
  std::vector<ExifEntry> exif;
  std::vector<ExifEntry> gps;
  std::vector<ExifEntry> interoperability;

  // Content that is left out: it is not listed above, or has offsets that would become wrong.
  bool has_other_tags = false;  ///< in the main directory, apart from tags of the pixels' layout
  bool has_maker_note = false;
  bool has_next = false;  ///< a directory follows: the thumbnail of EXIF data, a page of a TIFF
};

/// Reads the directory at `offset` of a TIFF, a BigTIFF or EXIF data, and the directories to which it refers. An offset
/// of 0 means the first directory. Returns nullopt if anything in them is damaged, or if they are larger than 1 MB.
std::optional<ExifDirectories> read_exif_directories(const RandomAccess& file, std::uint64_t offset = 0);

/// The value of a tag in the directory at `offset`, as stored. Empty if the tag is missing or damaged.
std::vector<std::byte> tag_bytes(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag);

/// The numbers of a tag of unsigned integers of any size. Empty if the tag is missing or damaged.
std::vector<std::uint64_t> tag_numbers(const RandomAccess& file, std::uint64_t offset, std::uint16_t tag);

/// The entries with these tags in the directory at `offset`; 0 means the first one. Empty if any of them is damaged.
std::vector<ExifEntry> tag_entries(const RandomAccess& file, std::uint64_t offset, std::span<const std::uint16_t> tags);

/// Builds little-endian EXIF data. Writes the orientation only if it is 2 … 8. Returns an empty vector if there are no
/// entries.
std::vector<std::byte> exif_data(const ExifDirectories& directories, int orientation);

/// Offsets of directories in a file; 0 for a directory that does not exist.
struct ExifOffsets {
  std::uint64_t exif = 0;
  std::uint64_t gps = 0;
};

/// Appends the directories, except the main one, to `file`, the beginning of a little-endian TIFF or BigTIFF.
ExifOffsets append_exif_directories(std::vector<std::byte>& file, const ExifDirectories& directories, bool is_big);

}  // namespace gpuimg::codecs

// Reads and changes the few properties of an XMP packet that gpuimg uses. Finds them as text, without parsing XML, by
// the prefixes that the standard recommends. ISO 16684-1.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The maximum size of packets that gpuimg reads.
inline constexpr std::size_t kMaxXmpBytes = std::size_t{16} << 20;

/// True if the data can be carried over: UTF-8 without NUL that begins with markup and has at most kMaxXmpBytes.
bool is_xmp(ByteSpan data);

/// Sets every tiff:Orientation to 1, in place and without changing lengths. Returns false if one of them cannot be set:
/// its value is not 1 … 8, its namespace has another prefix, or it contains markup. The packet must then not be used.
bool reset_xmp_orientation(std::span<std::byte> packet);

/// True if the packet may contain tiff:Orientation in any notation.
bool mentions_xmp_orientation(ByteSpan packet);

/// The GUID of the packet's extended XMP, 32 characters; empty if the packet does not name one.
std::string_view xmp_extension_guid(ByteSpan packet);

/// Overwrites the GUID of the extended XMP with blanks.
void blank_xmp_extension(std::span<std::byte> packet);

/// References in a packet to other parts of its file: a motion photo's video, a gain map, the list of all parts.
struct XmpParts {
  bool motion_photo = false;
  bool gain_map = false;
  bool directory = false;  ///< a list of other parts

  [[nodiscard]] bool any() const { return motion_photo || gain_map || directory; }
};

/// Overwrites with blanks the properties that refer to other parts: MotionPhoto… and MicroVideo…, Google's
/// Container:Directory, and the gain maps of Adobe and Apple. Also blanks the declarations of their namespaces that no
/// property uses any longer. Returns nullopt if one of the properties has an unknown format; the packet must then not
/// be used.
std::optional<XmpParts> blank_xmp_parts(std::span<std::byte> packet);

/// Overwrites with blanks every property whose name begins with GPS, such as exif:GPSLatitude. Returns the number of
/// properties, or nullopt if one of them has an unknown format.
std::optional<std::size_t> blank_xmp_positions(std::span<std::byte> packet);

}  // namespace gpuimg::codecs

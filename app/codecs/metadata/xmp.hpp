// The few properties of an XMP packet that gpuimg reads or changes. Finds them as text, without parsing XML, under the
// prefixes that the standard recommends. ISO 16684-1.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The maximum size of packets that are read.
inline constexpr std::size_t kMaxXmpBytes = std::size_t{16} << 20;

/// True if the data can be carried: UTF-8 without NUL that begins with markup, at most kMaxXmpBytes.
bool is_xmp(ByteSpan data);

/// Sets every tiff:Orientation to 1, in place and without changing lengths. False if one of them cannot be set: its
/// value is not 1 … 8, its namespace has another prefix, or it contains markup. Do not use the packet then.
bool reset_xmp_orientation(std::span<std::byte> packet);

/// True if it may contain tiff:Orientation in any form.
bool mentions_xmp_orientation(ByteSpan packet);

/// The GUID of the packet's extended XMP, 32 characters; empty if it names none.
std::string_view xmp_extension_guid(ByteSpan packet);

/// Overwrites the GUID of the extended XMP with blanks.
void blank_xmp_extension(std::span<std::byte> packet);

/// What a packet says of other parts of its file: a motion photo's video, a gain map, the list of all parts.
struct XmpParts {
  bool motion_photo = false;
  bool gain_map = false;
  bool directory = false;  ///< a list of other parts

  [[nodiscard]] bool any() const { return motion_photo || gain_map || directory; }
};

/// Overwrites those properties with blanks, and the declarations of namespaces that then have none: MotionPhoto… and
/// MicroVideo…, Google's Container:Directory, and the gain maps of Adobe and Apple. Nullopt if one of them has an
/// unknown form: do not use the packet then.
std::optional<XmpParts> blank_xmp_parts(std::span<std::byte> packet);

/// Overwrites every property whose name begins with GPS, such as exif:GPSLatitude, with blanks. Returns how many;
/// nullopt if one of them has an unknown form.
std::optional<std::size_t> blank_xmp_positions(std::span<std::byte> packet);

}  // namespace gpuimg::codecs

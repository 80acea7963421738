// The few properties of an XMP packet that gpuimg reads or changes, found as text: no XML is parsed. ISO 16684-1;
// prefixes are those that the standard recommends.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

/// True if the data can be carried: UTF-8 without NUL that begins with markup, at most kMaxXmpBytes.
bool is_xmp(ByteSpan data);

/// Sets every tiff:Orientation to 1, in place and of the same length. False if one of them cannot be set so: a value
/// that is not 1 … 8, another prefix for its namespace, markup within. The packet must not be used then.
bool reset_xmp_orientation(std::span<std::byte> packet);

/// True if tiff:Orientation may stand in it in any form.
bool mentions_xmp_orientation(ByteSpan packet);

/// The GUID of the extended XMP that belongs to the packet, 32 characters; empty if it names none.
std::string_view xmp_extension_guid(ByteSpan packet);

/// Overwrites the name of the extended XMP with blanks.
void blank_xmp_extension(std::span<std::byte> packet);

}  // namespace gpuimg

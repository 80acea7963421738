// Reads and changes a few properties of an XMP packet by text search, without parsing XML. ISO 16684-1; prefixes are
// the ones that the standard recommends.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "codecs/byte_fields.hpp"

namespace gpuimg {

/// True if the data can be carried: UTF-8 without NUL that begins with markup, at most kMaxXmpBytes.
bool is_xmp(ByteSpan data);

/// Sets every tiff:Orientation to 1, in place, with the same length. Returns false if one of them cannot be set: a
/// value that is not 1 … 8, another prefix for its namespace, or nested markup. The packet must not be used then.
bool reset_xmp_orientation(std::span<std::byte> packet);

/// True if it may contain tiff:Orientation in any form.
bool mentions_xmp_orientation(ByteSpan packet);

/// The GUID of the packet's extended XMP, 32 characters; empty if it names none.
std::string_view xmp_extension_guid(ByteSpan packet);

/// Overwrites the reference to the extended XMP with spaces.
void blank_xmp_extension(std::span<std::byte> packet);

}  // namespace gpuimg

// IPTC-IIM data in its two envelopes: Photoshop image resources (in JPEG and PNG) and the raw profile text of PNG.
// IPTC-NAA Information Interchange Model 4.2; Adobe Photoshop File Formats, "Image Resource Blocks".
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// True if the data begins with a complete dataset and has at most kMaxIptcBytes.
bool is_iptc(ByteSpan data) noexcept;

/// The contents of a sequence of Photoshop image resources.
struct PhotoshopResources {
  ByteSpan iptc;            ///< of the first resource 0x0404; empty if there is none
  bool has_others = false;  ///< resources besides the IPTC data
  bool is_damaged = false;  ///< a resource extends past the end
};
PhotoshopResources photoshop_resources(ByteSpan bytes) noexcept;

/// The IPTC data as one Photoshop resource: 12 bytes, the data, and one more byte if its size is odd.
std::vector<std::byte> iptc_resource(ByteSpan iptc);

/// The text of a PNG's "Raw profile type iptc", as ImageMagick, exiftool and exiv2 write and read it: the resource in
/// hexadecimal.
std::vector<std::byte> iptc_text(ByteSpan iptc);

/// The IPTC data in such a text, bare or as a resource; empty if the text is damaged.
std::vector<std::byte> iptc_in_text(ByteSpan text);

}  // namespace gpuimg::codecs

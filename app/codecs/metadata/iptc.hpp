// IPTC-IIM data in its two envelopes: Photoshop image resources (in JPEG, PNG, TIFF and PSD) and the raw profile text
// of PNG. Also the other metadata in such resources. IPTC-NAA Information Interchange Model 4.2; Adobe Photoshop File
// Formats, "Image Resource Blocks".
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The maximum size of IPTC data that are read.
inline constexpr std::size_t kMaxIptcBytes = std::size_t{1} << 20;

/// True if the data begins with a complete dataset and has at most kMaxIptcBytes.
bool is_iptc(ByteSpan data) noexcept;

/// The IPTC data without the zeros, at most 3, after the last dataset.
ByteSpan iptc_without_padding(ByteSpan data) noexcept;

/// The contents of a sequence of Photoshop image resources: the first resource of each number; empty if there is none.
struct PhotoshopResources {
  ByteSpan iptc;            ///< 0x0404
  ByteSpan resolution;      ///< 0x03ED
  ByteSpan icc;             ///< 0x040F
  ByteSpan exif;            ///< 0x0422
  ByteSpan xmp;             ///< 0x0424
  std::size_t others = 0;   ///< resources besides these, and empty ones
  bool is_damaged = false;  ///< a resource extends past the end

  [[nodiscard]] bool has_more_than_iptc() const {
    return others > 0 || !resolution.empty() || !icc.empty() || !exif.empty() || !xmp.empty();
  }
};
PhotoshopResources photoshop_resources(ByteSpan bytes) noexcept;

/// The IPTC data as one Photoshop resource: 12 bytes, the data, and one more byte if its size is odd.
std::vector<std::byte> iptc_resource(ByteSpan iptc);

/// The text of a PNG's "Raw profile type iptc", as ImageMagick, exiftool and exiv2 write and read it: the resource in
/// hexadecimal.
std::vector<std::byte> iptc_text(ByteSpan iptc);

/// The bytes in such a text, whatever profile it has; empty if the text is damaged.
std::vector<std::byte> raw_profile_in(ByteSpan text);

/// The IPTC data in such a text, bare or as a resource; empty if the text is damaged.
std::vector<std::byte> iptc_in_text(ByteSpan text);

}  // namespace gpuimg::codecs

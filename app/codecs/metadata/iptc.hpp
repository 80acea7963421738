// Reads and writes IPTC-IIM data inside Photoshop image resources (in JPEG, PNG, TIFF and PSD) and inside the raw
// profile texts of PNG. Also reads other metadata in Photoshop resources. IPTC-NAA Information Interchange Model 4.2;
// Adobe Photoshop File Formats, "Image Resource Blocks".
#pragma once

#include <cstddef>
#include <vector>

#include "codecs/byte_fields.hpp"

namespace gpuimg::codecs {

/// The maximum size of IPTC data that gpuimg reads.
inline constexpr std::size_t kMaxIptcBytes = std::size_t{1} << 20;

/// True if the data begins with a complete dataset and has at most kMaxIptcBytes.
bool is_iptc(ByteSpan data) noexcept;

/// The IPTC data without the padding of at most 3 zeros after the last dataset.
ByteSpan iptc_without_padding(ByteSpan data) noexcept;

/// The contents of a sequence of Photoshop image resources. Each member holds the first resource with its number, and
/// is empty if there is none.
struct PhotoshopResources {
  ByteSpan iptc;            ///< 0x0404
  ByteSpan resolution;      ///< 0x03ED
  ByteSpan icc;             ///< 0x040F
  ByteSpan exif;            ///< 0x0422
  ByteSpan xmp;             ///< 0x0424
  std::size_t others = 0;   ///< number of resources that no member holds
  bool is_damaged = false;  ///< a resource extends past the end

  [[nodiscard]] bool has_more_than_iptc() const {
    return others > 0 || !resolution.empty() || !icc.empty() || !exif.empty() || !xmp.empty();
  }
};
PhotoshopResources photoshop_resources(ByteSpan bytes) noexcept;

/// Builds a Photoshop resource with the IPTC data: 12 bytes, the data, and a padding byte if the size is odd.
std::vector<std::byte> iptc_resource(ByteSpan iptc);

/// The text of a PNG's "Raw profile type iptc", in the format of ImageMagick, exiftool and exiv2: the Photoshop
/// resource in hexadecimal.
std::vector<std::byte> iptc_text(ByteSpan iptc);

/// The bytes in a raw profile text, for any kind of profile. Empty if the text is damaged.
std::vector<std::byte> raw_profile_in(ByteSpan text);

/// The IPTC data in a raw profile text, with or without a Photoshop resource around it. Empty if the text is damaged.
std::vector<std::byte> iptc_in_text(ByteSpan text);

}  // namespace gpuimg::codecs

// Metadata in JPEG segments: APP0 (JFIF density), APP1 (EXIF 2.3; XMP and extended XMP, Adobe XMP specification, part
// 3), APP2 (ICC.1:2022, annex B.4) and APP13 (IPTC data in Photoshop resources).
#pragma once

#include <string>
#include <vector>

#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs::jpeg {

/// Leaves out damaged metadata and adds a clause about it to `details`. Names other segments in `not_kept`.
Metadata read_jpeg_metadata(const JpegHeader& header, std::vector<std::string>& details);

struct JpegMetadataSegment {
  std::uint32_t marker = 0;  ///< APP1, APP2 or APP13
  std::vector<std::byte> content;
};

/// Segments for EXIF data, XMP, the profile in parts, and IPTC data; libjpeg writes the density into the JFIF header.
/// Each must be within the bounds below, the profile within kMaxIccBytes. An XMP extension needs
/// its GUID in the packet.
std::vector<JpegMetadataSegment> jpeg_metadata_segments(const Metadata& metadata);

inline constexpr std::size_t kMaxJpegExifBytes = 65527;
inline constexpr std::size_t kMaxJpegXmpBytes = 65502;  ///< the specification's limit, two less than fit
inline constexpr std::size_t kMaxJpegIptcBytes = 65506;

}  // namespace gpuimg::codecs::jpeg

// Metadata in the segments of JPEG: APP0 (JFIF density), APP1 (EXIF 2.3) and APP2 (ICC.1:2022, annex B.4).
#pragma once

#include <string>
#include <vector>

#include "files/jpeg_header.hpp"
#include "files/metadata.hpp"

namespace gpuimg {

/// What is damaged is left out, and `details` gets a clause that says so.
Metadata read_jpeg_metadata(const JpegHeader& header, std::vector<std::string>& details);

struct JpegSegment {
  int marker = 0;  ///< 0xE1 or 0xE2
  std::vector<std::byte> content;
};

/// EXIF data, then the profile in parts; the density stands in the JFIF header, which libjpeg writes. The EXIF data has
/// at most kMaxJpegExifBytes, the profile kMaxIccBytes.
std::vector<JpegSegment> jpeg_metadata_segments(const Metadata& metadata);

inline constexpr std::size_t kMaxJpegExifBytes = 65527;

}  // namespace gpuimg

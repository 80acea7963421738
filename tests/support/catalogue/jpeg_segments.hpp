// A JPEG file taken apart at its markers (ITU-T T.81, annex B), so that segments can be changed, dropped and moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct JpegPart {
  std::uint32_t marker = 0;  ///< second byte: 0xD8, 0xE0 …
  FileBytes payload;         ///< the bytes after the length
  FileBytes coded;           ///< only for a scan: the coded data after it, with restart markers
  int length_error = 0;      ///< added to the written length

  [[nodiscard]] bool has_length() const { return marker != 0xD8 && marker != 0xD9 && marker != 0x01; }
};

/// `file` must be valid. Drops the bytes after the end of the image.
std::vector<JpegPart> jpeg_parts(const FileBytes& file);

FileBytes assemble_jpeg(const std::vector<JpegPart>& parts);

/// The first part with this marker.
JpegPart& part_of(std::vector<JpegPart>& parts, std::uint32_t marker);

/// "sof0", "dht", "app14" …
std::string name_of_marker(std::uint32_t marker);

}  // namespace gpuimg::test

// Markers and lengths: jpeg_segments.hpp.
#include "support/catalogue/jpeg_segments.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpuimg::test {
namespace {

constexpr std::uint32_t kEndOfImage = 0xD9;
constexpr std::uint32_t kStartOfScan = 0xDA;

std::uint32_t byte_at(const FileBytes& file, std::size_t offset) {
  return std::to_integer<std::uint32_t>(file.at(offset));
}

/// Stuffed zeros and restart markers belong to the coded data.
std::size_t end_of_coded_data(const FileBytes& file, std::size_t offset) {
  for (;; ++offset) {
    const std::uint32_t next = byte_at(file, offset + 1);
    if (byte_at(file, offset) == 0xFF && next != 0 && (next < 0xD0 || next > 0xD7)) {
      return offset;
    }
  }
}

FileBytes copied(const FileBytes& file, std::size_t begin, std::size_t end) {
  return {file.begin() + static_cast<std::ptrdiff_t>(begin), file.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::vector<JpegPart> jpeg_parts(const FileBytes& file) {
  std::vector<JpegPart> parts;
  std::size_t offset = 0;
  do {
    JpegPart part;
    part.marker = byte_at(file, offset + 1);
    offset += 2;
    if (part.has_length()) {
      const std::size_t end = offset + (byte_at(file, offset) << 8) + byte_at(file, offset + 1);
      part.payload = copied(file, offset + 2, end);
      offset = end;
    }
    if (part.marker == kStartOfScan) {
      const std::size_t end = end_of_coded_data(file, offset);
      part.coded = copied(file, offset, end);
      offset = end;
    }
    parts.push_back(std::move(part));
  } while (parts.back().marker != kEndOfImage);
  return parts;
}

FileBytes assemble_jpeg(const std::vector<JpegPart>& parts) {
  FileBytes file;
  for (const JpegPart& part : parts) {
    add_be(file, 0xFF00 | part.marker, 2);
    if (part.has_length()) {
      add_be(file, part.payload.size() + 2 + static_cast<std::size_t>(part.length_error), 2);
    }
    add_bytes(file, part.payload);
    add_bytes(file, part.coded);
  }
  return file;
}

JpegPart& part_of(std::vector<JpegPart>& parts, std::uint32_t marker) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const JpegPart& part) { return part.marker == marker; });
  if (found == parts.end()) {
    throw std::logic_error("no segment " + name_of_marker(marker));
  }
  return *found;
}

std::string name_of_marker(std::uint32_t marker) {
  switch (marker) {
    case 0xC4: return "dht";
    case 0xD8: return "soi";
    case 0xD9: return "eoi";
    case 0xDA: return "sos";
    case 0xDB: return "dqt";
    case 0xDD: return "dri";
    default: break;
  }
  return marker >= 0xE0 ? "app" + std::to_string(marker - 0xE0) : "sof" + std::to_string(marker - 0xC0);
}

}  // namespace gpuimg::test

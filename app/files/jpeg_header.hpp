// What a JPEG file declares before its first scan, read before libjpeg-turbo sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gpuimg {

struct JpegHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t components = 0;
  std::span<const std::byte> exif;  ///< begins with the byte order mark; empty if there is none
};

/// Throws Error{decode} for a file that is damaged before its first scan, Error{unsupported} for a process that is not
/// read, by its name: lossless, hierarchical, 12 bit. `name` is printable.
JpegHeader read_jpeg_header(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg

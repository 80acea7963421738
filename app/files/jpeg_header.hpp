// What a JPEG file declares before its first scan, read before libjpeg-turbo sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpuimg {

struct JpegHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t components = 0;
  bool is_progressive = false;
  bool keeps_coefficients = false;  ///< its components come one after another, so that all wait for the last scan
  std::span<const std::byte> jfif;  ///< from the version on; empty if there is none
  std::span<const std::byte> exif;  ///< from the byte order mark on; empty if there is none
  /// Parts of an ICC profile in file order, each from its number on: 2 bytes or more. More than 255 make no profile;
  /// 256 are kept then.
  std::vector<std::span<const std::byte>> icc_parts;
};

/// Throws Error{decode} for a file that is damaged before its first scan, Error{unsupported} for a process that is not
/// read, by its name: lossless, hierarchical, 12 bit. `name` is printable.
JpegHeader read_jpeg_header(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg

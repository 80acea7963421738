// Writes all kinds of PNG with stored deflate blocks; the files are valid, or broken on purpose. PNG specification,
// third edition.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct PngKind {
  int color_type = 0;
  int bit_depth = 8;

  [[nodiscard]] int channels() const { return color_type == 2 ? 3 : color_type == 6 ? 4 : color_type == 4 ? 2 : 1; }
  [[nodiscard]] int bits() const { return channels() * bit_depth; }
};

/// The 15 combinations that the specification allows.
const std::vector<PngKind>& png_kinds();

struct PngPicture {
  PngKind kind;
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  bool interlaced = false;
  int filter = 0;                      ///< 0 … 4; 5 uses another filter for each row
  std::vector<std::uint32_t> samples;  ///< width × height × channels: values or palette indices
  FileBytes palette;                   ///< PLTE
  FileBytes transparency;              ///< tRNS, if not empty
};

struct PngChunk {
  std::string name;
  FileBytes data;
  std::uint32_t crc_error = 0;  ///< XORed with the CRC
};

std::uint32_t png_crc(const std::string& name, const FileBytes& data);

/// A zlib stream: header, stored blocks, Adler-32.
FileBytes zlib_stored(const FileBytes& raw);

/// Filtered rows with their filter bytes; if interlaced, the rows of all passes.
FileBytes png_raw(const PngPicture& picture);

/// IHDR, optionally PLTE and tRNS, one IDAT, IEND.
std::vector<PngChunk> png_chunks(const PngPicture& picture);

FileBytes assemble_png(const std::vector<PngChunk>& chunks);

inline FileBytes make_png(const PngPicture& picture) { return assemble_png(png_chunks(picture)); }

}  // namespace gpuimg::test

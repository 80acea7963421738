// Reads the chunks of a PNG in memory, except the pixels: the header, texts, and metadata in cICP, iCCP, sRGB, gAMA,
// cHRM, pHYs, eXIf and text chunks. PNG specification, third edition, sections 5, 11.2 and 11.3; for XMP: Adobe XMP
// specification, part 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/metadata.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::png {

/// A chunk type as the big-endian number that the file stores, for example png_chunk_type("IDAT").
constexpr std::uint32_t png_chunk_type(const char (&letters)[5]) {
  std::uint32_t type = 0;
  for (int i = 0; i < 4; ++i) {
    type = type << 8 | static_cast<unsigned char>(letters[i]);
  }
  return type;
}

/// The type of the chunks of image data.
inline constexpr std::uint32_t kIdat = png_chunk_type("IDAT");

/// Refers to the file's bytes.
struct PngChunkView {
  ByteSpan whole;  ///< length, type, payload and CRC: at least 12 bytes

  [[nodiscard]] std::uint32_t type() const { return u32be_at(whole, 4); }
  [[nodiscard]] ByteSpan payload() const { return whole.subspan(8, whole.size() - 12); }
  [[nodiscard]] bool is_critical() const { return (u8_at(whole, 4) & 0x20U) == 0; }

  /// Computes the checksum of the whole chunk and compares it.
  [[nodiscard]] bool crc_is_right() const;

  /// Throws Error{decode}, naming the chunk, unless crc_is_right(). `name` is the file's printable name.
  void check_crc(std::string_view name) const;
};

/// Iterates over the chunks through IEND. Checks only that each chunk lies inside the file.
class PngChunkWalker {
 public:
  /// `bytes` starts with the PNG signature. Both arguments must outlive the walker.
  PngChunkWalker(ByteSpan bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// Returns nullopt after IEND. Throws Error{decode} if the file ends before IEND.
  std::optional<PngChunkView> next();

  /// The type of the next chunk. The rest of this chunk may be cut off. Throws as next() does.
  [[nodiscard]] std::uint32_t next_type() const;

  /// Offset of the next chunk; after IEND, the end of the image.
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  ByteSpan bytes_;
  const std::string& name_;
  std::size_t offset_ = 8;  // after the signature
  bool ended_ = false;
};

/// For tEXt, zTXt and iTXt.
bool is_png_text(std::uint32_t chunk_type);

/// The bytes before the first NUL; empty if there is no NUL. The result refers to the chunk.
std::string_view png_keyword(ByteSpan payload);

/// The text, inflated if it is compressed; nullopt if it is damaged or longer than `max_size` bytes.
std::optional<std::vector<std::byte>> png_text(std::uint32_t chunk_type, ByteSpan payload, std::size_t max_size);

struct PngHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t bit_depth = 0;
  std::uint32_t color_type = 0;
  std::uint32_t interlace = 0;

  /// See DeclaredImage::scaled_from. Not 0 for gray of 2 and 4 bits.
  [[nodiscard]] std::uint32_t scaled_from() const {
    return color_type == 0 && (bit_depth == 2 || bit_depth == 4) ? (1U << bit_depth) - 1 : 0;
  }
};

/// Reads IHDR before libpng sees the file, so that a decompression bomb is rejected without cost. Does not check the
/// values. Rejects a file that does not start with IHDR.
PngHeader read_png_header(ByteSpan bytes, const std::string& name);

/// Codec::file_metadata of PNG. Also reads the chunks after the image data, up to the end of the file. Uses the first
/// chunk of each type, and the first text of each keyword. Leaves out a chunk and adds a clause to `details` in three
/// cases: the chunk is damaged; it follows the image data and is neither eXIf nor a text; or it is sRGB in a file with
/// an ICC profile. Uses a raw profile unless a dedicated chunk holds the same kind of data. Lists other ancillary
/// chunks in `not_kept`, at most 16 types.
Metadata read_png_metadata(const RandomAccess& file, const std::string& name, std::vector<std::string>& details);

/// Returns the type and data of each chunk. The order is valid after IHDR. Converts a density to PNG's units.
std::vector<std::vector<std::byte>> png_metadata_chunks(const Metadata& metadata);

}  // namespace gpuimg::codecs::png

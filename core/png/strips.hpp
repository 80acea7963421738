// How an image is divided for PNG encoding: strips of whole rows, each divided into deflate blocks, each divided into
// parts. Also where the blocks of a strip lie in its IDAT chunk, and which pixels a device encodes. The division
// depends only on the size of the image. PNG specification, section 11.2.3; RFC 1951, section 3.2.4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "host_device.hpp"
#include "png/deflate.hpp"
#include "png/matches.hpp"

namespace gpuimg::png {

/// A strip has about two blocks of filtered bytes. The strip and its deflated bytes together fit in a core's own cache.
constexpr std::uint32_t kStripBytes = 2 * kBlockBytes;

GPUIMG_HD constexpr std::uint32_t rows_per_strip(std::uint64_t row_bytes, std::uint32_t height) {
  const std::uint64_t rows = kStripBytes / (row_bytes + 1);
  return rows < 1 ? 1 : rows > height ? height : static_cast<std::uint32_t>(rows);
}

/// A part of a block: up to 32 KiB of filtered bytes. Positions count from the beginning of the strip.
struct PartPlace {
  std::uint32_t strip;
  std::uint32_t block;  ///< number among all blocks of the image
  std::uint32_t begin;
  std::uint32_t end;  ///< equals `begin` if the strip is too short for this part
  std::uint32_t block_begin;
  std::uint32_t block_end;
};

/// Filtered strips are stored one after another in memory, each at a multiple of kStripAlignment.
struct StripLayout {
  static constexpr std::uint32_t kStripAlignment = 128;

  std::uint64_t row_bytes = 0;  ///< without the filter byte
  std::uint32_t height = 1;
  std::uint32_t rows = 1;  ///< per strip
  std::uint32_t strips = 1;
  std::uint32_t blocks_per_strip = 1;
  std::uint32_t parts_per_strip = 1;

  StripLayout() = default;
  GPUIMG_HD StripLayout(std::uint64_t bytes_per_row, std::uint32_t row_count)
      : row_bytes(bytes_per_row),
        height(row_count),
        rows(rows_per_strip(bytes_per_row, row_count)),
        strips((row_count - 1) / rows + 1),
        blocks_per_strip(static_cast<std::uint32_t>((strip_bytes(0) - 1) / kBlockBytes + 1)) {
    const std::uint32_t last_block = strip_bytes(0) - (blocks_per_strip - 1) * kBlockBytes;
    parts_per_strip = (blocks_per_strip - 1) * kPartsPerBlock + (last_block - 1) / kPartBytes + 1;
  }

  [[nodiscard]] GPUIMG_HD std::uint32_t strip_rows(std::uint32_t strip) const {
    const std::uint32_t left = height - strip * rows;
    return left < rows ? left : rows;
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t strip_bytes(std::uint32_t strip) const {
    return static_cast<std::uint32_t>(strip_rows(strip) * (row_bytes + 1));
  }
  [[nodiscard]] GPUIMG_HD std::uint64_t strip_stride() const {
    return (strip_bytes(0) + std::uint64_t{kStripAlignment} - 1) / kStripAlignment * kStripAlignment;
  }
  [[nodiscard]] GPUIMG_HD std::uint64_t memory_bytes() const { return strips * strip_stride(); }
  [[nodiscard]] GPUIMG_HD std::uint64_t filtered_bytes() const { return height * (row_bytes + 1); }
  [[nodiscard]] GPUIMG_HD std::uint32_t block_count() const { return strips * blocks_per_strip; }
  [[nodiscard]] GPUIMG_HD std::uint32_t part_count() const { return strips * parts_per_strip; }

  /// Where the filtered bytes of a row begin in memory.
  [[nodiscard]] GPUIMG_HD std::uint64_t row_begin(std::uint32_t row) const {
    const std::uint32_t strip = row / rows;
    return strip * strip_stride() + (row - strip * rows) * (row_bytes + 1);
  }

  [[nodiscard]] GPUIMG_HD PartPlace part(std::uint32_t number) const {
    const std::uint32_t strip = number / parts_per_strip;
    const std::uint32_t within = number % parts_per_strip;
    const std::uint32_t block = within / kPartsPerBlock;
    const std::uint32_t bytes = strip_bytes(strip);
    PartPlace place{strip, strip * blocks_per_strip + block, 0, 0, 0, 0};
    place.block_begin = smaller(block * kBlockBytes, bytes);
    place.block_end = smaller(place.block_begin + kBlockBytes, bytes);
    place.begin = smaller(place.block_begin + within % kPartsPerBlock * kPartBytes, place.block_end);
    place.end = smaller(place.begin + kPartBytes, place.block_end);
    return place;
  }

  /// Number of parts of a block; `block` is its number in its strip.
  [[nodiscard]] GPUIMG_HD std::uint32_t parts_of_block(std::uint32_t block) const {
    return smaller(parts_per_strip - block * kPartsPerBlock, kPartsPerBlock);
  }

 private:
  GPUIMG_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

/// Upper bound on the size of all chunks: a block is stored if encoding does not make it smaller, and each strip has
/// its own chunk, which ends with an empty block.
inline std::uint64_t most_chunk_bytes(const StripLayout& layout) {
  constexpr std::uint64_t kPerBlock = 5 * 6;
  constexpr std::uint64_t kPerStrip = 32;
  return layout.filtered_bytes() + layout.block_count() * kPerBlock + layout.strips * kPerStrip;
}

// --- Chunks ----------------------------------------------------------------------------------------------------------

/// A block's type, its codes, and the bits before its symbols: three header bits, then the header of a dynamic block.
struct BlockCodes {
  /// Enough for 316 lengths of 7 bits each, 7 extra bits for every third length, and 74 bits before the lengths.
  static constexpr std::uint32_t kHeaderWords = 128;

  BlockType type;
  std::uint32_t header_bits;
  std::uint32_t bits;  ///< of header and symbols; 0 if stored
  std::uint32_t header[kHeaderWords];
  SymbolCode literals[kLiteralSymbols];
  SymbolCode distances[kDistanceSymbols];
};

constexpr std::uint32_t kChunkHeadBytes = 8;    ///< length and type
constexpr std::uint32_t kChunkTailBytes = 4;    ///< CRC
constexpr std::uint32_t kZlibHeaderBytes = 2;   ///< in the first chunk
constexpr std::uint32_t kZlibTrailerBytes = 4;  ///< Adler-32, in the last chunk
constexpr std::uint32_t kStoredLengthBytes = 4;

/// Offset of the first data byte of a stored block that begins at `bit`.
GPUIMG_HD constexpr std::uint64_t stored_data_byte(std::uint64_t bit) {
  return (bit + kBlockHeaderBits + 7) / 8 + kStoredLengthBytes;
}

/// Where byte `i` of a stored block's data lies. After every kMaxStoredBytes, another header follows.
GPUIMG_HD constexpr std::uint64_t stored_byte_place(std::uint64_t bit, std::uint32_t i) {
  return stored_data_byte(bit) + i + i / kMaxStoredBytes * (1 + kStoredLengthBytes);
}

/// The bit after a block with `bytes` > 0 bytes of data.
GPUIMG_HD constexpr std::uint64_t block_end_bit(std::uint64_t bit, BlockType type, std::uint32_t bits,
                                                std::uint32_t bytes) {
  return type == BlockType::stored ? 8 * (stored_byte_place(bit, bytes - 1) + 1) : bit + bits;
}

/// The chunk of a strip, in bytes from the beginning of the first chunk.
struct ChunkPlace {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The end of a chunk's data. After its blocks comes an empty stored block, which fills the last byte, or, in the last
/// chunk of the stream, the Adler-32 checksum.
GPUIMG_HD constexpr std::uint64_t chunk_data_end(std::uint64_t end_bit, bool is_last) {
  return is_last ? (end_bit + 7) / 8 + kZlibTrailerBytes : stored_data_byte(end_bit);
}

/// Walks through the blocks of a strip from bit `first` on. Calls at_block(number, bit) for each, and returns the bit
/// after the last.
template <class AtBlock>
GPUIMG_HD inline std::uint64_t walk_blocks(const StripLayout& layout, const BlockCodes* blocks, std::uint32_t strip,
                                           std::uint64_t first, AtBlock&& at_block) {
  std::uint64_t bit = first;
  const std::uint32_t bytes = layout.strip_bytes(strip);
  for (std::uint32_t i = 0; i * kBlockBytes < bytes; ++i) {
    const std::uint32_t number = strip * layout.blocks_per_strip + i;
    const std::uint32_t left = bytes - i * kBlockBytes;
    at_block(number, bit);
    bit = block_end_bit(bit, blocks[number].type, blocks[number].bits, left < kBlockBytes ? left : kBlockBytes);
  }
  return bit;
}

GPUIMG_HD constexpr std::uint32_t chunk_data_begin(std::uint32_t strip) {
  return kChunkHeadBytes + (strip == 0 ? kZlibHeaderBytes : 0);
}

/// Calls put(byte, value) for each byte of a chunk before its blocks. The length field counts only the data.
template <class Put>
GPUIMG_HD inline void write_chunk_head(const ChunkPlace& chunk, std::uint32_t strip, Put&& put) {
  const auto length = static_cast<std::uint32_t>(chunk.end - chunk.begin - kChunkHeadBytes - kChunkTailBytes);
  const std::uint8_t head[kChunkHeadBytes + kZlibHeaderBytes] = {static_cast<std::uint8_t>(length >> 24),
                                                                 static_cast<std::uint8_t>(length >> 16),
                                                                 static_cast<std::uint8_t>(length >> 8),
                                                                 static_cast<std::uint8_t>(length),
                                                                 'I',
                                                                 'D',
                                                                 'A',
                                                                 'T',
                                                                 0x78,
                                                                 0x01};
  for (std::uint32_t i = 0; i < chunk_data_begin(strip); ++i) {
    put(chunk.begin + i, head[i]);
  }
}

/// Calls put(byte, value) for each byte of a four-byte number that begins at `byte`, high byte first.
template <class Put>
GPUIMG_HD inline void write_big_endian(std::uint64_t byte, std::uint32_t number, Put&& put) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    put(byte + i, static_cast<std::uint8_t>(number >> (24 - 8 * i)));
  }
}

/// Calls put(byte, value) for each byte of a stored block's length and of its complement, low byte first.
template <class Put>
GPUIMG_HD inline void write_stored_length(std::uint64_t byte, std::uint32_t length, Put&& put) {
  const std::uint32_t both = length | (~length & 0xFFFFU) << 16;
  for (std::uint32_t i = 0; i < kStoredLengthBytes; ++i) {
    put(byte + i, static_cast<std::uint8_t>(both >> (8 * i)));
  }
}

// --- Limits of a device encoder --------------------------------------------------------------------------------------

/// Levels 2 (which remembers every position) and 3 (which tries all filters) are encoded only on the host.
inline bool can_encode(PixelFormat pixels, const PngDataFormat& format) {
  const bool is_packable = !format.one_bit || pixels == PixelFormat{Sample::u8, 1};
  return pixels.is_photographic() && is_packable && (format.level == 0 || format.level == 1);
}

/// Device memory that encoding needs in addition to the picture itself: filtered rows, half as much for matches, the
/// chunks, and notes about each part (5 %).
constexpr std::size_t encoding_bytes(std::size_t picture_bytes) {
  constexpr std::size_t kNotes = std::size_t{8} << 10;
  return picture_bytes * 51 / 20 + picture_bytes / 20 + kNotes;
}

inline StripLayout layout_of(int width, int height, PixelFormat format) {
  return {static_cast<std::uint64_t>(width) * format.bytes_per_pixel(), static_cast<std::uint32_t>(height)};
}

}  // namespace gpuimg::png

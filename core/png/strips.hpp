// How an image is divided for a PNG: strips of whole rows, in them deflate blocks, in them parts; where the blocks of
// each strip come to lie in its IDAT chunk; and which pixels a device encodes. The division depends only on the size of
// the image. PNG specification, section 11.2.3; RFC 1951, section 3.2.4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "host_device.hpp"
#include "png/deflate.hpp"
#include "png/matches.hpp"

namespace gpuimg::png {

/// Strips are about as long as two blocks after filtering: with its deflated form, one fits a core's own cache.
constexpr std::uint32_t kStripBytes = 2 * kBlockBytes;

GPUIMG_HD constexpr std::uint32_t rows_per_strip(std::uint64_t row_bytes, std::uint32_t height) {
  const std::uint64_t rows = kStripBytes / (row_bytes + 1);
  return rows < 1 ? 1 : rows > height ? height : static_cast<std::uint32_t>(rows);
}

/// A part of a block: 32 KB of a strip's filtered bytes. Positions count from the beginning of the strip.
struct PartPlace {
  std::uint32_t strip;
  std::uint32_t block;  ///< of all blocks
  std::uint32_t begin;
  std::uint32_t end;  ///< begin, if the strip is too short to have the part
  std::uint32_t block_begin;
  std::uint32_t block_end;
};

/// Filtered strips lie in memory one after another, each from a multiple of kStripAlignment on.
struct StripLayout {
  static constexpr std::uint32_t kStripAlignment = 128;

  std::uint64_t row_bytes = 0;  ///< without the filter byte
  std::uint32_t height = 1;
  std::uint32_t rows = 1;  ///< of a strip
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

  /// Where a row's filtered bytes begin in memory.
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

  /// The parts of block number `block` of its strip.
  [[nodiscard]] GPUIMG_HD std::uint32_t parts_of_block(std::uint32_t block) const {
    return smaller(parts_per_strip - block * kPartsPerBlock, kPartsPerBlock);
  }

 private:
  GPUIMG_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

/// The largest size of all chunks: a block is stored if it does not become smaller, and each strip has a chunk with an
/// empty block at its end.
inline std::uint64_t most_chunk_bytes(const StripLayout& layout) {
  constexpr std::uint64_t kPerBlock = 5 * 6;
  constexpr std::uint64_t kPerStrip = 32;
  return layout.filtered_bytes() + layout.block_count() * kPerBlock + layout.strips * kPerStrip;
}

// --- Chunks ----------------------------------------------------------------------------------------------------------

/// A block's form, its codes, and the bits before its symbols: three, then what a dynamic block states.
struct BlockCodes {
  static constexpr std::uint32_t kHeaderWords = 128;  ///< 316 lengths of 7 bits, each third with 7 bits more, and 74

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

/// The first byte of stored bytes whose block begins at `bit`.
GPUIMG_HD constexpr std::uint64_t stored_data_byte(std::uint64_t bit) {
  return (bit + kBlockHeaderBits + 7) / 8 + kStoredLengthBytes;
}

/// Where stored byte `i` of a block comes to lie: every kMaxStoredBytes there is another header.
GPUIMG_HD constexpr std::uint64_t stored_byte_place(std::uint64_t bit, std::uint32_t i) {
  return stored_data_byte(bit) + i + i / kMaxStoredBytes * (1 + kStoredLengthBytes);
}

/// The bit after a block of `bytes` bytes, which is not empty.
GPUIMG_HD constexpr std::uint64_t block_end_bit(std::uint64_t bit, BlockType type, std::uint32_t bits,
                                                std::uint32_t bytes) {
  return type == BlockType::stored ? 8 * (stored_byte_place(bit, bytes - 1) + 1) : bit + bits;
}

/// A strip's chunk. Bytes count from the beginning of the first chunk.
struct ChunkPlace {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What follows a strip's blocks: an empty stored block that fills the last byte, or at the end of the stream the
/// Adler-32. Returns the end of the chunk's data.
GPUIMG_HD constexpr std::uint64_t chunk_data_end(std::uint64_t end_bit, bool is_last) {
  return is_last ? (end_bit + 7) / 8 + kZlibTrailerBytes : stored_data_byte(end_bit);
}

/// Walks the blocks of a strip from bit `first` on. Calls at_block(number, bit) for each; returns the bit after them.
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

/// Calls put(byte, value) for the bytes of a chunk before its blocks. The length counts the data alone.
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

/// The same for a number of four bytes that begins at `byte`.
template <class Put>
GPUIMG_HD inline void write_big_endian(std::uint64_t byte, std::uint32_t number, Put&& put) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    put(byte + i, static_cast<std::uint8_t>(number >> (24 - 8 * i)));
  }
}

/// The same for a stored block's length and its complement, lowest byte first.
template <class Put>
GPUIMG_HD inline void write_stored_length(std::uint64_t byte, std::uint32_t length, Put&& put) {
  const std::uint32_t both = length | (~length & 0xFFFFU) << 16;
  for (std::uint32_t i = 0; i < kStoredLengthBytes; ++i) {
    put(byte + i, static_cast<std::uint8_t>(both >> (8 * i)));
  }
}

// --- Limits of a device ----------------------------------------------------------------------------------------------

/// Level 2 remembers every position, and level 3 tries all filters: these are for the host.
inline bool can_encode(PixelFormat pixels, const PngDataFormat& format) {
  const bool is_packable = !format.one_bit || pixels == PixelFormat{Sample::u8, 1};
  return pixels.is_photographic() && is_packable && (format.level == 0 || format.level == 1);
}

/// What a device takes to encode a picture of that size, beside the picture: filtered rows, half as much for matches,
/// the chunks, and notes about each part, 5 % of it.
constexpr std::size_t encoding_bytes(std::size_t picture_bytes) {
  constexpr std::size_t kNotes = std::size_t{8} << 10;
  return picture_bytes * 51 / 20 + picture_bytes / 20 + kNotes;
}

inline StripLayout layout_of(int width, int height, PixelFormat format) {
  return {static_cast<std::uint64_t>(width) * format.bytes_per_pixel(), static_cast<std::uint32_t>(height)};
}

}  // namespace gpuimg::png

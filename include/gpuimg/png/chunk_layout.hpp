// Where the blocks of each strip come to lie in its IDAT chunk. PNG specification, section 11.2.3; RFC 1951,
// section 3.2.4.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/png/deflate_block.hpp"
#include "gpuimg/png/strip_layout.hpp"
#include "gpuimg/png/symbols.hpp"

namespace gpuimg::png {

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

}  // namespace gpuimg::png

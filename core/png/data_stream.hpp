// The zlib stream of a PNG that a device decodes: which files, how their IDAT chunks are joined and checked in pieces,
// and how much memory that takes. PNG specification, sections 5.3, 10 and 11.2.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/encoded_image.hpp"
#include "host_device.hpp"
#include "png/checksums.hpp"
#include "png/row_filter.hpp"
#include "png/symbols.hpp"
#include "png/windows.hpp"

namespace gpuimg::png {

constexpr std::uint32_t kZlibHeadBytes = 2;
constexpr std::uint32_t kDataChecksumBytes = 4;
constexpr std::uint32_t kChunkCrcBytes = 4;

/// Bits are counted in 32 bits, and so are bytes of the output.
constexpr std::uint64_t kMaxStreamBytes = (std::uint64_t{1} << 29) - 4096;
constexpr std::uint64_t kMaxRawBytes = std::uint64_t{1} << 30;

/// Sizes of a file's stream and of what it makes.
struct DataSizes {
  std::uint32_t row_bytes = 0;  ///< without the filter byte
  std::uint32_t raw_bytes = 0;  ///< rows with their filter bytes
  std::uint32_t stream_bytes = 0;
  std::uint32_t tiles = 0;
  std::uint32_t supertiles = 0;
  std::uint32_t pitch = 0;  ///< of UnfilteredRows

  /// Bit at which the checksum of the data begins.
  [[nodiscard]] GPUIMG_HD std::uint32_t end_bit() const { return 8 * (stream_bytes - kDataChecksumBytes); }
};

/// False for files beyond the limits above. Of other files, fills `sizes`.
inline bool measure(const EncodedPng& png, const DecodeShape& shape, DataSizes& sizes) {
  const std::uint64_t row = static_cast<std::uint64_t>(png.width) * png.format.bytes_per_pixel();
  const std::uint64_t raw = (row + 1) * static_cast<std::uint64_t>(png.height);
  std::uint64_t stream = 0;
  for (const EncodedPng::Chunk& chunk : png.chunks) {
    stream += chunk.size;
  }
  if (row == 0 || row > kMaxRawBytes || raw > kMaxRawBytes || stream < kZlibHeadBytes + 1 + kDataChecksumBytes ||
      stream > kMaxStreamBytes || png.bytes.size() > kMaxStreamBytes * 2) {
    return false;
  }
  const auto parts = [](std::uint64_t all, std::uint64_t part) {
    return static_cast<std::uint32_t>((all + part - 1) / part);
  };
  sizes.row_bytes = static_cast<std::uint32_t>(row);
  sizes.raw_bytes = static_cast<std::uint32_t>(raw);
  sizes.stream_bytes = static_cast<std::uint32_t>(stream);
  sizes.tiles = parts(raw, shape.tile_symbols);
  sizes.supertiles = parts(sizes.tiles, shape.tiles_per_supertile);
  sizes.pitch = UnfilteredRows::pitch_of(sizes.row_bytes);
  return true;
}

/// What a device takes to decode, beside the picture: symbols, bytes, rows that hand on words, the file, the stream,
/// and lists. An upper bound.
inline std::size_t decoding_bytes(const EncodedPng& png, const DecodeShape& shape = {}) {
  DataSizes sizes;
  if (!measure(png, shape, sizes)) {
    return 0;
  }
  constexpr std::size_t kFixed = std::size_t{2} << 20;
  const ListSizes lists = list_sizes(sizes.stream_bytes, shape);
  const std::size_t rows = std::size_t{sizes.pitch} * static_cast<std::size_t>(png.height);
  const std::size_t symbols = 2 * std::size_t{sizes.raw_bytes};
  return (rows > symbols ? rows : symbols) + sizes.raw_bytes + rows / 16 + png.bytes.size() + sizes.stream_bytes +
         lists.candidates * sizeof(std::uint32_t) + lists.blocks * (sizeof(Block) + kBlockLengths) +
         lists.windows * (sizeof(Window) + sizeof(Repair) + shape.lanes * sizeof(LaneStart)) +
         lists.stored_runs * sizeof(StoredRun) + std::size_t{sizes.supertiles} * kMaxMatchDistance +
         png.chunks.size() * 64 + kFixed;
}

// --- Chunks ----------------------------------------------------------------------------------------------------------

/// A part of a chunk's data, copied and checked by one group of threads.
struct DataPiece {
  static constexpr std::uint32_t kLanes = 128;
  static constexpr std::uint32_t kLaneBytes = 256;
  static constexpr std::uint32_t kBytes = kLanes * kLaneBytes;

  std::uint32_t from;  ///< in the file's bytes
  std::uint32_t to;    ///< in the stream
  std::uint32_t size;  ///< at most kBytes
  std::uint32_t chunk;
  std::uint32_t after;  ///< bytes of the chunk behind the piece
};

inline std::vector<DataPiece> data_pieces(const EncodedPng& png) {
  std::vector<DataPiece> pieces;
  std::uint32_t to = 0;
  for (std::uint32_t i = 0; i < png.chunks.size(); ++i) {
    const EncodedPng::Chunk& chunk = png.chunks[i];
    for (std::uint32_t done = 0; done < chunk.size;) {
      const std::uint32_t left = chunk.size - done;
      const std::uint32_t size = left < DataPiece::kBytes ? left : DataPiece::kBytes;
      pieces.push_back({chunk.begin + done, to, size, i, left - size});
      to += size;
      done += size;
    }
  }
  return pieces;
}

/// A piece in words, as its lanes read it: it ends where the last word ends, and before its first byte there are zeros,
/// which leave an empty CRC register as it is.
struct PieceWords {
  static constexpr std::uint32_t kCount = DataPiece::kBytes / 4;
  static constexpr std::uint32_t kLaneWords = DataPiece::kLaneBytes / 4;

  std::uint32_t lead;  ///< bytes before the first

  explicit GPUIMG_HD PieceWords(const DataPiece& piece) : lead(DataPiece::kBytes - piece.size) {}

  /// The first word that is not zero alone.
  [[nodiscard]] GPUIMG_HD std::uint32_t first() const { return lead / 4; }
  /// Word `i`, not before the first, of a piece that begins at byte `from` of a file; word_at(k) gives the four bytes
  /// from byte k on, `from` − 3 at least.
  template <class WordAt>
  [[nodiscard]] GPUIMG_HD std::uint32_t word(std::uint32_t from, std::uint32_t i, WordAt&& word_at) const {
    const std::uint32_t missing = 4 * i < lead ? lead - 4 * i : 0;  // at most 3
    return word_at(from + 4 * i - lead) & ~0U << 8 * missing;
  }
};

/// The CRC register of the bytes of a lane, moved to the end of the piece. word(i) gives word `i` of the piece.
template <class Word>
GPUIMG_HD inline std::uint32_t lane_crc(const PieceWords& piece, std::uint32_t lane, const CrcTables& tables,
                                        const CrcPowers& powers, Word&& word) {
  const std::uint32_t end = (lane + 1) * PieceWords::kLaneWords;
  std::uint32_t state = 0;
  for (std::uint32_t i = lane * PieceWords::kLaneWords > piece.first() ? lane * PieceWords::kLaneWords : piece.first();
       i < end; ++i) {
    state = tables.add(state, word(i));
  }
  return state == 0 ? 0 : crc_after_zeros(state, DataPiece::kBytes - 4 * end, powers);
}

/// Whether the sum of all lanes' registers of a chunk, each moved to its end, gives the CRC that follows its data.
GPUIMG_HD inline bool is_chunk_crc(std::uint32_t data_register, std::uint32_t size, std::uint32_t stated,
                                   const CrcTables& tables, const CrcPowers& powers) {
  std::uint32_t type = kCrcStart;
  constexpr std::uint8_t kLetters[4] = {'I', 'D', 'A', 'T'};
  for (const std::uint8_t letter : kLetters) {
    type = tables.add_byte(type, letter);
  }
  return (crc_after_zeros(type, size, powers) ^ data_register ^ kCrcStart) == stated;
}

/// The number of four bytes from `at` on, the highest first.
GPUIMG_HD inline std::uint32_t big_endian_at(const std::uint8_t* bytes, std::uint64_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         std::uint32_t{bytes[at + 3]};
}

}  // namespace gpuimg::png

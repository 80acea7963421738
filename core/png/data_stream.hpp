// The zlib stream of a PNG that a device decodes: which files are accepted, how pieces of IDAT chunks are joined and
// checked, and how much memory decoding needs. PNG specification, sections 5.3, 10 and 11.2.3.
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

/// Bit positions of the stream and byte positions of the output must fit in 32 bits.
constexpr std::uint64_t kMaxStreamBytes = (std::uint64_t{1} << 29) - 4096;
constexpr std::uint64_t kMaxRawBytes = std::uint64_t{1} << 30;

/// Sizes of a file's compressed stream and of its output.
struct DataSizes {
  std::uint32_t row_bytes = 0;  ///< without the filter byte
  std::uint32_t raw_bytes = 0;  ///< all rows, with their filter bytes
  std::uint32_t stream_bytes = 0;
  std::uint32_t tiles = 0;
  std::uint32_t supertiles = 0;
  std::uint32_t pitch = 0;  ///< of UnfilteredRows

  /// The bit at which the Adler-32 checksum of the data begins.
  [[nodiscard]] GPUIMG_HD std::uint32_t end_bit() const { return 8 * (stream_bytes - kDataChecksumBytes); }
};

/// Returns false for files beyond the limits above. Otherwise fills `sizes`.
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

/// Upper bound on the device memory that decoding needs in addition to the picture: symbols, bytes, the rows that each
/// warp hands to the next one while unfiltering, the file, the stream and lists.
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

/// A part of a chunk's data that one group of threads copies and checks.
struct DataPiece {
  static constexpr std::uint32_t kLanes = 128;
  static constexpr std::uint32_t kLaneBytes = 256;
  static constexpr std::uint32_t kBytes = kLanes * kLaneBytes;

  std::uint32_t from;  ///< offset in the bytes of the file
  std::uint32_t to;    ///< offset in the stream
  std::uint32_t size;  ///< at most kBytes
  std::uint32_t chunk;
  std::uint32_t after;  ///< bytes of the chunk after this piece
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

/// The words of a piece, as its lanes read them. The last byte of the piece is the last byte of the last word. Zeros
/// precede the first byte of the piece; they do not change a CRC register of 0.
struct PieceWords {
  static constexpr std::uint32_t kCount = DataPiece::kBytes / 4;
  static constexpr std::uint32_t kLaneWords = DataPiece::kLaneBytes / 4;

  std::uint32_t lead;  ///< zero bytes before the first byte

  explicit GPUIMG_HD PieceWords(const DataPiece& piece) : lead(DataPiece::kBytes - piece.size) {}

  /// The first word that contains bytes of the piece.
  [[nodiscard]] GPUIMG_HD std::uint32_t first() const { return lead / 4; }
  /// Word `i` of a piece that begins at byte `from` of a file; `i` must not be below first(). word_at(k) must return
  /// the four bytes from byte k on, for k ≥ `from` − 3.
  template <class WordAt>
  [[nodiscard]] GPUIMG_HD std::uint32_t word(std::uint32_t from, std::uint32_t i, WordAt&& word_at) const {
    const std::uint32_t missing = 4 * i < lead ? lead - 4 * i : 0;  // at most 3
    return word_at(from + 4 * i - lead) & ~0U << 8 * missing;
  }
};

/// The CRC register after the bytes of a lane, advanced to the end of the piece. word(i) must return word `i` of the
/// piece.
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

/// True if the combined registers of all lanes of a chunk, each advanced to the end of the chunk, match the CRC that
/// the file stores after the data of the chunk.
GPUIMG_HD inline bool is_chunk_crc(std::uint32_t data_register, std::uint32_t size, std::uint32_t stated,
                                   const CrcTables& tables, const CrcPowers& powers) {
  std::uint32_t type = kCrcStart;
  constexpr std::uint8_t kLetters[4] = {'I', 'D', 'A', 'T'};
  for (const std::uint8_t letter : kLetters) {
    type = tables.add_byte(type, letter);
  }
  return (crc_after_zeros(type, size, powers) ^ data_register ^ kCrcStart) == stated;
}

/// Reads a big-endian 32-bit number at `at`.
GPUIMG_HD inline std::uint32_t big_endian_at(const std::uint8_t* bytes, std::uint64_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         std::uint32_t{bytes[at + 3]};
}

}  // namespace gpuimg::png

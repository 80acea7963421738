// Decodes the codes of one scan of a JPEG: its bits, its tables, and blocks of coefficients. ITU-T T.81, annex C,
// E.2.4, F.2.2 and G.1.2. Rationale and cost: docs/decisions/0023-own-progressive-decoder.md.
#pragma once

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "gpuimg/encoded_image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::jpeg {

/// The next bits, starting at the most significant bit. Decoding loops keep a copy in registers. A loop must not pass
/// its copy by reference to a function that is not inlined: the copy would be spilled to memory and delay each code.
struct JpegBitCursor {
  std::uint64_t bits = 0;
  unsigned count = 0;  ///< of valid bits; the bits below them are the correct next bits or zero
  const std::uint8_t* at = nullptr;

  /// Makes at least 56 bits valid, without a branch.
  void refill() {
    std::uint64_t next = 0;
    std::memcpy(&next, at, sizeof next);
    if constexpr (std::endian::native == std::endian::little) {
      next = __builtin_bswap64(next);
    }
    bits |= next >> count;
    at += (63 - count) >> 3;
    count |= 56;
  }

  /// `n` is 1 … 63 here, in skip() and in take().
  [[nodiscard]] std::uint64_t peek(unsigned n) const { return bits >> (64 - n); }

  void skip(unsigned n) {
    bits <<= n;
    count -= n;
  }

  std::uint64_t take(unsigned n) {
    const std::uint64_t taken = peek(n);
    skip(n);
    return taken;
  }
};

/// The coded bytes of a scan, a few thousand at a time, with stuffed bytes removed. Restart markers divide them into
/// segments. Zeros follow the last bit of a segment.
class JpegCodeBits {
 public:
  /// No block has more coded bytes: 64 codes of 16 bits with values of 15.
  static constexpr std::size_t kMaxBlockBytes = 248;

  /// All of a scan's bytes. `coded` outlives the object.
  explicit JpegCodeBits(ByteSpan coded);

  /// The coded bytes of the file's only scan, from `begin` on. The end of the image must follow. `file` outlives the
  /// object.
  JpegCodeBits(const RandomAccess& file, std::uint64_t begin);

  /// Call before each block: makes sure that the cursor can read one. Returns false if the segment has already ended.
  bool load_block(JpegBitCursor& cursor) {
    if (cursor.at < safe_) [[likely]] {
      return true;
    }
    JpegBitCursor filled = cursor;
    const bool has_one = fill(filled);
    cursor = filled;
    return has_one;
  }

  /// Reads up to the marker that ends the segment. Returns true if fewer than 8 bits of the segment are left.
  bool read_segment_end(JpegBitCursor& cursor);

  /// The same for the last segment, after which nothing may come.
  bool read_scan_end(JpegBitCursor& cursor);

  /// Offset of the first coded byte that the cursor has not begun to read; nullopt if the cursor is past the end. Only
  /// if the bytes were given, not a file.
  [[nodiscard]] std::optional<std::size_t> offset_of(const JpegBitCursor& cursor) const;

  /// Continues after restart marker `number`, 0 … 7. Returns false if the next marker is a different one or missing.
  bool restart(JpegBitCursor& cursor, unsigned number);

 private:
  bool fill(JpegBitCursor& cursor);
  void unstuff();
  bool load_marker();

  ByteSpan coded_;        // all bytes, or those of the file that are in loaded_
  std::size_t next_ = 0;  // of coded_
  const RandomAccess* file_ = nullptr;
  std::uint64_t offset_ = 0;  // in the file, after coded_
  std::vector<std::byte> loaded_;
  bool is_at_marker_ = false;  // or at the end of the data: the buffer has the rest of the segment
  std::vector<std::uint8_t> buffer_;
  std::uint8_t* end_;                   // of the bytes in the buffer
  const std::uint8_t* safe_ = nullptr;  // a cursor before this place can read a whole block
};

/// The code at the start of the next JpegCodeTable::kBits bits, decoded.
struct JpegCodeEntry {
  std::uint32_t packed;

  constexpr JpegCodeEntry() : packed(0) {}
  constexpr JpegCodeEntry(int value, unsigned advance, unsigned bits)
      : packed(static_cast<std::uint32_t>(value) << 16 | advance << 8 | bits) {}

  [[nodiscard]] constexpr int value() const { return static_cast<std::int16_t>(packed >> 16); }
  /// Zeros before the coefficient, or one of the constants below.
  [[nodiscard]] constexpr unsigned advance() const { return packed >> 8 & 0xFF; }
  /// Length of the code and of the value bits that the entry decodes. Stored in the lowest six bits, because a shift
  /// instruction uses only these as its count.
  [[nodiscard]] constexpr unsigned bits() const { return packed & 63; }

  static constexpr unsigned kEndOfBand = 64;  ///< `value`: blocks, from this one on, without further coefficients
  static constexpr unsigned kSymbol = 65;     ///< `value`: a symbol whose further bits do not fit
  static constexpr unsigned kLong = 66;       ///< see JpegCodeTable::long_code
};

class JpegCodeTable {
 public:
  static constexpr unsigned kBits = 10;

  /// A symbol and the length of its code, which is 0 if there is none.
  struct Symbol {
    unsigned symbol = 0;
    unsigned bits = 0;
  };

  /// Both return false if libjpeg would reject the table. For DC, `value` is the difference and `advance` 0.
  bool set_dc(const JpegHuffmanTable& from);
  /// Coefficients of at most `max_value_bits` bits, multiplied by 2^shift; those of more bits stay symbols.
  bool set_ac(const JpegHuffmanTable& from, unsigned shift, unsigned max_value_bits);

  [[nodiscard]] JpegCodeEntry entry(std::uint64_t index) const { return entries_[index]; }

  /// Decodes a code longer than kBits at the start of a window of 16 bits.
  [[nodiscard]] Symbol long_code(unsigned window) const;

 private:
  template <class Entry>
  bool set(const JpegHuffmanTable& from, Entry entry_of);

  static constexpr unsigned kMaxLength = 16;

  std::array<JpegCodeEntry, 1U << kBits> entries_;
  std::array<std::uint8_t, 256> symbols_;
  std::array<unsigned, kMaxLength + 1> end_;    // after the last code of each length
  std::array<unsigned, kMaxLength + 1> index_;  // in symbols_ of each length's first code, minus this code; modulo 2^32
};

/// The value of `count` (0 … 15) bits: EXTEND of T.81, figure F.12.
constexpr int jpeg_value(unsigned bits, unsigned count) {
  const auto value = static_cast<int>(bits);
  return count == 0 || value >> (count - 1) != 0 ? value : value - (1 << count) + 1;
}

/// Where an MCU row of a scan goes. Each MCU has one block at each place.
struct JpegBlockRow {
  struct Place {
    std::size_t part = 0;    ///< of JpegScanState::parts
    JBLOCKROW first;         ///< of the first MCU
    std::size_t step = 1;    ///< blocks from one MCU to the next
    std::uint64_t* nonzero;  ///< of `first`: JpegCoefficientRows::nonzero
  };
  std::vector<Place> places;
  std::size_t mcus = 0;
};

struct JpegScanState {
  /// A component of the scan.
  struct Part {
    JpegCodeTable dc;
    JpegCodeTable ac;
    int last_dc = 0;
  };

  explicit JpegScanState(JpegCodeBits codes) : in(std::move(codes)) {}

  JpegCodeBits in;
  JpegBitCursor cursor;
  std::vector<Part> parts;
  unsigned first = 0;  ///< coefficients in zigzag order
  unsigned last = 0;
  unsigned shift = 0;           ///< the lowest bit that the scan codes
  unsigned max_value_bits = 0;  ///< of an AC coefficient in the scan
  std::uint32_t end_run = 0;    ///< number of further blocks without a new coefficient
};

/// Decodes the MCUs begin … end − 1 of a row. Returns false if libjpeg would warn or fail, or if a coefficient
/// overflows 16 bits.
using DecodeJpegBlocks = bool(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end);

DecodeJpegBlocks decode_jpeg_dc;            ///< first scan
DecodeJpegBlocks decode_jpeg_dc_bit;        ///< one more bit
DecodeJpegBlocks decode_jpeg_ac;            ///< first scan; one component
DecodeJpegBlocks decode_jpeg_ac_bit;        ///< one more bit; one component
DecodeJpegBlocks decode_jpeg_whole_blocks;  ///< sequential

/// Decodes a scan to the coefficients that libjpeg would decode. Gives up where libjpeg would warn, and on codes that
/// no encoder writes: then libjpeg must read the file.
class JpegScanCodes {
 public:
  /// `info` has read the header. `cleared`: bit i means that this scan is the first one of component i; rows of such
  /// components are set to zero first. `script` and `info` must outlive the object.
  JpegScanCodes(const JpegScript& script, std::size_t scan, JpegCodeBits codes, const jpeg_decompress_struct& info,
                std::uint32_t cleared);

  /// Decodes the MCU rows from the current one up to `end` into `rows`. Returns false if libjpeg must read the file.
  /// After the last row the scan must be at its end.
  bool decode_to(int end, JpegCoefficientRows& rows);

  /// Where the last code of the scan ends in the bytes given to JpegCodeBits; more bytes may follow. Nullopt unless
  /// decode_to has decoded all blocks.
  [[nodiscard]] std::optional<std::size_t> end_of_codes() const;

 private:
  [[nodiscard]] bool is_possible() const;
  [[nodiscard]] const jpeg_component_info& component(std::size_t number) const;
  bool decode_rows_of_blocks(JpegCoefficientRows& rows);
  JpegBlockRow row_of_mcus(JpegCoefficientRows& rows);
  bool decode(const JpegBlockRow& row);
  bool restart();

  const JpegScan& scan_;
  const jpeg_decompress_struct& info_;
  std::uint32_t cleared_;
  JpegScanState state_;
  DecodeJpegBlocks* decode_blocks_ = nullptr;  // null: libjpeg must read the file
  std::size_t restart_interval_ = 0;           // MCUs; 0: none
  std::size_t until_restart_ = 0;
  unsigned restarts_ = 0;
  int next_row_ = 0;
};

}  // namespace gpuimg::codecs::jpeg

// Decodes the Huffman codes of one scan of a JPEG: a bit reader, code tables, and loops that decode blocks of
// coefficients. ITU-T T.81, annex C, E.2.4, F.2.2 and G.1.2. Rationale and cost:
// docs/decisions/0023-own-progressive-decoder.md.
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

/// The next bits of the scan; the first is the most significant one. Decoding loops keep a copy in registers. A loop
/// must not pass its copy by reference to a function that is not inlined: the compiler would spill the copy to memory,
/// which delays each code.
struct JpegBitCursor {
  std::uint64_t bits = 0;
  unsigned count = 0;  ///< number of valid bits; each bit below them is either the correct next bit or zero
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

  /// In peek(), skip() and take(), `n` must be 1 … 63.
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
  /// Upper limit for the coded bytes of a block: 64 codes of 16 bits, each with a value of 15 bits.
  static constexpr std::size_t kMaxBlockBytes = 248;

  /// Reads all bytes of a scan from `coded`, which must outlive the object.
  explicit JpegCodeBits(ByteSpan coded);

  /// Reads the only scan of the file, starting at offset `begin`. The end of the image must follow the scan. `file`
  /// must outlive the object.
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

  /// Like read_segment_end, for the last segment: nothing may follow it.
  bool read_scan_end(JpegBitCursor& cursor);

  /// Offset of the first coded byte that the cursor has not begun to read; nullopt if the cursor is past the end. Only
  /// for an object constructed from bytes, not from a file.
  [[nodiscard]] std::optional<std::size_t> offset_of(const JpegBitCursor& cursor) const;

  /// Continues after restart marker `number`, 0 … 7. Returns false if the next marker is a different one or missing.
  bool restart(JpegBitCursor& cursor, unsigned number);

 private:
  bool fill(JpegBitCursor& cursor);
  void unstuff();
  bool load_marker();

  ByteSpan coded_;        // all bytes, or the loaded part of the file
  std::size_t next_ = 0;  // index in coded_
  const RandomAccess* file_ = nullptr;
  std::uint64_t offset_ = 0;  // offset in the file of the byte after coded_
  std::vector<std::byte> loaded_;
  bool is_at_marker_ = false;  // true also at the end of the data: the buffer then holds the remainder of the segment
  std::vector<std::uint8_t> buffer_;
  std::uint8_t* end_;                   // end of the bytes in the buffer
  const std::uint8_t* safe_ = nullptr;  // a cursor before this position can read a whole block
};

/// The decoded meaning of the next JpegCodeTable::kBits bits, which begin with a code.
struct JpegCodeEntry {
  std::uint32_t packed;

  constexpr JpegCodeEntry() : packed(0) {}
  constexpr JpegCodeEntry(int value, unsigned advance, unsigned bits)
      : packed(static_cast<std::uint32_t>(value) << 16 | advance << 8 | bits) {}

  [[nodiscard]] constexpr int value() const { return static_cast<std::int16_t>(packed >> 16); }
  /// Number of zeros before the coefficient, or one of the constants below.
  [[nodiscard]] constexpr unsigned advance() const { return packed >> 8 & 0xFF; }
  /// Total length of the code and value bits that the entry decodes. Stored in the lowest six bits, because a shift
  /// instruction uses only the lowest six bits of its count.
  [[nodiscard]] constexpr unsigned bits() const { return packed & 63; }

  static constexpr unsigned kEndOfBand = 64;  ///< `value`: number of blocks, including this one, that have no more
                                              ///< coefficients
  static constexpr unsigned kSymbol = 65;     ///< `value`: a symbol whose value bits do not fit into the index
  static constexpr unsigned kLong = 66;       ///< see JpegCodeTable::long_code
};

class JpegCodeTable {
 public:
  static constexpr unsigned kBits = 10;

  /// A symbol and the length of its code. A length of 0 means that no code matched.
  struct Symbol {
    unsigned symbol = 0;
    unsigned bits = 0;
  };

  /// set_dc and set_ac return false if libjpeg would reject the table. For DC, `value` is the difference and `advance`
  /// is 0.
  bool set_dc(const JpegHuffmanTable& from);
  /// Decodes coefficients of at most `max_value_bits` bits, and multiplies them by 2^shift; larger coefficients remain
  /// symbols.
  bool set_ac(const JpegHuffmanTable& from, unsigned shift, unsigned max_value_bits);

  [[nodiscard]] JpegCodeEntry entry(std::uint64_t index) const { return entries_[index]; }

  /// Decodes a code of more than kBits bits at the start of a window of 16 bits.
  [[nodiscard]] Symbol long_code(unsigned window) const;

 private:
  template <class Entry>
  bool set(const JpegHuffmanTable& from, Entry entry_of);

  static constexpr unsigned kMaxLength = 16;

  std::array<JpegCodeEntry, 1U << kBits> entries_;
  std::array<std::uint8_t, 256> symbols_;
  std::array<unsigned, kMaxLength + 1> end_;    // for each length: the value after the last code
  std::array<unsigned, kMaxLength + 1> index_;  // for each length: index of its first code in symbols_, minus the code,
                                                // mod 2^32
};

/// The value coded by `count` (0 to 15) bits: EXTEND of T.81, figure F.12.
constexpr int jpeg_value(unsigned bits, unsigned count) {
  const auto value = static_cast<int>(bits);
  return count == 0 || value >> (count - 1) != 0 ? value : value - (1 << count) + 1;
}

/// The destination of an MCU row of a scan. Each MCU has one block for each element of `places`.
struct JpegBlockRow {
  struct Place {
    std::size_t part = 0;    ///< index in JpegScanState::parts
    JBLOCKROW first;         ///< block of the first MCU
    std::size_t step = 1;    ///< number of blocks from one MCU to the next
    std::uint64_t* nonzero;  ///< words of the blocks from `first` on: JpegCoefficientRows::nonzero
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
  unsigned first = 0;  ///< first coefficient of the scan, in zigzag order
  unsigned last = 0;
  unsigned shift = 0;           ///< the lowest bit that the scan codes
  unsigned max_value_bits = 0;  ///< limit for an AC coefficient in the scan
  std::uint32_t end_run = 0;    ///< number of following blocks without a new coefficient
};

/// Decodes the MCUs begin … end − 1 of a row. Returns false if libjpeg would warn or fail, or if a coefficient
/// overflows 16 bits.
using DecodeJpegBlocks = bool(JpegScanState& state, const JpegBlockRow& row, std::size_t begin, std::size_t end);

DecodeJpegBlocks decode_jpeg_dc;            ///< first scan
DecodeJpegBlocks decode_jpeg_dc_bit;        ///< one more bit
DecodeJpegBlocks decode_jpeg_ac;            ///< first scan; one component
DecodeJpegBlocks decode_jpeg_ac_bit;        ///< one more bit; one component
DecodeJpegBlocks decode_jpeg_whole_blocks;  ///< sequential

/// Decodes a scan to the same coefficients as libjpeg. Gives up if libjpeg would warn, and on codes that no encoder
/// writes: libjpeg must then read the file.
class JpegScanCodes {
 public:
  /// `info` must have read the header. Bit i of `cleared` is set if this scan is the first one of component i; the scan
  /// then starts by setting the component's rows to zero. `script` and `info` must outlive the object.
  JpegScanCodes(const JpegScript& script, std::size_t scan, JpegCodeBits codes, const jpeg_decompress_struct& info,
                std::uint32_t cleared);

  /// Decodes the MCU rows from the current one up to `end` into `rows`. Returns false if libjpeg must read the file.
  /// The scan must end after the last row.
  bool decode_to(int end, JpegCoefficientRows& rows);

  /// End of the scan's last code, as an offset in the bytes given to JpegCodeBits; more bytes may follow. Returns
  /// nullopt unless decode_to has decoded all blocks.
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
  std::size_t restart_interval_ = 0;           // in MCUs; 0: no restart markers
  std::size_t until_restart_ = 0;
  unsigned restarts_ = 0;
  int next_row_ = 0;
};

}  // namespace gpuimg::codecs::jpeg

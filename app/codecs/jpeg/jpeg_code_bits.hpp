// Reads the bits of a JPEG scan. ITU-T T.81, B.1.1.5 and E.2.4.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "io/random_access.hpp"

namespace gpuimg::codecs {

/// The next bits, the first one on top. Loops keep a copy in registers, and pass no reference to it to what is not
/// inlined: that would keep it in memory, on the way from each code to the next.
struct JpegBitCursor {
  std::uint64_t bits = 0;
  unsigned count = 0;  ///< of valid bits; those below are right or zero
  const std::uint8_t* at = nullptr;

  /// At least 56 bits. Without a branch.
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

  /// `n` is 1 … 63, as in the next two.
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

/// The coded bytes of a scan without what is stuffed into them, some thousand at a time. They form segments, with a
/// restart marker between two of them. Zeros follow the last bit of a segment.
class JpegCodeBits {
 public:
  /// No block has more coded bytes: 64 codes of 16 bits with values of 15.
  static constexpr std::size_t kMaxBlockBytes = 248;

  /// All of a scan's bytes. `coded` outlives the object.
  explicit JpegCodeBits(ByteSpan coded);

  /// Those of the file's only scan, from `begin` on. The end of the image must follow. `file` outlives the object.
  JpegCodeBits(const RandomAccess& file, std::uint64_t begin);

  /// Call before each block: makes sure that the cursor can read one. Returns false if the segment has ended before.
  bool has_block(JpegBitCursor& cursor) {
    if (cursor.at < safe_) [[likely]] {
      return true;
    }
    JpegBitCursor filled = cursor;
    const bool has_one = fill(filled);
    cursor = filled;
    return has_one;
  }

  /// True if the segment ends at the cursor, up to less than a byte.
  bool ends(JpegBitCursor& cursor);

  /// The same for the last one: nothing comes after it.
  bool ends_all(JpegBitCursor& cursor);

  /// Goes on after the restart marker with this number, 0 … 7. Returns false if another one, or none, is next.
  bool restart(JpegBitCursor& cursor, unsigned number);

 private:
  bool fill(JpegBitCursor& cursor);
  void unstuff();
  bool loads_marker();

  ByteSpan coded_;        // all bytes, or those of the file that are in loaded_
  std::size_t next_ = 0;  // of coded_
  const RandomAccess* file_ = nullptr;
  std::uint64_t offset_ = 0;  // in the file, after coded_
  std::vector<std::byte> loaded_;
  bool is_at_marker_ = false;  // or at the end: the segment is in the buffer up to its last byte
  std::vector<std::uint8_t> buffer_;
  std::uint8_t* end_;                   // of the bytes in the buffer
  const std::uint8_t* safe_ = nullptr;  // before it the cursor can read a block
};

}  // namespace gpuimg::codecs

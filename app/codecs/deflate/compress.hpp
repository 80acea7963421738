// Deflate for filtered pixels: independent strips that are joined into one zlib stream. RFC 1950 and 1951. Why gpuimg
// has its own: docs/decisions/0007-own-deflate.md.
// To read this folder, start here for compression and in inflate.hpp for decompression; rfc1951.hpp has the constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/deflate/bit_writer.hpp"
#include "codecs/deflate/match_finder.hpp"
#include "codecs/deflate/rfc1951.hpp"

namespace gpuimg::codecs {

/// The two bytes that open a zlib stream with a window of 32 KiB.
inline constexpr unsigned char kZlibHeader[2] = {0x78, 0x01};

inline constexpr std::size_t kMaxStripBytes = std::size_t{1} << 30;  ///< positions are 32-bit

/// An upper bound for the deflated size of `size` bytes, at most kMaxStripBytes.
constexpr std::size_t deflate_bound(std::size_t size) {
  constexpr std::size_t kBlockHeader = 6;
  constexpr std::size_t kSlack = 16;
  return size + (size / kMaxStoredBytes + 3) * kBlockHeader + kSlack;
}

/// Deflates strips one after another; not thread-safe. Holds less than 400 KB, or more for strips longer than 256 KB.
/// The output depends only on the input and the level, not on the processor.
class StripDeflater {
 public:
  explicit StripDeflater(int level);  ///< 0 (fastest), 1 or 2 (smallest)

  /// Writes the deflated strip to `out`, which holds at least deflate_bound(strip.size()) bytes, and returns its size.
  /// The output ends at a byte boundary; `is_last` also ends the deflate stream.
  std::size_t deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last);

 private:
  MatchFinder finder_;
};

/// Writes one block in its smallest form: stored, with the fixed codes, or with codes of its own. `sequences` describe
/// all of `bytes`. `is_last` marks the last block of the stream.
void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, bool is_last,
                         BitWriter& out);

}  // namespace gpuimg::codecs

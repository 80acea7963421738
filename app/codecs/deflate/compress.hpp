// Deflate for filtered pixels: strips that know nothing of each other and are joined into one zlib stream. RFC 1950
// and 1951. Why it is our own: docs/decisions/0007-own-deflate.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/deflate/match_finder.hpp"

namespace gpuimg {

/// The two bytes that open a zlib stream with a window of 32 KiB.
inline constexpr unsigned char kZlibHeader[2] = {0x78, 0x01};

inline constexpr std::size_t kMaxStripBytes = std::size_t{1} << 30;  ///< places are kept in 32 bits

/// Room that the deflated form of `size` bytes, at most kMaxStripBytes, needs at most.
constexpr std::size_t deflate_bound(std::size_t size) {
  constexpr std::size_t kStoredBlock = 65535;
  constexpr std::size_t kBlockHeader = 6;
  constexpr std::size_t kSlack = 16;
  return size + (size / kStoredBlock + 3) * kBlockHeader + kSlack;
}

/// Deflates strips one after the other; not thread-safe. Holds under 400 KB, more where strips are longer than 256 KB.
/// The bytes depend on the input and the level alone, on every processor.
class StripDeflater {
 public:
  explicit StripDeflater(int level);  ///< 0 (fastest), 1 or 2 (smallest)

  /// Writes the deflated strip to `out`, which holds deflate_bound(strip.size()) bytes or more, and returns its size.
  /// It ends on a whole byte, and with the mark that ends the stream where `is_last`.
  std::size_t deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last);

 private:
  RepeatFinder finder_;
  std::vector<DeflateStep> steps_;
};

}  // namespace gpuimg

// Deflate streams made by zlib or by hand, and the results of zlib and of Inflater for them.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/speculative_inflate.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test {

using Octets = std::vector<std::uint8_t>;

struct DeflateSettings {
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  int memory_level = 8;         ///< lower values make zlib's blocks shorter
  std::size_t block_bytes = 0;  ///< maximum data per block; 0 lets zlib decide
};

/// A deflate stream written by hand.
class BitWriter {
 public:
  void add(std::uint32_t value, int bits) {
    for (int i = 0; i < bits; ++i) {
      if (used_ % 8 == 0) {
        bytes_.push_back(0);
      }
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> i & 1U) << used_ % 8);
      ++used_;
    }
  }
  const Octets& bytes() const { return bytes_; }

 private:
  Octets bytes_;
  std::size_t used_ = 0;
};

/// A raw deflate stream.
Octets deflated_by_zlib(const Octets& data, const DeflateSettings& settings = {});

/// Wraps a deflate stream into a zlib stream with the checksum `adler`.
FileBytes zlib_stream_of(const Octets& deflated, std::uint32_t adler);

/// zlib's result for a deflate stream.
struct ZlibVerdict {
  enum class End : std::uint8_t { last_block, damage, too_long };
  struct Block {
    std::uint64_t first_bit = 0;
    std::size_t first_byte = 0;  ///< offset of its first byte of data
  };

  Octets data;                ///< all data up to the end of the stream or the damage
  std::vector<Block> blocks;  ///< all blocks that start before that end
  std::size_t taken = 0;      ///< bytes of the stream that zlib consumed
  End end = End::damage;

  /// Null if no block starts at this bit.
  [[nodiscard]] const Block* block_at(std::uint64_t bit) const;
};

ZlibVerdict verdict_of_zlib(const Octets& deflated, std::size_t max_bytes);

/// Inflater's result for a zlib stream. Each run produces `stretch` bytes (more than Inflater::kOvershoot). Nullopt if
/// Inflater rejects the stream, violates its contract or returns more than `max_bytes`.
struct OurInflated {
  Octets data;
  std::uint32_t declared_adler = 0;
};

std::optional<OurInflated> inflated_by_ours(std::span<const codecs::ByteSpan> pieces, std::size_t stretch,
                                            std::size_t max_bytes);

constexpr std::size_t kRoomOfParts = 100;  ///< the `room` of the parts that are compared

/// Describes how a part of a zlib stream, inflated speculatively from byte `begin` to byte `end`, differs from zlib's
/// result; empty if it does not differ. Nullopt if a comparison is impossible: the part is not sound, does not start at
/// a real block, or starts in the first window, where a match can reach before the data unnoticed.
std::optional<std::string> difference_of_part(codecs::deflate::SpeculativeInflater& part, std::size_t begin,
                                              std::size_t end, const ZlibVerdict& expected);

}  // namespace gpuimg::test

// Deflate streams beside zlib: what zlib says of one, what ours does, and streams in as many blocks as a test wants.
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
  int memory_level = 8;         ///< the lower, the shorter are zlib's own blocks
  std::size_t block_bytes = 0;  ///< of data, at which a block ends at the latest; 0: zlib decides alone
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

/// A deflate stream without anything around it.
Octets deflated_by_zlib(const Octets& data, const DeflateSettings& settings = {});

/// A zlib stream of a deflate stream; its checksum is the four bytes of `adler`.
FileBytes zlib_stream_of(const Octets& deflated, std::uint32_t adler);

/// What zlib makes of a deflate stream.
struct ZlibVerdict {
  enum class End : std::uint8_t { last_block, damage, too_long };
  struct Block {
    std::uint64_t first_bit = 0;
    std::size_t first_byte = 0;  ///< of the data
  };

  Octets data;                ///< up to the end
  std::vector<Block> blocks;  ///< those that begin in front of it
  std::size_t taken = 0;      ///< bytes of the stream
  End end = End::damage;

  /// Null if zlib found no block there.
  [[nodiscard]] const Block* block_at(std::uint64_t bit) const;
};

ZlibVerdict verdict_of_zlib(const Octets& deflated, std::size_t most_bytes);

/// What our inflate makes of a zlib stream, run after run of `stretch` bytes (more than Inflater::kOvershoot); nothing
/// if it refuses, breaks a promise of its header, or gives more than `most_bytes`.
struct OurInflated {
  Octets data;
  std::uint32_t declared_adler = 0;
};

std::optional<OurInflated> inflated_by_ours(std::span<const ByteSpan> pieces, std::size_t stretch,
                                            std::size_t most_bytes);

constexpr std::size_t kRoomOfParts = 100;  ///< for which parts that are compared must be made

/// How a part of a zlib stream, taken ahead from byte `begin` to byte `end`, differs from what zlib found in the
/// deflate stream within; empty if it does not. Nothing if it does not count: it is not sound, or begins where no block
/// does, or in the first window, where a repeat may reach too far back and a part cannot know.
std::optional<std::string> difference_of_part(InflateAhead& part, std::size_t begin, std::size_t end,
                                              const ZlibVerdict& expected);

}  // namespace gpuimg::test

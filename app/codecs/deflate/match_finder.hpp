// Finds matches for the encoder: bytes that repeat earlier ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpuimg::codecs {

/// Literals, then a match.
struct DeflateSequence {
  std::uint32_t literals = 0;
  std::uint16_t match_length = 0;  ///< 0 only in the last sequence of a block, which has no match
  std::uint16_t distance_minus_one = 0;
};

/// The trade-off between speed and compression.
struct MatchSettings {
  std::uint32_t hash_bits = 13;   ///< the hash table holds 2^hash_bits positions
  std::uint32_t min_length = 12;  ///< 8 … 16; in filtered pixels, shorter matches cost more bits than they save
  std::uint32_t skip_bits = 4;    ///< after each 2^skip_bits misses in a row, the step between attempts grows by one
  bool is_lazy = false;           ///< also tries the next position for a longer match, and hashes every position
};

class MatchFinder {
 public:
  /// Matches never start earlier: the eight bytes before any candidate must be readable.
  static constexpr std::uint32_t kFirstPosition = 8;

  explicit MatchFinder(const MatchSettings& settings);

  /// Forgets all positions; call it before the next buffer.
  void restart();

  /// Divides bytes [begin, end) into sequences, which may refer to anything before them. Successive calls must cover
  /// `bytes` from its beginning without gaps. At most 2³⁰ bytes.
  void find(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t end,
            std::vector<DeflateSequence>& sequences);

 private:
  MatchSettings settings_;
  std::vector<std::uint32_t> positions_;  ///< by hash of eight bytes: where they last occurred
};

}  // namespace gpuimg::codecs

// Finds matches for the encoder: bytes that repeat earlier ones. Levels 0 and 1 search as gpuimg/png/match_search.hpp
// says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuimg/png/match_search.hpp"

namespace gpuimg::codecs {

/// Literals, then a match.
struct DeflateSequence {
  std::uint32_t literals = 0;
  std::uint16_t match_length = 0;  ///< 0 only in the last sequence of a block, which has no match
  std::uint16_t distance_minus_one = 0;
};

/// The trade-off between speed and compression.
struct MatchSettings {
  std::uint32_t hash_bits = 13;  ///< the hash table holds 2^hash_bits positions
  png::SearchSettings search;
  bool is_lazy = false;  ///< also tries the next position for a longer match, hashes every position, and is not divided
};

class MatchFinder {
 public:
  explicit MatchFinder(const MatchSettings& settings);

  /// Forgets all positions; call it before the next buffer.
  void restart();

  /// Divides bytes [begin, end), a block, into sequences, which may refer to anything before them. Successive calls
  /// must cover `bytes`, a strip, from its beginning without gaps. At most 2³⁰ bytes. The result is valid until the
  /// next call.
  std::span<const DeflateSequence> find(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t end);

 private:
  MatchSettings settings_;
  std::vector<DeflateSequence> sequences_;  ///< as many as a block can have
  std::vector<std::uint16_t> positions_;    ///< by hash of eight bytes: where they last occurred, modulo 2¹⁶
};

}  // namespace gpuimg::codecs

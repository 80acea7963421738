// Finds, in bytes to deflate, what stood there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpuimg {

/// Bytes as they are, then bytes that repeat earlier ones: a step of a deflate stream.
struct DeflateStep {
  std::uint32_t literals = 0;
  std::uint16_t length = 0;  ///< 0 in the last step alone, which repeats nothing
  std::uint16_t distance_less_one = 0;
};

/// How hard to look.
struct RepeatSearch {
  std::uint32_t table_bits = 13;    ///< the table of places holds 2^table_bits of them
  std::uint32_t least_length = 12;  ///< 8 … 16. In filtered pixels shorter repeats cost more bits than they save
  std::uint32_t patience_bits = 4;  ///< after 2^patience_bits places in vain one is left out, after as many more two …
  bool looks_further = false;       ///< whether a longer repeat may begin at the next place; and notes every place
};

class RepeatFinder {
 public:
  static constexpr std::uint32_t kFirstPlace = 8;  ///< none before it is noted: a word stands before every place

  explicit RepeatFinder(const RepeatSearch& search);

  /// Forgets all places, for other bytes.
  void restart();

  /// Steps through bytes [begin, end), which may repeat anything before them. Calls go through `bytes` from its
  /// beginning on, without gaps. At most 2³⁰ bytes.
  void find(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t end, std::vector<DeflateStep>& steps);

 private:
  RepeatSearch search_;
  std::vector<std::uint32_t> places_;  ///< by hash of eight bytes: where they last stood
};

}  // namespace gpuimg

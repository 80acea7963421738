// Filtered bytes and the matches found in them, as literals and matches in order.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/png/deflate_format.hpp"

namespace gpuimg::png {

/// Matches begin at least eight bytes apart, so each of these stretches of memory has room for one.
constexpr std::uint32_t kSlotBytes = 8;

/// A match as it waits in the slot of the eight bytes in which it begins; 0 is none.
struct Match {
  std::uint32_t packed = 0;

  GPUIMG_HD static Match at(std::uint32_t begin, std::uint32_t length, std::uint32_t distance_minus_one) {
    return {1U << 31 | (begin % kSlotBytes) << 23 | (length - kMinMatchLength) << 15 | distance_minus_one};
  }
  [[nodiscard]] GPUIMG_HD bool exists() const { return packed != 0; }
  [[nodiscard]] GPUIMG_HD std::uint32_t offset() const { return packed >> 23 & 7U; }  ///< in its slot
  [[nodiscard]] GPUIMG_HD std::uint32_t length() const { return (packed >> 15 & 0xFFU) + kMinMatchLength; }
  [[nodiscard]] GPUIMG_HD std::uint32_t distance() const { return (packed & 0x7FFFU) + 1; }
};

constexpr std::uint32_t kGroupBytes = 16;
constexpr std::uint32_t kGroupSlots = kGroupBytes / kSlotBytes;

/// What one thread counts and packs: 16 bytes and the matches that begin in them.
struct SymbolGroup {
  std::uint32_t begin = 0;  ///< position in the strip
  std::uint32_t count = 0;  ///< of bytes
  std::uint32_t bytes[kGroupBytes / 4] = {};
  Match matches[kGroupSlots];

  [[nodiscard]] GPUIMG_HD std::uint32_t match_begin(std::uint32_t slot) const {
    return begin + slot * kSlotBytes + matches[slot].offset();
  }
  /// Where the last match of the group ends; 0 if it has none.
  [[nodiscard]] GPUIMG_HD std::uint32_t last_match_end() const {
    const std::uint32_t slot = matches[1].exists() ? 1 : 0;
    return matches[slot].exists() ? match_begin(slot) + matches[slot].length() : 0;
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t byte(std::uint32_t i) const { return bytes[i / 4] >> (8 * (i % 4)) & 0xFFU; }

  /// Which bytes are literals: bit i is byte i. `covered_end` is the end of the last match that begins before the
  /// group; 0 if there is none.
  [[nodiscard]] GPUIMG_HD std::uint32_t literals(std::uint32_t covered_end) const {
    std::uint32_t mask = low_bits(count) & ~low_bits(covered_end > begin ? covered_end - begin : 0);
    for (std::uint32_t slot = 0; slot < kGroupSlots; ++slot) {
      if (matches[slot].exists()) {
        const std::uint32_t from = match_begin(slot) - begin;
        mask &= ~(low_bits(from + matches[slot].length()) & ~low_bits(from));
      }
    }
    return mask;
  }

  /// Calls literal(byte) and match(match) in the order of the bytes.
  template <class Literal, class OnMatch>
  GPUIMG_HD void for_each(std::uint32_t literal_mask, Literal&& literal, OnMatch&& on_match) const {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < kGroupBytes; ++i) {
      if ((literal_mask >> i & 1U) != 0) {
        literal(byte(i));
      } else if (const Match& match = matches[i / kSlotBytes]; match.exists() && match.offset() == i % kSlotBytes) {
        on_match(match);
      }
    }
  }

 private:
  GPUIMG_HD static constexpr std::uint32_t low_bits(std::uint32_t n) { return n >= 32 ? ~0U : (1U << n) - 1U; }
};

/// A code and how many bits it has; no bits for a symbol that does not occur.
struct SymbolCode {
  std::uint32_t packed = 0;

  GPUIMG_HD static SymbolCode of(std::uint32_t code, std::uint32_t length) { return {code | length << 16}; }
  [[nodiscard]] GPUIMG_HD std::uint32_t code() const { return packed & 0xFFFFU; }
  [[nodiscard]] GPUIMG_HD std::uint32_t bits() const { return packed >> 16; }
};

/// The code of a match length or distance with its extra bits.
struct CodedBits {
  std::uint32_t bits;
  std::uint32_t count;
};

GPUIMG_HD inline CodedBits with_extra(const SymbolCode* codes, const CodedValue& value) {
  const SymbolCode code = codes[value.symbol];
  return {code.code() | value.extra << code.bits(), code.bits() + value.extra_bits};
}

/// Packs bits into words, the first bit lowest. `add_word(index, word)` must combine by "or": neighbors share their
/// first and last words.
template <class AddWord>
class LowFirstPacker {
 public:
  GPUIMG_HD LowFirstPacker(std::uint64_t first_bit, AddWord add_word)
      : word_(first_bit >> 5), count_(static_cast<std::uint32_t>(first_bit) & 31U), add_word_(add_word) {}

  /// At most 32 bits; those above `count` are 0.
  GPUIMG_HD void put(std::uint32_t bits, std::uint32_t count) {
    waiting_ |= static_cast<std::uint64_t>(bits) << count_;
    count_ += count;
    if (count_ >= 32) {
      add_word_(word_++, static_cast<std::uint32_t>(waiting_));
      waiting_ >>= 32;
      count_ -= 32;
    }
  }

  /// Adds the last word, if it has any bits.
  GPUIMG_HD void finish() {
    if (count_ > 0) {
      add_word_(word_, static_cast<std::uint32_t>(waiting_));
    }
  }

 private:
  std::uint64_t waiting_ = 0;
  std::uint64_t word_;
  std::uint32_t count_;
  AddWord add_word_;
};

}  // namespace gpuimg::png

// Match search at levels 0 and 1, defined so that host and devices find the same matches
// (docs/decisions/0017-png-on-the-device.md). Also turns filtered bytes and their matches into an ordered sequence of
// literals and matches.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/deflate.hpp"

namespace gpuimg::png {

// --- The search: which positions are tried, which are remembered, and where it restarts ------------------------------

/// Maximum size of a deflate block: two stored blocks, in whole words. A larger block would cover so much of a small
/// picture that its codes fit no part well.
constexpr std::uint32_t kBlockBytes = 2 * kMaxStoredBytes / 8 * 8;

/// A block is divided into parts, which a device searches in parallel. Matches may refer to bytes before the part, but
/// must not extend beyond its end.
constexpr std::uint32_t kPartBytes = 32768;
constexpr std::uint32_t kPartsPerBlock = (kBlockBytes + kPartBytes - 1) / kPartBytes;

/// Matches never refer to positions before this position, because the eight bytes before any candidate must be
/// readable.
constexpr std::uint32_t kFirstPosition = 8;
constexpr std::uint32_t kLookAhead = 40;  ///< no match starts closer to the end of the strip than this

constexpr std::uint32_t kPartHashBits = 13;  ///< the hash table of a part holds 2^13 positions

/// Trade-off between speed and compression.
struct SearchSettings {
  std::uint32_t min_length;  ///< 12 … 16; in filtered pixels, shorter matches cost more bits than they save
  std::uint32_t skip_bits;   ///< after 2^skip_bits consecutive misses, the step between attempts grows by one
};

GPUIMG_HD constexpr SearchSettings search_settings(int level) {
  return level == 0 ? SearchSettings{16, 2} : SearchSettings{12, 3};
}

/// The slot of an eight-byte word in a table of 2^bits positions: Knuth's multiplicative hash.
GPUIMG_HD constexpr std::uint32_t hash_slot(std::uint64_t word, std::uint32_t bits) {
  return static_cast<std::uint32_t>(word * 0x9E3779B185EBCA87U >> (64 - bits));  // 2⁶⁴ / golden ratio
}

/// Tables hold the low 16 bits of positions. Returns the distance from `position` back to the position in a slot, minus
/// one. A result of kMaxMatchDistance or more is too far. A smaller result may stem from an older position, 2¹⁶ bytes
/// or more further back. Such a result is still a valid candidate, because the bytes at that distance are compared
/// anyway.
GPUIMG_HD constexpr std::uint32_t distance_minus_one(std::uint32_t position, std::uint16_t slot) {
  return (position - slot - 1) & 0xFFFFU;
}

/// The number of positions that the first `attempts` consecutive misses skip in total.
GPUIMG_HD constexpr std::uint32_t skipped_after(std::uint32_t attempts, std::uint32_t skip_bits) {
  const std::uint32_t whole = attempts >> skip_bits;
  const std::uint32_t rest = attempts & ((1U << skip_bits) - 1);
  return (whole * (whole - 1) / 2 << skip_bits) + rest * whole;
}

/// The position of attempt number `attempt` from `place` on, if `misses` misses precede it and no attempt so far
/// succeeds.
GPUIMG_HD constexpr std::uint32_t attempt_position(std::uint32_t place, std::uint32_t misses, std::uint32_t attempt,
                                                   std::uint32_t skip_bits) {
  return place + attempt + skipped_after(misses + attempt, skip_bits) - skipped_after(misses, skip_bits);
}

/// The table of a part is filled in advance with positions before the part: every 8th position of the window, then the
/// two positions that are noted after a match, as if a match had just ended.
constexpr std::uint32_t kPrimingStep = 8;

/// Positions that are noted after a match, as distances from its end.
constexpr std::uint32_t kFarNoted = 7;
constexpr std::uint32_t kNearNoted = 2;

/// The first position that is put into the table of a part in advance.
GPUIMG_HD constexpr std::uint32_t first_primed(std::uint32_t part_begin) {
  return part_begin > kMaxMatchDistance ? part_begin - kMaxMatchDistance : kPrimingStep;
}

/// The initial value of all slots: a position that a match may refer to.
GPUIMG_HD constexpr std::uint32_t oldest_position(std::uint32_t part_begin) {
  return part_begin > kMaxMatchDistance + kFirstPosition ? part_begin - kMaxMatchDistance : kFirstPosition;
}

/// Attempts are made only before this position.
GPUIMG_HD constexpr std::uint32_t search_end(std::uint32_t part_end, std::uint32_t strip_bytes) {
  const std::uint32_t by_part = part_end < kMinMatchLength ? 0 : part_end - (kMinMatchLength - 1);
  const std::uint32_t by_strip = strip_bytes < kLookAhead ? 0 : strip_bytes - kLookAhead;
  return by_part < by_strip ? by_part : by_strip;
}

/// A block of nearly all zeros is treated as a single part, because it has few matches and each part costs bytes.
/// Eight-byte words at this interval are sampled to decide.
constexpr std::uint32_t kSampleStep = 512;

GPUIMG_HD constexpr bool is_one_part(std::uint32_t samples, std::uint32_t nonzero_samples) {
  constexpr std::uint32_t kMinZeroShare = 16;
  return nonzero_samples * kMinZeroShare <= samples;
}

// --- Literals and matches in order, and their packed codes -----------------------------------------------------------

/// Matches begin at least eight bytes apart, so every slot of this many bytes has room for one.
constexpr std::uint32_t kSlotBytes = 8;

/// A match, stored in the slot of the eight bytes in which it begins; 0 = no match.
struct Match {
  std::uint32_t packed = 0;

  GPUIMG_HD static Match at(std::uint32_t begin, std::uint32_t length, std::uint32_t distance_minus_one) {
    return {1U << 31 | (begin % kSlotBytes) << 23 | (length - kMinMatchLength) << 15 | distance_minus_one};
  }
  [[nodiscard]] GPUIMG_HD bool exists() const { return packed != 0; }
  [[nodiscard]] GPUIMG_HD std::uint32_t offset() const { return packed >> 23 & 7U; }  ///< position in its slot
  [[nodiscard]] GPUIMG_HD std::uint32_t length() const { return (packed >> 15 & 0xFFU) + kMinMatchLength; }
  [[nodiscard]] GPUIMG_HD std::uint32_t distance() const { return (packed & 0x7FFFU) + 1; }
};

constexpr std::uint32_t kGroupBytes = 16;
constexpr std::uint32_t kGroupSlots = kGroupBytes / kSlotBytes;

/// The input of one thread: 16 bytes and the matches that begin in them.
struct SymbolGroup {
  std::uint32_t begin = 0;  ///< position in the strip
  std::uint32_t count = 0;  ///< number of bytes
  std::uint32_t bytes[kGroupBytes / 4] = {};
  Match matches[kGroupSlots];

  [[nodiscard]] GPUIMG_HD std::uint32_t match_begin(std::uint32_t slot) const {
    return begin + slot * kSlotBytes + matches[slot].offset();
  }
  /// Where the last match of the group ends; 0 if it has no match.
  [[nodiscard]] GPUIMG_HD std::uint32_t last_match_end() const {
    const std::uint32_t slot = matches[1].exists() ? 1 : 0;
    return matches[slot].exists() ? match_begin(slot) + matches[slot].length() : 0;
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t byte(std::uint32_t i) const { return bytes[i / 4] >> (8 * (i % 4)) & 0xFFU; }

  /// Which bytes are literals: bit i stands for byte i. `covered_end` is the end of the last match that begins before
  /// the group, or 0.
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

/// A code and its number of bits; 0 bits for a symbol that does not occur.
struct SymbolCode {
  std::uint32_t packed = 0;

  GPUIMG_HD static SymbolCode of(std::uint32_t code, std::uint32_t length) { return {code | length << 16}; }
  [[nodiscard]] GPUIMG_HD std::uint32_t code() const { return packed & 0xFFFFU; }
  [[nodiscard]] GPUIMG_HD std::uint32_t bits() const { return packed >> 16; }
};

/// The code of a match length or distance, together with its extra bits.
struct CodedBits {
  std::uint32_t bits;
  std::uint32_t count;
};

GPUIMG_HD inline CodedBits with_extra(const SymbolCode* codes, const CodedValue& value) {
  const SymbolCode code = codes[value.symbol];
  return {code.code() | value.extra << code.bits(), code.bits() + value.extra_bits};
}

/// Packs bits into words, first bit lowest. `add_word(index, word)` must combine words with "or", because neighboring
/// packers share their first and last words.
template <class AddWord>
class LowFirstPacker {
 public:
  GPUIMG_HD LowFirstPacker(std::uint64_t first_bit, AddWord add_word)
      : word_(first_bit >> 5), count_(static_cast<std::uint32_t>(first_bit) & 31U), add_word_(add_word) {}

  /// Appends up to 32 bits. Bits above `count` must be 0.
  GPUIMG_HD void put(std::uint32_t bits, std::uint32_t count) {
    waiting_ |= static_cast<std::uint64_t>(bits) << count_;
    count_ += count;
    if (count_ >= 32) {
      add_word_(word_++, static_cast<std::uint32_t>(waiting_));
      waiting_ >>= 32;
      count_ -= 32;
    }
  }

  /// Adds the last, partial word if there is one.
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

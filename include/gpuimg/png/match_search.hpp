// How matches are searched at levels 0 and 1, so that a host and a device find the same ones: which places are tried,
// what is remembered, and where the search begins anew. docs/decisions/0017-png-on-the-device.md.
#pragma once

#include <cstdint>

#include "gpuimg/host_device.hpp"
#include "gpuimg/png/deflate_format.hpp"

namespace gpuimg::png {

/// Of one deflate block at most: what two stored blocks hold, in whole words. A longer one is so much of a small
/// picture that its codes suit no part well.
constexpr std::uint32_t kBlockBytes = 2 * kMaxStoredBytes / 8 * 8;

/// A block is searched in parts, which a device searches at the same time. Matches may begin before a part, but not
/// end after it.
constexpr std::uint32_t kPartBytes = 32768;
constexpr std::uint32_t kPartsPerBlock = (kBlockBytes + kPartBytes - 1) / kPartBytes;

/// Matches never refer to earlier bytes: the eight bytes before any candidate must be readable.
constexpr std::uint32_t kFirstPosition = 8;
constexpr std::uint32_t kLookAhead = 40;  ///< no match starts closer to the end of the strip than this

constexpr std::uint32_t kPartHashBits = 13;  ///< the hash table of a part holds 2^13 positions

/// The trade-off between speed and compression.
struct SearchSettings {
  std::uint32_t min_length;  ///< 12 … 16; in filtered pixels, shorter matches cost more bits than they save
  std::uint32_t skip_bits;   ///< after each 2^skip_bits misses in a row, the step between attempts grows by one
};

GPUIMG_HD constexpr SearchSettings search_settings(int level) {
  return level == 0 ? SearchSettings{16, 2} : SearchSettings{12, 3};
}

/// The slot of a word of eight bytes in a table of 2^bits positions: Knuth's multiplicative hash.
GPUIMG_HD constexpr std::uint32_t hash_slot(std::uint64_t word, std::uint32_t bits) {
  return static_cast<std::uint32_t>(word * 0x9E3779B185EBCA87U >> (64 - bits));  // 2⁶⁴ / golden ratio
}

/// Tables hold the low 16 bits of positions. Returns how far back the position in a slot lies, less one. A number from
/// kMaxMatchDistance on means that it is too far; a smaller one may also come from an old position, 2¹⁶ bytes or more
/// before it: a candidate as good as any, for its bytes are compared.
GPUIMG_HD constexpr std::uint32_t distance_minus_one(std::uint32_t position, std::uint16_t slot) {
  return (position - slot - 1) & 0xFFFFU;
}

/// How far the first `attempts` attempts in a row skip, when none of them hits.
GPUIMG_HD constexpr std::uint32_t skipped_after(std::uint32_t attempts, std::uint32_t skip_bits) {
  const std::uint32_t whole = attempts >> skip_bits;
  const std::uint32_t rest = attempts & ((1U << skip_bits) - 1);
  return (whole * (whole - 1) / 2 << skip_bits) + rest * whole;
}

/// Attempt number `attempt` from `place` on, after so many misses in a row, when none before it hits.
GPUIMG_HD constexpr std::uint32_t attempt_position(std::uint32_t place, std::uint32_t misses, std::uint32_t attempt,
                                                   std::uint32_t skip_bits) {
  return place + attempt + skipped_after(misses + attempt, skip_bits) - skipped_after(misses, skip_bits);
}

/// A table is filled with positions before its part: every 8th of the window, then the two below, as if a match had
/// just ended.
constexpr std::uint32_t kPrimingStep = 8;

/// Positions noted after a match: so many bytes before its end.
constexpr std::uint32_t kFarNoted = 7;
constexpr std::uint32_t kNearNoted = 2;

/// The first position that fills the table of a part.
GPUIMG_HD constexpr std::uint32_t first_primed(std::uint32_t part_begin) {
  return part_begin > kMaxMatchDistance ? part_begin - kMaxMatchDistance : kPrimingStep;
}

/// What a table holds before it is filled. Both are positions that a match may refer to.
GPUIMG_HD constexpr std::uint32_t oldest_position(std::uint32_t part_begin) {
  return part_begin > kMaxMatchDistance + kFirstPosition ? part_begin - kMaxMatchDistance : kFirstPosition;
}

/// Attempts lie before this position.
GPUIMG_HD constexpr std::uint32_t search_end(std::uint32_t part_end, std::uint32_t strip_bytes) {
  const std::uint32_t by_part = part_end < kMinMatchLength ? 0 : part_end - (kMinMatchLength - 1);
  const std::uint32_t by_strip = strip_bytes < kLookAhead ? 0 : strip_bytes - kLookAhead;
  return by_part < by_strip ? by_part : by_strip;
}

/// Blocks that are almost all zeros are one part: they hold few matches, and each part costs bytes. Words of eight
/// bytes at this step are samples.
constexpr std::uint32_t kSampleStep = 512;

GPUIMG_HD constexpr bool is_one_part(std::uint32_t samples, std::uint32_t nonzero_samples) {
  constexpr std::uint32_t kMinZeroShare = 16;
  return nonzero_samples * kMinZeroShare <= samples;
}

}  // namespace gpuimg::png

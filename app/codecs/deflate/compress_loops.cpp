// The encoder's loops. The match finder is a hash table with one candidate per position. Its cost is mainly
// mispredicted branches. Therefore a single branch accepts or rejects a candidate, and match lengths are computed many
// bytes at a time. Literals are counted four at a time, and written eight at a time if their codes are short.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/deflate/compress_loops.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "codecs/deflate/compress.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::deflate::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint32_t kWord = 8;

static_assert(std::endian::native == std::endian::little, "the first byte of a word must be its least significant");

HWY_INLINE std::uint64_t word_at(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

HWY_INLINE std::uint32_t equal_first_bytes(std::uint64_t difference) {
  return static_cast<std::uint32_t>(std::countr_zero(difference)) / 8;
}

HWY_INLINE std::uint32_t equal_last_bytes(std::uint64_t difference) {
  return static_cast<std::uint32_t>(std::countl_zero(difference)) / 8;
}

constexpr std::uint32_t kCompared = 32;

/// A bit mask of the equal bytes among kCompared bytes; the lowest bit is the first byte.
HWY_INLINE std::uint64_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b) {
  const hn::CappedTag<std::uint8_t, kCompared> d;
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < kCompared; i += hn::Lanes(d)) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), reinterpret_cast<std::uint8_t*>(&bits));
    equal |= bits << i;
  }
  return equal;
}

HWY_INLINE std::uint32_t equal_at_first(std::uint64_t equal) {
  return static_cast<std::uint32_t>(std::countr_one(equal));
}

/// Length of the common prefix of `a` and `b`, at most `max`. Requires that the first kLookAhead bytes are equal and
/// that kLookAhead ≤ `max`.
std::uint32_t long_common_prefix(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t max) {
  for (std::uint32_t count = kLookAhead; count + kCompared < max; count += kCompared) {
    if (const std::uint32_t more = equal_at_first(equal_bytes(a + count, b + count)); more < kCompared) {
      return count + more;
    }
  }
  const std::uint32_t last = max - kCompared;
  return last + equal_at_first(equal_bytes(a + last, b + last));
}

/// Length of the common prefix of `a` and `b`, at most `max`. If `max` is less than kUnlimited, uses kUnlimited as the
/// limit; the output of the lazy level depends on this. Half of the matches in drawings are longer than three words; a
/// fifth are longer than kLookAhead, so a branch on kLookAhead is easier to predict.
HWY_INLINE std::uint32_t common_prefix(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t max) {
  constexpr std::uint32_t kUnlimited = 3 * kWord;
  constexpr std::uint32_t kRest = kLookAhead - kCompared;
  const std::uint64_t equal = equal_bytes(a, b) | equal_bytes(a + kRest, b + kRest) << kRest;
  const std::uint32_t count = equal_at_first(equal);
  return count == kLookAhead && max > kLookAhead ? long_common_prefix(a, b, max)
                                                 : std::min(count, std::max(max, kUnlimited));
}

/// A part of a block, or the whole block at the lazy level.
struct Part {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t stop;  // matches must start before this position
};

/// The sequences found in a block.
struct Found {
  DeflateSequence* next;    // has room for the largest possible number
  std::uint32_t coded_end;  // end of the last match, or the beginning of the block
};

/// `count` must be a multiple of the number of lanes in a vector.
void fill(std::uint16_t* to, std::size_t count, std::uint16_t value) {
  const hn::ScalableTag<std::uint16_t> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Set(d, value), d, to + i);
  }
}

/// Forgets all positions, and fills the table for a part. Positions in the part count from `origin`.
void prime(std::uint16_t* positions, std::uint32_t hash_bits, const std::uint8_t* base, std::uint32_t begin,
           std::uint32_t origin) {
  fill(positions, std::size_t{1} << hash_bits, static_cast<std::uint16_t>(oldest_position(begin) - origin));
  const auto slot_of = [&](std::uint32_t position) HWY_ATTR { return hash_slot(word_at(base + position), hash_bits); };
  const auto note = [&](std::uint32_t slot, std::uint32_t position)
                        HWY_ATTR { positions[slot] = static_cast<std::uint16_t>(position - origin); };
  constexpr std::uint32_t kAtOnce = 8;  // loading 8 words before the first store saves 1.5 % for a photo
  std::uint32_t position = first_primed(begin);
  for (; position + kAtOnce * kPrimingStep <= begin; position += kAtOnce * kPrimingStep) {
    std::array<std::uint32_t, kAtOnce> slots;
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      slots[i] = slot_of(position + i * kPrimingStep);
    }
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      note(slots[i], position + i * kPrimingStep);
    }
  }
  for (; position + kWord <= begin; position += kPrimingStep) {
    note(slot_of(position), position);
  }
  if (begin > 0) {
    note(slot_of(begin - kFarNoted), begin - kFarNoted);
    note(slot_of(begin - kNearNoted), begin - kNearNoted);
  }
}

/// Unless `positions_wrap`, all positions are below 2¹⁶, so that the table can store them without loss.
template <bool is_lazy, bool positions_wrap>
void find_sequences(const MatchSettings& settings, std::uint16_t* positions, const std::uint8_t* base, const Part& part,
                    Found& found) {
  const std::uint32_t min_length = settings.search.min_length;
  const std::uint64_t must_match =  // mask of the second word's bytes that a match of min_length covers
      min_length == kWord ? 0 : ~std::uint64_t{0} >> 8 * (2 * kWord - min_length);
  // Local copies, which stay in registers.
  const std::uint32_t end = part.end;
  const std::uint32_t stop = part.stop;
  const std::uint32_t skip_bits = settings.search.skip_bits;
  DeflateSequence* sequence = found.next;
  std::uint32_t coded_end = found.coded_end;
  const auto slot_of = [&](std::uint64_t word)
                           HWY_ATTR -> std::uint16_t& { return positions[hash_slot(word, settings.hash_bits)]; };
  struct Candidate {
    std::uint32_t position;
    std::uint64_t second;  // XOR of the two second words
    bool is_match;
  };
  const auto candidate_at = [&](std::uint32_t position) HWY_ATTR {
    const std::uint64_t word = word_at(base + position);
    std::uint16_t& slot = slot_of(word);
    const std::uint32_t before = positions_wrap ? distance_minus_one(position, slot) : position - slot - 1;
    const std::uint32_t earlier = positions_wrap ? position - 1 - before : slot;
    slot = static_cast<std::uint16_t>(position);
    const std::uint64_t second = word_at(base + position + kWord) ^ word_at(base + earlier + kWord);
    const std::uint64_t mismatch = (word ^ word_at(base + earlier)) | (second & must_match) |
                                   static_cast<std::uint64_t>(before >= kMaxMatchDistance);
    return Candidate{earlier, second, mismatch == 0};
  };
  const auto length_at = [&](std::uint32_t position, const Candidate& candidate) HWY_ATTR {
    const auto max = std::min(kMaxMatchLength, end - position);
    return common_prefix(base + position, base + candidate.position, max);
  };

  std::uint32_t written = part.begin;
  auto position = std::max(written, kFirstPosition + 1);
  std::uint32_t misses = 0;
  while (position < stop) {
    Candidate candidate = candidate_at(position);
    if (!candidate.is_match) {
      position += 1 + (misses++ >> skip_bits);
      continue;
    }
    std::uint32_t length = length_at(position, candidate);
    if constexpr (is_lazy) {
      while (length < kMaxMatchLength / 4 && position + 1 < stop) {
        const Candidate next = candidate_at(position + 1);
        const std::uint32_t next_length = next.is_match ? length_at(position + 1, next) : 0;
        if (next_length <= length) {
          break;
        }
        ++position;
        candidate = next;
        length = next_length;
      }
    }
    // Extends the match backward by at most one word.
    const std::uint32_t room = std::min(position - written, kMaxMatchLength - length);
    const std::uint64_t before = word_at(base + position - kWord) ^ word_at(base + candidate.position - kWord);
    const std::uint32_t back = std::min(equal_last_bytes(before), room);
    *sequence++ = {position - back - coded_end, static_cast<std::uint16_t>(length + back),
                   static_cast<std::uint16_t>(position - candidate.position - 1)};
    written = position + length;
    coded_end = written;
    if constexpr (is_lazy) {
      for (std::uint32_t inside = position + 1; inside < std::min(written, stop); ++inside) {
        slot_of(word_at(base + inside)) = static_cast<std::uint16_t>(inside);
      }
    } else if (written < stop) {
      for (const std::uint32_t before_end : {kFarNoted, kNearNoted}) {
        slot_of(word_at(base + written - before_end)) = static_cast<std::uint16_t>(written - before_end);
      }
    }
    position = written;
    misses = 0;
  }
  if (written > end) {
    sequence[-1].match_length -= static_cast<std::uint16_t>(written - end);
    coded_end = end;
  }
  found = {sequence, coded_end};
}

/// Searches a part that is smaller than the block. Positions count from the start of the window before the part, so
/// that they stay below 2¹⁶.
void search_part(const MatchSettings& settings, std::uint16_t* positions, const std::uint8_t* base, const Part& part,
                 Found& found) {
  const std::uint32_t origin = part.begin > kMaxMatchDistance ? part.begin - kMaxMatchDistance : 0;
  prime(positions, settings.hash_bits, base, part.begin, origin);
  found.coded_end -= origin;
  find_sequences<false, false>(settings, positions, base + origin,
                               {part.begin - origin, part.end - origin, part.stop - origin}, found);
  found.coded_end += origin;
}

bool is_one_part(const std::uint8_t* base, std::uint32_t begin, std::uint32_t end) {
  std::uint32_t samples = 0;
  std::uint32_t nonzero = 0;
  for (std::uint32_t position = begin; position + kWord <= end; position += kSampleStep) {
    ++samples;
    nonzero += word_at(base + position) != 0 ? 1 : 0;
  }
  return gpuimg::png::is_one_part(samples, nonzero);
}

DeflateSequence* find_all(const MatchSettings& settings, std::uint16_t* positions, std::span<const std::uint8_t> bytes,
                          std::uint32_t begin, std::uint32_t end, DeflateSequence* sequences) {
  const std::uint8_t* const base = bytes.data();
  const auto size = static_cast<std::uint32_t>(bytes.size());
  Found found{sequences, begin};
  if (settings.is_lazy) {
    find_sequences<true, true>(settings, positions, base, {begin, end, search_end(end, size)}, found);
  } else if (is_one_part(base, begin, end)) {
    const Part whole{begin, end, search_end(end, size)};
    if (whole.begin < whole.stop) {
      prime(positions, settings.hash_bits, base, begin, 0);
      find_sequences<false, true>(settings, positions, base, whole, found);
    }
  } else {
    for (std::uint32_t at = begin; at < end; at += kPartBytes) {
      const std::uint32_t part_end = std::min(at + kPartBytes, end);
      const Part part{at, part_end, search_end(part_end, size)};
      if (part.begin < part.stop) {
        search_part(settings, positions, base, part, found);
      }
    }
  }
  *found.next++ = {end - found.coded_end, 0, 0};
  return found.next;
}

constexpr std::size_t kNone = 256;  ///< stands for "no literal"

/// Uses arithmetic, because compilers turn ?: into a branch, and the processor would mispredict half of its executions.
HWY_INLINE std::size_t literal_or_none(std::size_t literal, bool is_literal) {
  const std::size_t mask = 0 - std::size_t{is_literal};
  return (literal & mask) | (kNone & ~mask);
}

/// Uses four tables of counts, so that updates for equal neighboring literals do not wait for each other. Each table
/// has an extra entry for "no literal", so that the last literals before a match need no branches.
SymbolCounts counts_of(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences) {
  SymbolCounts counts;
  std::array<std::array<std::uint32_t, kNone + 1>, 4> tables{};
  std::array<std::uint32_t, kMaxMatchLength + 1> lengths{};
  const std::uint8_t* at = bytes.data();
  for (const DeflateSequence& sequence : sequences) {
    std::uint32_t left = sequence.literals;
    for (; left >= 4; left -= 4, at += 4) {
      for (std::size_t k = 0; k < 4; ++k) {
        ++tables[k][at[k]];
      }
    }
    if (sequence.match_length == 0) {
      for (; left > 0; --left) {
        ++tables[0][*at++];
      }
      break;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      ++tables[k][literal_or_none(at[k], k < left)];
    }
    at += left + sequence.match_length;
    ++lengths[sequence.match_length];
    ++counts.distances[coded_distance(sequence.distance_minus_one + 1U).symbol];
  }
  for (std::size_t literal = 0; literal < kNone; ++literal) {
    counts.literals[literal] = tables[0][literal] + tables[1][literal] + tables[2][literal] + tables[3][literal];
  }
  counts.literals[kEndOfBlock] = 1;
  for (std::uint32_t length = kMinMatchLength; length <= kMaxMatchLength; ++length) {
    counts.literals[coded_length(length).symbol] += lengths[length];
  }
  return counts;
}

/// The bits of each symbol. For a match length, they include the extra bits.
struct SequenceCodes {
  std::array<Bits, kNone + 1> literals;
  std::array<Bits, kMaxMatchLength + 1> lengths;
  std::array<Bits, kDistanceSymbols> distances;
  Bits end;

  explicit SequenceCodes(const CodeLengths& code_lengths) {
    std::array<Bits, kFixedLiteralSymbols> codes;
    assign_codes(code_lengths.literals, codes);
    std::copy_n(codes.begin(), kNone, literals.begin());
    literals[kNone] = {};
    end = codes[kEndOfBlock];
    for (std::uint32_t length = kMinMatchLength; length <= kMaxMatchLength; ++length) {
      const CodedValue coded = coded_length(length);
      lengths[length] = codes[coded.symbol].then({coded.extra, coded.extra_bits});
    }
    assign_codes(code_lengths.distances, distances);
  }

  [[nodiscard]] HWY_INLINE Bits four(const std::uint8_t* at) const {
    return literals[at[0]].then(literals[at[1]]).then(literals[at[2]].then(literals[at[3]]));
  }

  [[nodiscard]] Bits match(const DeflateSequence& sequence) const {
    const CodedValue distance = coded_distance(sequence.distance_minus_one + 1U);
    return lengths[sequence.match_length].then(distances[distance.symbol]).then({distance.extra, distance.extra_bits});
  }
};

void write(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, const CodeLengths& lengths,
           BitWriter& out) {
  const SequenceCodes codes(lengths);
  const std::uint8_t* at = bytes.data();
  BitWriter writer = out;  // a local copy stays in registers
  for (const DeflateSequence& sequence : sequences) {
    std::uint32_t left = sequence.literals;
    for (; left >= 8; left -= 8, at += 8) {
      const Bits first = codes.four(at);
      const Bits second = codes.four(at + 4);
      if (first.count + second.count <= BitWriter::kMaxBits) {  // this branch saves a store: 8 % of the time for noise
        writer.write(first.then(second));
      } else {
        writer.write(first);
        writer.write(second);
      }
    }
    if (left >= 4) {
      writer.write(codes.four(at));
      left -= 4;
      at += 4;
    }
    if (sequence.match_length == 0) {
      for (; left > 0; --left) {
        writer.write(codes.literals[*at++]);
      }
      break;
    }
    const auto rest = [&](std::uint32_t k) HWY_ATTR { return codes.literals[literal_or_none(at[k], k < left)]; };
    writer.write(rest(0).then(rest(1)).then(rest(2)));
    writer.write(codes.match(sequence));
    at += left + sequence.match_length;
  }
  writer.write(codes.end);
  out = writer;
}

}  // namespace gpuimg::codecs::deflate::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs::deflate {
namespace {
HWY_EXPORT(find_all);
HWY_EXPORT(counts_of);
HWY_EXPORT(write);
}  // namespace

MatchFinder::MatchFinder(const MatchSettings& settings)
    : settings_(settings), positions_(std::size_t{1} << settings.hash_bits) {
  restart();
}

void MatchFinder::restart() {
  std::fill(positions_.begin(), positions_.end(), static_cast<std::uint16_t>(kFirstPosition));
}

std::span<const DeflateSequence> MatchFinder::find(std::span<const std::uint8_t> bytes, std::size_t begin,
                                                   std::size_t end) {
  // The last match of each part can be shorter than min_length.
  const std::size_t most = (end - begin) / settings_.search.min_length + kPartsPerBlock + 1;
  if (sequences_.size() < most) {
    sequences_.resize(most);
  }
  const DeflateSequence* const last =
      HWY_DYNAMIC_DISPATCH(find_all)(settings_, positions_.data(), bytes, static_cast<std::uint32_t>(begin),
                                     static_cast<std::uint32_t>(end), sequences_.data());
  return {sequences_.data(), last};
}

SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences) {
  return HWY_DYNAMIC_DISPATCH(counts_of)(bytes, sequences);
}

void write_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences,
                   const CodeLengths& lengths, BitWriter& out) {
  HWY_DYNAMIC_DISPATCH(write)(bytes, sequences, lengths, out);
}

}  // namespace gpuimg::codecs::deflate
#endif

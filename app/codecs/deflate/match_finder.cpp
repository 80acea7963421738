// One candidate a place, by hash: app/codecs/deflate/match_finder.hpp. Branches that nobody can predict cost more here
// than anything else, so a candidate is judged in one, and lengths are counted in words.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/deflate/match_finder.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/deflate/match_finder.hpp"
#include "codecs/deflate/rfc1951.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::HWY_NAMESPACE {

constexpr std::uint32_t kFirstPlace = RepeatFinder::kFirstPlace;
constexpr std::uint32_t kWord = 8;
constexpr std::uint32_t kLookAhead = 40;  // no repeat begins this close to the end

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

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

/// How many bytes at `a` and `b` are equal, of `most`; three words are.
std::uint32_t equal_bytes_of_many(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t most) {
  std::uint32_t count = 3 * kWord;
  for (; count + kWord <= most; count += kWord) {
    if (const std::uint64_t difference = word_at(a + count) ^ word_at(b + count); difference != 0) {
      return count + equal_first_bytes(difference);
    }
  }
  while (count < most && a[count] == b[count]) {
    ++count;
  }
  return count;
}

/// The same where the first words are equal and the difference of the second ones is known.
HWY_INLINE std::uint32_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t second,
                                     std::uint32_t most) {
  const std::uint64_t third = word_at(a + 2 * kWord) ^ word_at(b + 2 * kWord);
  if ((second | third) == 0) {
    return equal_bytes_of_many(a, b, most);
  }
  return second != 0 ? kWord + equal_first_bytes(second) : 2 * kWord + equal_first_bytes(third);
}

/// `places`: by hash, where eight bytes last stood. `steps` must have room for as many as there may be.
template <bool looks_further>
DeflateStep* find_steps(const RepeatSearch& search, std::uint32_t* places, const std::uint8_t* base, std::size_t begin,
                        std::size_t end, DeflateStep* step) {
  const std::uint32_t hash_shift = 64 - search.table_bits;
  const std::uint64_t must_match =  // of the second word
      search.least_length == kWord ? 0 : ~std::uint64_t{0} >> 8 * (2 * kWord - search.least_length);
  const auto stop = static_cast<std::uint32_t>(end < kLookAhead ? 0 : end - kLookAhead);
  const auto slot_of = [&](std::uint64_t word) HWY_ATTR -> std::uint32_t& {
    return places[word * 0x9E3779B185EBCA87U >> hash_shift];  // 2⁶⁴ by the golden ratio: Knuth's multiplicative hash
  };
  struct Candidate {
    std::uint32_t place;
    std::uint64_t second;  // difference of the second words
    bool is_repeat;
  };
  const auto candidate_at = [&](std::uint32_t place) HWY_ATTR {
    const std::uint64_t word = word_at(base + place);
    std::uint32_t& slot = slot_of(word);
    const std::uint32_t earlier = slot;
    slot = place;
    const std::uint64_t second = word_at(base + place + kWord) ^ word_at(base + earlier + kWord);
    const std::uint64_t against = (word ^ word_at(base + earlier)) | (second & must_match) |
                                  static_cast<std::uint64_t>(place - earlier > kMostRepeatDistance);
    return Candidate{earlier, second, against == 0};
  };
  const auto length_at = [&](std::uint32_t place, const Candidate& candidate) HWY_ATTR {
    const auto most = std::min(kMostRepeatLength, static_cast<std::uint32_t>(end) - place);
    return equal_bytes(base + place, base + candidate.place, candidate.second, most);
  };

  auto written = static_cast<std::uint32_t>(begin);
  auto place = std::max(written, kFirstPlace + 1);
  std::uint32_t in_vain = 0;
  while (place < stop) {
    Candidate candidate = candidate_at(place);
    if (!candidate.is_repeat) {
      place += 1 + (in_vain++ >> search.patience_bits);
      continue;
    }
    std::uint32_t length = length_at(place, candidate);
    if constexpr (looks_further) {
      while (length < kMostRepeatLength / 4 && place + 1 < stop) {
        const Candidate next = candidate_at(place + 1);
        const std::uint32_t next_length = next.is_repeat ? length_at(place + 1, next) : 0;
        if (next_length <= length) {
          break;
        }
        ++place;
        candidate = next;
        length = next_length;
      }
    }
    const std::uint32_t room = std::min({place - written, candidate.place, kMostRepeatLength - length});
    const std::uint64_t before = word_at(base + place - kWord) ^ word_at(base + candidate.place - kWord);
    const std::uint32_t back = std::min(equal_last_bytes(before), room);
    *step++ = {place - back - written, static_cast<std::uint16_t>(length + back),
               static_cast<std::uint16_t>(place - candidate.place - 1)};
    written = place + length;
    if constexpr (looks_further) {
      for (std::uint32_t inside = place + 1; inside < std::min(written, stop); ++inside) {
        slot_of(word_at(base + inside)) = inside;
      }
    } else if (written < stop) {
      slot_of(word_at(base + written - 7)) = written - 7;
      slot_of(word_at(base + written - 2)) = written - 2;
    }
    place = written;
    in_vain = 0;
  }
  *step++ = {static_cast<std::uint32_t>(end) - written, 0, 0};
  return step;
}

DeflateStep* find_all(const RepeatSearch& search, std::uint32_t* places, const std::uint8_t* base, std::size_t begin,
                      std::size_t end, DeflateStep* step) {
  return search.looks_further ? find_steps<true>(search, places, base, begin, end, step)
                              : find_steps<false>(search, places, base, begin, end, step);
}

}  // namespace gpuimg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg {
namespace {
HWY_EXPORT(find_all);
}

RepeatFinder::RepeatFinder(const RepeatSearch& search)
    : search_(search), places_(std::size_t{1} << search.table_bits, kFirstPlace) {}

void RepeatFinder::restart() { std::fill(places_.begin(), places_.end(), kFirstPlace); }

void RepeatFinder::find(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t end,
                        std::vector<DeflateStep>& steps) {
  steps.resize((end - begin) / search_.least_length + 1);
  const DeflateStep* const last =
      HWY_DYNAMIC_DISPATCH(find_all)(search_, places_.data(), bytes.data(), begin, end, steps.data());
  steps.resize(static_cast<std::size_t>(last - steps.data()));
}

}  // namespace gpuimg
#endif

// Finds the same matches as the host's sequential search (app/codecs/deflate/compress_loops.cpp). A warp makes 30
// attempts at a time and keeps those that the sequential search would have made: all attempts up to the first hit.
#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"
#include "png/matches.hpp"

namespace gpuimg::cuda {
namespace {

using png::Match;

constexpr std::uint32_t kAll = ~0U;
constexpr std::uint32_t kLanes = 32;
/// These lanes note positions before the last match's end; the other lanes attempt matches.
constexpr std::uint32_t kNotingLanes = 2;
constexpr std::uint32_t kAttempts = kLanes - kNotingLanes;
constexpr std::uint32_t kSlots = 1U << png::kPartHashBits;

/// Sixteen bytes.
struct TwoWords {
  std::uint64_t first;
  std::uint64_t second;
};

/// `shift` is less than 64.
__device__ __forceinline__ std::uint64_t shifted(std::uint64_t low, std::uint64_t high, std::uint32_t shift) {
  return low >> shift | high << 1 << (63 - shift);
}

/// `base` is a multiple of eight. Reads whole words, up to 23 bytes past `position`.
__device__ __forceinline__ TwoWords two_words_at(const std::uint8_t* base, std::uint32_t position) {
  const auto* const words = reinterpret_cast<const unsigned long long*>(base) + position / 8;
  const std::uint64_t middle = __ldg(words + 1);
  const std::uint32_t shift = position % 8 * 8;
  return {shifted(__ldg(words), middle, shift), shifted(middle, __ldg(words + 2), shift)};
}

__device__ __forceinline__ std::uint64_t word_at(const std::uint8_t* base, std::uint32_t position) {
  const auto* const words = reinterpret_cast<const unsigned long long*>(base) + position / 8;
  return shifted(__ldg(words), __ldg(words + 1), position % 8 * 8);
}

__device__ bool is_one_part(const std::uint8_t* base, const png::PartPlace& part) {
  std::uint32_t samples = 0;
  std::uint32_t nonzero = 0;
  for (std::uint32_t begin = part.block_begin; begin < part.block_end; begin += kLanes * png::kSampleStep) {
    const std::uint32_t position = begin + threadIdx.x * png::kSampleStep;
    const bool is_sample = position + 8 <= part.block_end;
    samples += __popc(__ballot_sync(kAll, is_sample));
    nonzero += __popc(__ballot_sync(kAll, is_sample && word_at(base, position) != 0));
  }
  return png::is_one_part(samples, nonzero);
}

/// Mask of the lanes with the same slot. A lane that does not take part gets a mask of only itself.
__device__ __forceinline__ std::uint32_t lanes_of_slot(std::uint32_t slot, bool takes_part) {
  return __match_any_sync(kAll, takes_part ? slot : 1U << 31 | threadIdx.x);
}

/// The hash table of a part: for each slot, the last position noted.
class Table {
 public:
  __device__ Table(std::uint16_t* positions, const std::uint8_t* base, std::uint32_t begin)
      : positions_(positions), base_(base) {
    const std::uint32_t oldest = png::oldest_position(begin) & 0xFFFFU;
    const std::uint32_t both = oldest << 16 | oldest;
    for (std::uint32_t i = threadIdx.x; i < kSlots / 8; i += kLanes) {
      reinterpret_cast<uint4*>(positions_)[i] = make_uint4(both, both, both, both);
    }
    __syncwarp();
    prime(begin);
  }

  [[nodiscard]] __device__ std::uint16_t at(std::uint32_t slot) const { return positions_[slot]; }

  /// Stores positions; of the lanes with the same slot, only the highest stores. Ends with a warp barrier.
  __device__ void note(std::uint32_t slot, std::uint32_t position, bool takes_part, std::uint32_t same_lanes) {
    if (takes_part && same_lanes >> threadIdx.x == 1) {
      positions_[slot] = static_cast<std::uint16_t>(position);
    }
    __syncwarp();
  }

 private:
  /// Notes positions before the part. They are multiples of eight, and so are the positions at which parts begin.
  __device__ void prime(std::uint32_t begin) {
    constexpr std::uint32_t kLoads = 4;  // in flight
    static_assert(png::kPrimingStep % 8 == 0 && png::kPartBytes % 8 == 0 && png::kBlockBytes % 8 == 0);
    const auto* const words = reinterpret_cast<const unsigned long long*>(base_);
    constexpr std::uint32_t kStride = kLanes * png::kPrimingStep;
    for (std::uint32_t first = png::first_primed(begin); first < begin; first += kLoads * kStride) {
      const std::uint32_t position = first + threadIdx.x * png::kPrimingStep;
      std::uint64_t loaded[kLoads];
      for (std::uint32_t i = 0; i < kLoads; ++i) {
        const std::uint32_t at = position + i * kStride;
        loaded[i] = at < begin ? __ldg(words + at / 8) : 0;
      }
      for (std::uint32_t i = 0; i < kLoads; ++i) {
        const std::uint32_t at = position + i * kStride;
        const std::uint32_t slot = png::hash_slot(loaded[i], png::kPartHashBits);
        note(slot, at, at < begin, lanes_of_slot(slot, at < begin));
      }
    }
  }

  std::uint16_t* positions_;
  const std::uint8_t* base_;
};

/// Number of equal bytes at two positions.
struct Agreement {
  std::uint32_t length;  ///< from the positions on, at most 260
  std::uint32_t before;  ///< before the positions, at most 8
};

/// Measures one match with the whole warp. At least min_length bytes, which is 12 or more, are known to agree. Lane →
/// eight bytes after the first 12; the last lane compares the eight bytes before the positions.
__device__ Agreement agreement_of(const std::uint8_t* base, std::uint32_t position, std::uint32_t earlier) {
  constexpr std::uint32_t kKnown = 12;
  constexpr std::uint32_t kLast = kLanes - 1;
  const bool is_last = threadIdx.x == kLast;
  const std::uint32_t offset = is_last ? 0U - 8U : kKnown + 8 * threadIdx.x;
  const std::uint64_t difference = word_at(base, position + offset) ^ word_at(base, earlier + offset);
  const std::uint32_t equal =
      difference == 0 ? 8U
                      : static_cast<std::uint32_t>(is_last ? __clzll(static_cast<long long>(difference))
                                                           : __ffsll(static_cast<long long>(difference)) - 1) /
                            8;
  const std::uint32_t differing = __ballot_sync(kAll, !is_last && difference != 0);
  const std::uint32_t lane =
      differing == 0 ? kLast - 1 : static_cast<std::uint32_t>(__ffs(static_cast<int>(differing))) - 1;
  return {kKnown + 8 * lane + __shfl_sync(kAll, equal, static_cast<int>(lane)),
          __shfl_sync(kAll, equal, static_cast<int>(kLast))};
}

struct Bounds {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t stop;  ///< matches begin before this position
};

/// Each iteration makes 30 attempts and keeps the attempts up to the first hit.
__device__ void search(const PngJob& job, const std::uint8_t* base, Match* slots, Table& table, const Bounds& part) {
  const png::SearchSettings settings = png::search_settings(job.level);
  const std::uint64_t must_match = ~std::uint64_t{0} >> 8 * (16 - settings.min_length);  // of the second word
  const std::uint32_t lane = threadIdx.x;
  const bool is_noting = lane < kNotingLanes;
  std::uint32_t coded_end = part.begin;
  std::uint32_t place = max(part.begin, png::kFirstPosition + 1);
  std::uint32_t misses = 0;
  bool notes = part.begin > 0;
  while (place < part.stop) {
    std::uint32_t position = is_noting ? place - (lane == 0 ? png::kFarNoted : png::kNearNoted)
                                       : png::attempt_position(place, misses, lane - kNotingLanes, settings.skip_bits);
    const bool attempts = !is_noting && position < part.stop;
    const bool takes_part = attempts || (is_noting && notes);
    position = takes_part ? position : place;
    const TwoWords words = two_words_at(base, position);
    const std::uint32_t slot = png::hash_slot(words.first, png::kPartHashBits);
    const std::uint32_t same = lanes_of_slot(slot, takes_part);
    const std::uint32_t lower = same & ((1U << lane) - 1U);
    const int from = lower != 0 ? 31 - __clz(static_cast<int>(lower)) : static_cast<int>(lane);
    const std::uint32_t of_lane = __shfl_sync(kAll, position, from);
    const auto noted = static_cast<std::uint16_t>(lower != 0 ? of_lane : table.at(slot));
    const std::uint32_t before = png::distance_minus_one(position, noted);
    const bool is_near = attempts && before < png::kMaxMatchDistance;
    const std::uint32_t earlier = is_near ? position - 1 - before : position;
    const TwoWords candidate = two_words_at(base, earlier);
    const bool hits =
        is_near && ((words.first ^ candidate.first) | ((words.second ^ candidate.second) & must_match)) == 0;
    const std::uint32_t all_hits = __ballot_sync(kAll, hits);
    __syncwarp();  // all lanes have read the table
    if (all_hits == 0) {
      table.note(slot, position, takes_part, same);
      place = png::attempt_position(place, misses, kAttempts, settings.skip_bits);
      misses += kAttempts;
      notes = false;
      continue;
    }
    const int first = __ffs(static_cast<int>(all_hits)) - 1;
    const std::uint32_t kept = (2U << first) - 1U;  // lanes up to the first hit
    table.note(slot, position, takes_part && static_cast<int>(lane) <= first, same & kept);
    const std::uint32_t found = __shfl_sync(kAll, position, first);
    const std::uint32_t found_earlier = __shfl_sync(kAll, earlier, first);
    const Agreement agreement = agreement_of(base, found, found_earlier);
    const std::uint32_t length = min(agreement.length, min(png::kMaxMatchLength, part.end - found));
    const std::uint32_t room = min(found - coded_end, png::kMaxMatchLength - length);
    const std::uint32_t back = min(agreement.before, room);
    if (lane == 0) {
      slots[(found - back) / png::kSlotBytes] = Match::at(found - back, length + back, found - found_earlier - 1);
    }
    coded_end = found + length;
    place = coded_end;
    misses = 0;
    notes = true;
  }
}

/// Block of one warp → part. Shared memory: the table.
__global__ void __launch_bounds__(kLanes) find_in_part(const PngJob job) {
  __shared__ alignas(16) std::uint16_t positions[kSlots];
  const png::PartPlace part = job.layout.part(blockIdx.x);
  const std::uint8_t* const base = job.strip(part.strip);
  if (part.begin >= part.end) {
    return;
  }
  const bool is_whole = is_one_part(base, part);
  if (is_whole && part.begin != part.block_begin) {
    return;
  }
  const std::uint32_t end = is_whole ? part.block_end : part.end;
  const Bounds bounds{part.begin, end, png::search_end(end, job.layout.strip_bytes(part.strip))};
  if (bounds.begin < bounds.stop) {
    Table table(positions, base, bounds.begin);
    search(job, base, job.strip_slots(part.strip), table, bounds);
  }
}

}  // namespace

void find_matches(const Workspace& workspace, const PngJob& job) {
  find_in_part<<<job.layout.part_count(), kLanes, 0, workspace.stream()>>>(job);
  check_launch("finding matches for a PNG");
}

}  // namespace gpuimg::cuda

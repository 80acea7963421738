// Counts the symbols of each part, and writes the blocks: headers, packed codes, or stored bytes. A block of threads
// reads the literals and matches of a part in iterations of 16 bytes per thread.
#include <cub/block/block_scan.cuh>

#include "codecs/png/png_job.cuh"
#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kGroupThreads = 256;

/// Calls each(group, literals) for all groups of a part in order, on all threads at once. Threads past the end of the
/// part get an empty group. Barriers separate the iterations, which reuse the same shared memory.
class SymbolReader {
 public:
  struct Larger {
    __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a < b ? b : a; }
  };
  using Scan = cub::BlockScan<std::uint32_t, kGroupThreads>;

  struct Shared {
    typename Scan::TempStorage scan;
    std::uint32_t covered_end;
  };

  __device__ SymbolReader(const PngJob& job, const png::PartPlace& part, Shared& shared)
      : base_(job.strip(part.strip)), slots_(job.strip_slots(part.strip)), part_(part), shared_(shared) {}

  template <class Each>
  __device__ void read(Each&& each) {
    std::uint32_t covered_end = covered_before();
    for (std::uint32_t turn = part_.begin; turn < part_.end; turn += kGroupThreads * png::kGroupBytes) {
      const png::SymbolGroup group = load(turn + threadIdx.x * png::kGroupBytes);
      std::uint32_t before = 0;
      std::uint32_t last = 0;
      Scan(shared_.scan).ExclusiveScan(group.last_match_end(), before, 0U, Larger(), last);
      each(group, group.literals(max(before, covered_end)));
      covered_end = max(covered_end, last);
      __syncthreads();
    }
  }

 private:
  /// The end of the matches that begin before the part. Thread → slot of a match that may reach into the part.
  __device__ std::uint32_t covered_before() {
    constexpr std::uint32_t kSlots = (png::kMaxMatchLength + png::kSlotBytes - 1) / png::kSlotBytes;
    if (threadIdx.x == 0) {
      shared_.covered_end = 0;
    }
    __syncthreads();
    const std::uint32_t back = (threadIdx.x + 1) * png::kSlotBytes;
    if (threadIdx.x < kSlots && part_.begin >= part_.block_begin + back) {
      const std::uint32_t begin = part_.begin - back;
      const png::Match match = slots_[begin / png::kSlotBytes];
      if (match.exists()) {
        atomicMax(&shared_.covered_end, begin + match.offset() + match.length());
      }
    }
    __syncthreads();
    return shared_.covered_end;
  }

  /// Loads words of eight bytes, because parts begin at a multiple of eight bytes.
  [[nodiscard]] __device__ png::SymbolGroup load(std::uint32_t begin) const {
    png::SymbolGroup group;
    group.begin = begin;
    if (begin < part_.end) {
      group.count = min(part_.end - begin, png::kGroupBytes);
      const auto* const bytes = reinterpret_cast<const uint2*>(base_ + begin);
      const uint2 low = bytes[0];
      const uint2 high = bytes[1];
      group.bytes[0] = low.x;
      group.bytes[1] = low.y;
      group.bytes[2] = high.x;
      group.bytes[3] = high.y;
      group.matches[0] = slots_[begin / png::kSlotBytes];
      if (group.count > png::kSlotBytes) {  // otherwise the next slot may belong to another part
        group.matches[1] = slots_[begin / png::kSlotBytes + 1];
      }
    }
    return group;
  }

  const std::uint8_t* base_;
  const png::Match* slots_;
  png::PartPlace part_;
  Shared& shared_;
};

// --- Counting --------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kBytes = 256;

/// Block → part; thread → 16 bytes. Shared memory has a column of literal counts per lane, so that equal bytes of a
/// warp do not collide. Then each thread adds up the columns of one literal, starting in its own bank. Barriers
/// separate clearing, counting and adding.
__global__ void __launch_bounds__(kGroupThreads) count_part(const PngJob job) {
  __shared__ std::uint32_t columns[kBytes * kLanes];
  __shared__ PartCounts counts;
  __shared__ SymbolReader::Shared shared;
  static_assert(sizeof(columns) + sizeof(counts) + sizeof(shared) <= 48 * 1024 && kGroupThreads == kBytes);
  const png::PartPlace part = job.layout.part(blockIdx.x);
  for (std::uint32_t i = threadIdx.x; i < kBytes * kLanes; i += kGroupThreads) {
    columns[i] = 0;
  }
  for (std::uint32_t i = threadIdx.x; i < png::kLiteralSymbols; i += kGroupThreads) {
    counts.literals[i] = 0;
  }
  if (threadIdx.x < png::kDistanceSymbols) {
    counts.distances[threadIdx.x] = 0;
  }
  __syncthreads();
  const std::uint32_t lane = threadIdx.x % kLanes;
  SymbolReader(job, part, shared).read([&](const png::SymbolGroup& group, std::uint32_t literals) {
    group.for_each(
        literals, [&](std::uint32_t byte) { atomicAdd(&columns[byte * kLanes + lane], 1U); },
        [&](const png::Match& match) {
          atomicAdd(&counts.literals[png::coded_length(match.length()).symbol], 1U);
          atomicAdd(&counts.distances[png::coded_distance(match.distance()).symbol], 1U);
        });
  });
  __syncthreads();
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    sum += columns[threadIdx.x * kLanes + (threadIdx.x + i) % kLanes];
  }
  counts.literals[threadIdx.x] = sum;
  __syncthreads();
  PartCounts& to = job.counts[blockIdx.x];
  for (std::uint32_t i = threadIdx.x; i < png::kLiteralSymbols; i += kGroupThreads) {
    to.literals[i] = counts.literals[i];
  }
  if (threadIdx.x < png::kDistanceSymbols) {
    to.distances[threadIdx.x] = counts.distances[threadIdx.x];
  }
}

// --- Packing ---------------------------------------------------------------------------------------------------------

using png::BlockCodes;
using png::SymbolCode;

/// Upper bounds on code lengths in bits. The longest codes of a group are fifteen literals and one match. A part has at
/// most one end-of-block code.
constexpr std::uint32_t kMaxMatchBits = png::kMaxLiteralCodeBits + 5 + png::kMaxCodeBits + png::kMaxDistanceExtraBits;
constexpr std::uint32_t kMaxGroupBits = (png::kGroupBytes - 1) * png::kMaxLiteralCodeBits + kMaxMatchBits;
constexpr std::uint32_t kStagedWords = (kGroupThreads * kMaxGroupBits + png::kMaxLiteralCodeBits + 31) / 32 + 2;

struct PackShared {
  using Scan = cub::BlockScan<std::uint32_t, kGroupThreads>;

  SymbolReader::Shared reader;
  typename Scan::TempStorage scan;
  SymbolCode literals[png::kLiteralSymbols];
  SymbolCode distances[png::kDistanceSymbols];
  std::uint32_t staged[kStagedWords];
};

/// Calls put(bits, count) for each code of a group.
template <class Put>
__device__ void for_each_code(const PackShared& shared, const png::SymbolGroup& group, std::uint32_t literals,
                              bool ends_block, Put&& put) {
  const auto put_code = [&](SymbolCode code) { put(code.code(), code.bits()); };
  group.for_each(
      literals, [&](std::uint32_t byte) { put_code(shared.literals[byte]); },
      [&](const png::Match& match) {
        const png::CodedBits length = png::with_extra(shared.literals, png::coded_length(match.length()));
        const png::CodedBits distance = png::with_extra(shared.distances, png::coded_distance(match.distance()));
        put(length.bits, length.count);
        put(distance.bits, distance.count);
      });
  if (ends_block) {
    put_code(shared.literals[png::kEndOfBlock]);
  }
}

/// Thread → word of the block's first bits. Uses atomics, because other bits share the first and the last word.
__device__ void write_header(const BlockCodes& codes, std::uint64_t bit, std::uint32_t* words) {
  const auto shift = static_cast<std::uint32_t>(bit % 32);
  for (std::uint32_t i = threadIdx.x; i * 32 < codes.header_bits; i += kGroupThreads) {
    atomicOr(&words[bit / 32 + i], codes.header[i] << shift);
    if (const std::uint32_t high = __funnelshift_l(codes.header[i], 0, shift); high != 0) {
      atomicOr(&words[bit / 32 + i + 1], high);
    }
  }
}

/// Thread → 16 bytes per iteration. Stages the words of an iteration in shared memory. Combines the first and the last
/// of these words by "or", because other iterations and other blocks share them. Barriers separate clearing, packing
/// and storing.
__device__ void pack_part(const PngJob& job, const png::PartPlace& part, std::uint64_t bit, PackShared& shared) {
  auto* const words = reinterpret_cast<std::uint32_t*>(job.bytes);
  SymbolReader(job, part, shared.reader).read([&](const png::SymbolGroup& group, std::uint32_t literals) {
    const bool ends_block = group.count > 0 && group.begin + group.count == part.block_end;
    std::uint32_t bits = 0;
    for_each_code(shared, group, literals, ends_block, [&](std::uint32_t, std::uint32_t count) { bits += count; });
    std::uint32_t before = 0;
    std::uint32_t total = 0;
    PackShared::Scan(shared.scan).ExclusiveSum(bits, before, total);
    const auto first_bit = static_cast<std::uint32_t>(bit % 32);
    const std::uint32_t count = (first_bit + total + 31) / 32;
    for (std::uint32_t i = threadIdx.x; i < count; i += kGroupThreads) {
      shared.staged[i] = 0;
    }
    __syncthreads();
    const auto add_word = [&](std::uint64_t index, std::uint32_t word) { atomicOr(&shared.staged[index], word); };
    png::LowFirstPacker packer(first_bit + before, add_word);
    for_each_code(shared, group, literals, ends_block,
                  [&](std::uint32_t code, std::uint32_t code_bits) { packer.put(code, code_bits); });
    packer.finish();
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kGroupThreads) {
      std::uint32_t* const to = words + bit / 32 + i;
      if (i == 0 || i + 1 == count) {
        atomicOr(to, shared.staged[i]);
      } else {
        *to = shared.staged[i];
      }
    }
    bit += total;
  });
}

/// Thread → byte. Writes a header every kMaxStoredBytes bytes, counted from the beginning of the block.
__device__ void store_part(const PngJob& job, const png::PartPlace& part, std::uint64_t bit, bool is_last_block) {
  const auto put = [&](std::uint64_t byte, std::uint32_t value) { job.bytes[byte] = static_cast<std::uint8_t>(value); };
  const std::uint8_t* const base = job.strip(part.strip);
  const std::uint32_t block_bytes = part.block_end - part.block_begin;
  for (std::uint32_t at = part.begin + threadIdx.x; at < part.end; at += kGroupThreads) {
    const std::uint32_t i = at - part.block_begin;
    const std::uint64_t place = png::stored_byte_place(bit, i);
    put(place, base[at]);
    if (i % png::kMaxStoredBytes == 0) {
      const std::uint32_t left = block_bytes - i;
      const std::uint32_t length = min(left, static_cast<std::uint32_t>(png::kMaxStoredBytes));
      png::write_stored_length(place - png::kStoredLengthBytes, length, put);
      if (is_last_block && length == left) {
        const std::uint64_t header_bit = i == 0 ? bit : 8 * (place - png::kStoredLengthBytes - 1);
        atomicOr(reinterpret_cast<std::uint32_t*>(job.bytes) + header_bit / 32, 1U << (header_bit % 32));
      }
    }
  }
}

/// Block → part.
__global__ void __launch_bounds__(kGroupThreads) pack(const PngJob job) {
  __shared__ PackShared shared;
  const png::PartPlace part = job.layout.part(blockIdx.x);
  if (part.begin >= part.end) {
    return;
  }
  const BlockCodes& codes = job.blocks[part.block];
  const std::uint64_t block_bit = job.block_begins[part.block];
  if (codes.type == png::BlockType::stored) {
    const bool is_last = part.strip + 1 == job.layout.strips && part.block_end == job.layout.strip_bytes(part.strip);
    store_part(job, part, block_bit, is_last);
    return;
  }
  if (part.begin == part.block_begin) {
    write_header(codes, block_bit, reinterpret_cast<std::uint32_t*>(job.bytes));
  }
  for (std::uint32_t i = threadIdx.x; i < png::kLiteralSymbols; i += kGroupThreads) {
    shared.literals[i] = codes.literals[i];
  }
  if (threadIdx.x < png::kDistanceSymbols) {
    shared.distances[threadIdx.x] = codes.distances[threadIdx.x];
  }
  std::uint64_t bit = block_bit + codes.header_bits;
  for (std::uint32_t before = blockIdx.x - (part.begin - part.block_begin) / png::kPartBytes; before < blockIdx.x;
       ++before) {
    bit += job.part_bits[before];
  }
  __syncthreads();
  pack_part(job, part, bit, shared);
}

}  // namespace

void count_symbols(const Workspace& workspace, const PngJob& job) {
  count_part<<<job.layout.part_count(), kGroupThreads, 0, workspace.stream()>>>(job);
  check_launch("counting a PNG's symbols");
}

void pack_symbols(const Workspace& workspace, const PngJob& job) {
  pack<<<job.layout.part_count(), kGroupThreads, 0, workspace.stream()>>>(job);
  check_launch("packing a PNG's codes");
}

}  // namespace gpuimg::cuda

// Decodes the blocks of a PNG's stream. A round parses the new blocks, walks through their windows, and follows the
// chain of blocks from the first bit on. When the chain has reached the end, emits the symbols of all bytes.
#include <cub/block/block_scan.cuh>

#include "codecs/png/decoder_job.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "png/block_codes.hpp"
#include "png/symbols.hpp"
#include "png/windows.hpp"

namespace gpuimg::cuda {
namespace {

using png::DecodeShape;
using png::LaneWalk;
using png::WalkEnd;

constexpr std::uint32_t kAllLanes = ~0U;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kWalkThreads = DecodeShape{}.lanes;
constexpr std::uint32_t kWalkWarps = kWalkThreads / kWarp;
constexpr std::uint32_t kMostWindowWords = png::most_window_words(DecodeShape{});
static_assert(kWalkThreads % kWarp == 0 && kWalkWarps >= 2);

// --- Headers ---------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kParseThreads = 32;

/// Cuts a block into windows that reach up to the next known block.
__device__ void plan(const PngDecoderJob& job, const png::BlockList& list, std::uint32_t number, png::Block& block) {
  const DecodeShape shape;
  const std::uint32_t next =
      number < list.sorted ? number + 1 : png::first_block_from(list.blocks, list.sorted, block.data_begin);
  png::plan_block(block, next < list.sorted ? list.blocks[next].begin : job.stream.end, shape);
  block.first_window = atomicAdd(&job.findings->windows, block.windows);
  if (block.first_window + block.windows > job.lists.windows) {
    atomicOr(&job.findings->defects, png::Defect::too_many_blocks);
    block.windows = 0;
  }
  for (std::uint32_t i = 0; i < block.windows; ++i) {
    job.windows[block.first_window + i] = {number, i, 0, 0, 0, WalkEnd::failed, png::kUnknown};
  }
}

/// Thread → block that is not decoded yet.
__global__ void __launch_bounds__(kParseThreads) parse_blocks(const __grid_constant__ PngDecoderJob job) {
  __shared__ std::uint8_t entries[png::PrecodeTable::kEntries * kParseThreads];
  const png::BlockList list = job.block_list();
  if (job.findings->defects != 0 || job.findings->chain.is_done != 0) {
    return;  // if only some threads see a defect here, the results of this round are not used
  }
  const std::uint32_t first = job.findings->decoded_blocks + blockIdx.x * kParseThreads + threadIdx.x;
  for (std::uint32_t number = first; number < list.count; number += gridDim.x * kParseThreads) {
    std::uint8_t* const lengths = job.lengths + std::size_t{number} * png::kBlockLengths;
    for (std::uint32_t i = 0; i < png::kBlockLengths / 4; ++i) {
      reinterpret_cast<std::uint32_t*>(lengths)[i] = 0;
    }
    png::Block block{};
    block.begin = list.blocks[number].begin;
    png::parse_block(job.words(), job.stream.end, {entries + threadIdx.x, kParseThreads}, block,
                     [&](std::uint32_t place, std::uint32_t length, std::uint32_t count) {
                       for (std::uint32_t i = 0; i < count; ++i) {
                         lengths[place + i] = static_cast<std::uint8_t>(length);
                       }
                     });
    if (png::has_codes(block)) {
      plan(job, list, number, block);
    }
    list.blocks[number] = block;
  }
}

// --- Tables and data of a window -------------------------------------------------------------------------------------

/// Shared memory for decoding a window, 23 KiB.
struct WindowMemory {
  png::CodeTables tables;
  std::uint32_t words[kMostWindowWords];
};

/// Returns the sums over the lanes before this one; sets `total` to the sums over all lanes. All lanes of the warp must
/// call this.
__device__ png::LengthSums sums_before(const png::LengthSums& own, png::LengthSums& total) {
  const std::uint32_t lane = threadIdx.x % kWarp;
  png::LengthSums before;
  for (std::uint32_t i = 0; i < 4; ++i) {
    unsigned long long sum = own.of[i];
    for (std::uint32_t distance = 1; distance < kWarp; distance *= 2) {
      const unsigned long long other = __shfl_up_sync(kAllLanes, sum, distance);
      sum += lane >= distance ? other : 0;
    }
    before.of[i] = sum - own.of[i];
    total.of[i] = __shfl_sync(kAllLanes, sum, kWarp - 1);
  }
  return before;
}

/// Orders the symbols of one code with one warp. Lane → kCount adjacent symbols.
template <std::uint32_t kCount>
__device__ void order_code(const std::uint8_t* lengths, std::uint16_t* ordered, png::CanonicalCode& code) {
  const std::uint32_t first = threadIdx.x % kWarp * kCount;
  png::LengthSums total;
  const png::LengthSums before = sums_before(png::length_sums<kCount>(lengths + first), total);
  png::order_symbols<kCount>(lengths + first, first, before, total, ordered);
  if (threadIdx.x % kWarp == 0) {
    png::set_limits(total, code);
  }
}

/// The first warp orders literals, the second warp distances; then thread → every kWalkThreads-th entry. Barriers: the
/// order is complete; the entries are complete.
__device__ void build_tables(png::CodeTables& tables, const std::uint8_t* lengths) {
  static_assert(png::kTableLanes == kWarp);
  if (threadIdx.x < kWarp) {
    order_code<png::kLiteralsPerLane>(lengths, tables.ordered, tables.literal_code);
  } else if (threadIdx.x < 2 * kWarp) {
    order_code<png::kDistancesPerLane>(lengths + png::kDistanceLengths, tables.ordered + png::kDistanceLengths,
                                       tables.distance_code);
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < 1U << png::CodeTables::kLiteralBits; i += kWalkThreads) {
    tables.literals[i] = png::table_entry<true>(tables, i);
  }
  for (std::uint32_t i = threadIdx.x; i < 1U << png::CodeTables::kDistanceBits; i += kWalkThreads) {
    tables.distances[i] = png::table_entry<false>(tables, i);
  }
  __syncthreads();
}

/// Copies words of the stream to shared memory; words past its end are zero. The caller must put a barrier before they
/// are read.
__device__ void stage(const PngDecoderJob& job, WindowMemory& shared, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t i = threadIdx.x; i < min(count, kMostWindowWords); i += kWalkThreads) {
    shared.words[i] = first + i < job.stream_words ? job.words()[first + i] : 0;
  }
}

// --- Walks -----------------------------------------------------------------------------------------------------------

using ScanBytes = cub::BlockScan<std::uint32_t, kWalkThreads>;

/// Shared memory of walk_windows(), 28 KiB.
struct WalkShared {
  WindowMemory window;
  std::uint32_t checkpoint_bits[png::Checkpoints::kCount][kWalkThreads];
  std::uint32_t checkpoint_bytes[png::Checkpoints::kCount][kWalkThreads];
  std::uint32_t exits[kWalkThreads];
  WalkEnd outcomes[kWalkThreads];
  std::uint32_t wrong[kWalkWarps];  ///< one bit per lane
  std::uint32_t ended[kWalkWarps];
  typename ScanBytes::TempStorage scan;
};

/// The first lane whose bit is set; kWalkThreads if none is.
__device__ std::uint32_t first_lane(const std::uint32_t (&masks)[kWalkWarps]) {
  std::uint32_t first = kWalkThreads;
  for (std::uint32_t warp = kWalkWarps; warp-- > 0;) {
    first = masks[warp] != 0 ? warp * kWarp + lowest_bit(masks[warp]) : first;
  }
  return first;
}

/// Lanes walk again until each begins where the lane before it ends, up to the end of the block. Returns the last lane
/// that counts. Each round corrects at least one more lane. Barriers of a round: all lanes have stored their results;
/// all warps have stored which lanes are wrong.
__device__ std::uint32_t settle_lanes(WalkShared& shared, const png::Subsequence& place,
                                      const png::Checkpoints& checkpoints, LaneWalk& lane) {
  for (;;) {
    shared.exits[threadIdx.x] = lane.exit;
    shared.outcomes[threadIdx.x] = lane.outcome;
    __syncthreads();
    LaneWalk before{};
    before.exit = threadIdx.x == 0 ? lane.entry : shared.exits[threadIdx.x - 1];
    before.outcome = threadIdx.x == 0 ? WalkEnd::reached : shared.outcomes[threadIdx.x - 1];
    const bool walks = png::must_walk_again(lane, before);
    const std::uint32_t wrong = __ballot_sync(kAllLanes, walks || before.outcome != WalkEnd::reached);
    const std::uint32_t ended = __ballot_sync(kAllLanes, lane.outcome != WalkEnd::reached);
    if (threadIdx.x % kWarp == 0) {
      shared.wrong[threadIdx.x / kWarp] = wrong;
      shared.ended[threadIdx.x / kWarp] = ended;
    }
    __syncthreads();
    const std::uint32_t first_wrong = first_lane(shared.wrong);
    const std::uint32_t first_end = first_lane(shared.ended);
    if (first_end < first_wrong || first_wrong == kWalkThreads) {
      return min(first_end, kWalkThreads - 1);
    }
    if (walks) {
      png::walk_again(shared.window.words, shared.window.tables, place, before.exit, checkpoints, lane);
    }
  }
}

/// Stores where each lane begins, and the window's results. Lanes after the last lane that counts begin where that lane
/// ends.
__device__ void keep(const PngDecoderJob& job, WalkShared& shared, std::uint32_t number, std::uint32_t base,
                     const LaneWalk& lane, std::uint32_t last) {
  const bool counts = threadIdx.x <= last;
  const std::uint32_t exit = base + shared.exits[last];
  std::uint32_t before = 0;
  std::uint32_t bytes = 0;
  ScanBytes(shared.scan).ExclusiveSum(counts ? lane.bytes : 0U, before, bytes);
  job.lanes[std::size_t{number} * kWalkThreads + threadIdx.x] = {counts ? base + lane.entry : exit, before};
  if (threadIdx.x == 0) {
    png::Window& window = job.windows[number];
    window.entry = base + lane.entry;
    window.exit = exit;
    window.bytes = bytes;
    window.outcome = exit > job.stream.end ? WalkEnd::failed : shared.outcomes[last];
  }
}

/// Block → window; thread → subsequence. The first pass walks all windows of the round, from guessed entries except for
/// the first window of each block. Later passes walk the windows that did not begin where the previous window ended.
/// Barriers: those in build_tables, after which the staged words are also complete; the last one comes before shared
/// memory is reused.
__global__ void __launch_bounds__(kWalkThreads)
    walk_windows(const __grid_constant__ PngDecoderJob job, std::uint32_t pass) {
  __shared__ WalkShared shared;
  const PngDecoderFindings& findings = *job.findings;
  if (findings.defects != 0 || findings.chain.is_done != 0) {
    return;
  }
  const DecodeShape shape;
  const std::uint32_t first = findings.decoded_windows;
  const std::uint32_t count = pass == 0 ? findings.windows - first : findings.repairs[pass - 1];
  for (std::uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
    const std::uint32_t number = pass == 0 ? first + i : job.repairs[i].window;
    const png::Window window = job.windows[number];
    const png::Block block = job.blocks[window.block];
    const png::WindowPlace place = png::window_place(block, window.number, job.stream.end, shape);
    const std::uint32_t base = 32 * place.first_word;
    stage(job, shared.window, place.first_word, place.words);
    build_tables(shared.window.tables, job.lengths + std::size_t{window.block} * png::kBlockLengths);
    const std::uint32_t known = pass != 0            ? job.repairs[i].entry
                                : window.number == 0 ? block.data_begin
                                                     : png::kUnknown;
    const std::uint32_t entry = threadIdx.x == 0 && known != png::kUnknown ? known - base : png::kUnknown;
    const png::Subsequence subsequence = place.lane(threadIdx.x);
    const png::Checkpoints checkpoints{&shared.checkpoint_bits[0][threadIdx.x],
                                       &shared.checkpoint_bytes[0][threadIdx.x], kWalkThreads};
    LaneWalk lane = png::first_walk(shared.window.words, shared.window.tables, subsequence, entry, checkpoints);
    const std::uint32_t last = settle_lanes(shared, subsequence, checkpoints, lane);
    keep(job, shared, number, base, lane, last);
    __syncthreads();
  }
}

// --- Windows to blocks, blocks to the stream -------------------------------------------------------------------------

constexpr std::uint32_t kJoinThreads = 64;

/// Thread → block of the round.
__global__ void __launch_bounds__(kJoinThreads)
    join_windows(const __grid_constant__ PngDecoderJob job, std::uint32_t pass) {
  const png::BlockList list = job.block_list();
  if (job.findings->defects != 0 || job.findings->chain.is_done != 0) {
    return;
  }
  const std::uint32_t first = job.findings->decoded_blocks + blockIdx.x * kJoinThreads + threadIdx.x;
  for (std::uint32_t number = first; number < list.count; number += gridDim.x * kJoinThreads) {
    png::join_windows(list.blocks[number], job.windows, [&](const png::Repair& repair) {
      const std::uint32_t place = atomicAdd(&job.findings->repairs[pass], 1U);
      if (place < job.lists.windows) {
        job.repairs[place] = repair;
      }
    });
  }
}

constexpr std::uint32_t kChainThreads = 1024;
using ScanChain = cub::BlockScan<unsigned long long, kChainThreads>;

/// The first blocks of the list usually follow one another in the stream, too. Sets the offsets of these blocks. Thread
/// → block. Returns their number, and adds their decoded size to `bytes`. Barriers: the minimum is initialized; the
/// minimum is complete; in the loop, before the prefix sum's storage is reused.
__device__ std::uint32_t skip_regular_blocks(const PngDecoderJob& job, const png::BlockList& list,
                                             typename ScanChain::TempStorage& memory, unsigned long long& bytes) {
  __shared__ std::uint32_t regular;
  if (threadIdx.x == 0) {
    regular = list.sorted;
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < list.sorted; i += kChainThreads) {
    if (!png::is_followed_by_next(job.stream, list, i)) {
      atomicMin(&regular, i);
      break;
    }
  }
  __syncthreads();
  const std::uint32_t count = regular;
  for (std::uint32_t base = 0; base < count; base += kChainThreads) {
    const std::uint32_t i = base + threadIdx.x;
    unsigned long long before = 0;
    unsigned long long all = 0;
    ScanChain(memory).ExclusiveSum(i < count ? list.blocks[i].bytes : 0ULL, before, all);
    if (i < count) {
      list.blocks[i].offset = static_cast<std::uint32_t>(min(bytes + before, 1ULL * job.stream.bytes));
    }
    bytes += all;
    __syncthreads();
  }
  return count;
}

/// One block. All threads find the regular part of the chain; then the first thread follows the rest of the chain and
/// ends the round.
__global__ void __launch_bounds__(kChainThreads) follow_chain(const __grid_constant__ PngDecoderJob job) {
  __shared__ typename ScanChain::TempStorage memory;
  PngDecoderFindings& findings = *job.findings;
  png::Chain chain = findings.chain;
  png::BlockList list = job.block_list();
  // After this barrier, the first thread may change the findings, which all threads have read.
  if (__syncthreads_or(findings.defects != 0 || chain.is_done != 0 ? 1 : 0) != 0) {
    return;
  }
  if (chain.bit == png::kFirstBlockBit && list.blocks[0].begin == png::kFirstBlockBit) {
    unsigned long long bytes = 0;
    const std::uint32_t count = skip_regular_blocks(job, list, memory, bytes);
    chain.bit = list.blocks[count].begin;
    chain.bytes = static_cast<std::uint32_t>(bytes);
    chain.defects |= bytes > job.stream.bytes ? png::Defect::bad_size : 0U;
  }
  if (threadIdx.x != 0) {
    return;
  }
  const std::uint32_t decoded = list.count;
  if (chain.defects == 0) {
    png::follow_chain(chain, job.stream, list, job.runs, job.lists.stored_runs);
  }
  findings.chain = chain;
  findings.defects |= chain.defects;
  findings.blocks = list.count;
  findings.decoded_blocks = decoded;
  findings.decoded_windows = findings.windows;
  for (std::uint32_t& repairs : findings.repairs) {
    repairs = 0;
  }
}

// --- Symbols ---------------------------------------------------------------------------------------------------------

/// Block → window; thread → lane. Barriers: those in build_tables, after which the staged words are also complete; the
/// last one comes before shared memory is reused.
__global__ void __launch_bounds__(kWalkThreads) emit_windows(const __grid_constant__ PngDecoderJob job) {
  __shared__ WindowMemory shared;
  // The vote makes all threads of a block agree: another block may report a defect while they read.
  if (__syncthreads_or(job.is_proved() ? 0 : 1) != 0) {
    return;
  }
  for (std::uint32_t number = blockIdx.x; number < job.findings->windows; number += gridDim.x) {
    const png::Window window = job.windows[number];
    const std::uint32_t offset = job.blocks[window.block].offset;
    if (window.offset == png::kUnknown || offset == png::kUnknown) {
      continue;
    }
    const png::LaneStart* const lanes = job.lanes + std::size_t{number} * kWalkThreads;
    const std::uint32_t first_word = lanes[0].bit / 32;
    const std::uint32_t base = 32 * first_word;
    stage(job, shared, first_word, (window.exit - base) / 32 + png::kWordsBehind);
    build_tables(shared.tables, job.lengths + std::size_t{window.block} * png::kBlockLengths);
    const png::LaneStart start = lanes[threadIdx.x];
    const std::uint32_t end = threadIdx.x + 1 < kWalkThreads ? lanes[threadIdx.x + 1].bit : window.exit;
    const bool is_valid =
        start.bit >= end || png::emit_symbols(png::BitCursor(shared.words, start.bit - base), shared.tables, end - base,
                                              offset + window.offset + start.bytes, {job.symbols});
    if (!is_valid) {
      atomicOr(&job.findings->defects, png::Defect::bad_distance);
    }
    __syncthreads();
  }
}

constexpr std::uint32_t kCopyThreads = 256;

/// Block → run of stored bytes.
__global__ void __launch_bounds__(kCopyThreads) emit_stored(const __grid_constant__ PngDecoderJob job) {
  if (!job.is_proved()) {
    return;
  }
  for (std::uint32_t number = blockIdx.x; number < job.findings->chain.stored_runs; number += gridDim.x) {
    const png::StoredRun run = job.runs[number];
    for (std::uint32_t i = threadIdx.x; i < run.size; i += kCopyThreads) {
      job.symbols[run.to + i] = job.stream_bytes[run.from + i];
    }
  }
}

}  // namespace

void decode_blocks(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 8;
  parse_blocks<<<block_count(workspace, job.lists.blocks, kParseThreads, 2), kParseThreads, 0, workspace.stream()>>>(
      job);
  check_launch("parsing a PNG's blocks");
  for (std::uint32_t pass = 0; pass < kMostPasses; ++pass) {
    walk_windows<<<block_count(workspace, job.lists.windows, 1, kBlocksPerSm), kWalkThreads, 0, workspace.stream()>>>(
        job, pass);
    check_launch("decoding a PNG's blocks");
    join_windows<<<block_count(workspace, job.lists.blocks, kJoinThreads, 2), kJoinThreads, 0, workspace.stream()>>>(
        job, pass);
    check_launch("joining a PNG's blocks");
  }
  follow_chain<<<1, kChainThreads, 0, workspace.stream()>>>(job);
  check_launch("following a PNG's blocks");
}

void emit_symbols(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 9;
  emit_windows<<<block_count(workspace, job.lists.windows, 1, kBlocksPerSm), kWalkThreads, 0, workspace.stream()>>>(
      job);
  check_launch("emitting a PNG's bytes");
  emit_stored<<<block_count(workspace, job.lists.stored_runs, 1, 2), kCopyThreads, 0, workspace.stream()>>>(job);
  check_launch("emitting a PNG's bytes");
}

}  // namespace gpuimg::cuda

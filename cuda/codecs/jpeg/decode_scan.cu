// Decodes a scan: first finds, at the start of every subsequence, the decoder's state, the number of blocks so far and
// the DC sums; then decodes the coefficients of all blocks. Proves that the states equal the states of sequential
// decoding.
#include <cub/block/block_scan.cuh>

#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/jpeg_job.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"

namespace gpuimg::cuda {
namespace {

using jpeg::DecoderState;
using jpeg::Defect;
using jpeg::ScanSums;
using jpeg::SegmentSums;
using jpeg::Subsequence;

constexpr std::uint32_t kJoinThreads = 256;
constexpr std::uint32_t kParts = 2;  ///< parts per subsequence: see jpeg::part_end
constexpr std::uint32_t kTileParts = kParts * kTileThreads;
constexpr std::uint32_t kMaxRounds = 256;
constexpr std::uint32_t kRepairRounds = 4;
constexpr std::uint32_t kRepairBudget = 256;

struct AddSums {
  __device__ SegmentSums operator()(const SegmentSums& a, const SegmentSums& b) const { return a + b; }
};

/// Shared memory of synchronize().
struct SyncMemory {
  alignas(16) std::uint16_t groups[jpeg::kGroupEntries];
  DecoderState ends[kTileParts];
  ScanSums own[kTileParts];
  std::uint32_t begin[kTileThreads];
  std::uint32_t flows_to[kTileThreads];  ///< end bit; 0 if the subsequence does not continue from its predecessor
  std::uint16_t changed[2][kTileThreads];
  std::uint32_t changed_count[2];
};
static_assert(sizeof(SyncMemory::groups) % sizeof(uint4) == 0);

__device__ jpeg::SubsequenceTable table_of(const JpegJob& job) {
  jpeg::SubsequenceTable table = job.table;
  table.count = job.findings->subsequences;
  return table;
}

/// Skims parts again, each from its predecessor's end state, until no end state changes. Thread → entry of the list of
/// changed parts, whose successor it skims. Barriers of a round: states are read before they are written, and written
/// before the next round. Returns false after too many rounds.
__device__ bool settle(SyncMemory& shared, const jpeg::ScanCode& code) {
  int now = 0;
  for (std::uint32_t round = 0;; ++round) {
    const std::uint32_t count = shared.changed_count[now];
    if (count == 0 || round == kMaxRounds) {
      return count == 0;
    }
    const std::uint32_t to = threadIdx.x < count ? shared.changed[now][threadIdx.x] + 1U : kTileParts;
    const std::uint32_t subsequence = to / kParts;
    const bool flows = to < kTileParts && shared.flows_to[subsequence] != 0;
    DecoderState state;
    DecoderState known;
    if (flows) {
      state = shared.ends[to - 1];
      known = shared.ends[to];
    }
    if (threadIdx.x == 0) {
      shared.changed_count[1 - now] = 0;
    }
    __syncthreads();
    if (flows) {
      shared.own[to] = jpeg::skim(code, state,
                                  jpeg::part_end(shared.begin[subsequence], shared.flows_to[subsequence],
                                                 kSubsequenceBits, to % kParts, kParts));
      if (!(state == known)) {
        shared.ends[to] = state;
        shared.changed[1 - now][atomicAdd(&shared.changed_count[1 - now], 1U)] = static_cast<std::uint16_t>(to);
      }
    }
    __syncthreads();
    now = 1 - now;
  }
}

/// Block → tile of 250 subsequences and the six before it; thread → subsequence, which it first skims from a guessed
/// state. Dynamic shared memory: SyncMemory, 47 KiB. Barriers: the tables are complete; the guesses are complete.
__global__ void __launch_bounds__(kTileThreads) synchronize(const __grid_constant__ JpegJob job) {
  extern __shared__ uint4 dynamic_shared[];
  SyncMemory& shared = *reinterpret_cast<SyncMemory*>(dynamic_shared);
  const jpeg::SubsequenceTable table = table_of(job);
  const std::uint32_t first = blockIdx.x * kTileSize;
  if (first >= table.count) {
    return;
  }
  copy_to_shared(shared.groups, job.huffman->groups, sizeof(shared.groups));
  if (threadIdx.x == 0) {
    shared.changed_count[0] = kTileThreads;
  }
  __syncthreads();
  const jpeg::ScanCode code{job.words, job.huffman->symbols, shared.groups, job.mcu};
  const std::uint32_t number = first + threadIdx.x - kRunIn;  // wraps in the run-in of the first tile
  const bool exists = number < table.count;
  const std::uint32_t part = threadIdx.x * kParts;
  Subsequence place;
  if (exists) {
    place = jpeg::subsequence_at(job.segments(), number);
    jpeg::ScanCursor cursor(code, place.guess());
    for (std::uint32_t i = 0; i < kParts; ++i) {
      shared.own[part + i] =
          jpeg::skim(code, cursor, jpeg::part_end(place.begin, place.end, kSubsequenceBits, i, kParts));
      shared.ends[part + i] = cursor.state();
    }
  }
  shared.begin[threadIdx.x] = place.begin;
  shared.flows_to[threadIdx.x] = exists && !place.is_first ? place.end : 0;
  // Threads without a subsequence also list a change, which has no effect: the next thread has the first subsequence of
  // a segment, or none.
  shared.changed[0][threadIdx.x] = static_cast<std::uint16_t>(part + kParts - 1);
  __syncthreads();
  if (!settle(shared, code) && threadIdx.x == 0) {
    atomicOr(&job.findings->defects, Defect::not_synchronized);
  }
  if (exists && threadIdx.x >= kRunIn) {
    table.ends[number] = shared.ends[part + kParts - 1];
    ScanSums own;
    for (std::uint32_t i = 0; i < kParts; ++i) {
      own = own + shared.own[part + i];
    }
    table.own[number] = own;
  }
  if (threadIdx.x == 0 && blockIdx.x != 0) {
    table.assumed_ends[blockIdx.x] = shared.ends[kRunIn * kParts - 1];
  }
}

/// One block. Thread → tile: repairs the tiles whose run-in was too short. Barriers of a round: a tile's start is read
/// before the previous tile writes its new end; the ends and the defects are written before the next round reads them.
__global__ void __launch_bounds__(kJoinThreads) repair_tiles(const __grid_constant__ JpegJob job) {
  const jpeg::SubsequenceTable table = table_of(job);
  if (job.findings->defects != 0) {
    return;
  }
  const jpeg::ScanCode code{job.words, job.huffman->symbols, job.huffman->groups, job.mcu};
  for (std::uint32_t base = 0; base < table.tile_count(); base += kJoinThreads) {
    const std::uint32_t tile = base + threadIdx.x;
    for (std::uint32_t round = 0;; ++round) {
      const bool agrees = tile >= table.tile_count() || jpeg::tile_agrees(table, job.segments(), tile);
      const DecoderState start = agrees ? DecoderState{} : table.ends[tile * kTileSize - 1];
      if (__syncthreads_or(agrees ? 0 : 1) == 0) {
        break;
      }
      std::uint32_t budget = round < kRepairRounds ? kRepairBudget : 0;
      if (!agrees && !jpeg::repair_tile(table, job.segments(), code, tile, start, budget)) {
        atomicOr(&job.findings->defects, Defect::not_synchronized);
      }
      __syncthreads();
      if ((*static_cast<volatile std::uint32_t*>(&job.findings->defects) & Defect::not_synchronized) != 0) {
        return;
      }
      __syncthreads();
    }
  }
}

/// Block → tile; thread → subsequence: adds up the sums of the subsequences before it in its tile.
__global__ void __launch_bounds__(kTileThreads) add_up_tile(const __grid_constant__ JpegJob job) {
  using Scan = cub::BlockScan<SegmentSums, kTileThreads>;
  __shared__ typename Scan::TempStorage scan;
  const jpeg::SubsequenceTable table = table_of(job);
  const std::uint32_t number = blockIdx.x * kTileSize + threadIdx.x;
  if (blockIdx.x >= table.tile_count() || job.findings->defects != 0) {
    return;
  }
  const bool owns = threadIdx.x < kTileSize && number < table.count;
  const bool begins_segment = owns && jpeg::subsequence_at(job.segments(), number).is_first;
  const SegmentSums own = owns ? SegmentSums{table.own[number], begins_segment ? 1U : 0U} : SegmentSums{};
  SegmentSums before;
  SegmentSums total;
  Scan(scan).ExclusiveScan(own, before, SegmentSums{}, AddSums{}, total);
  if (owns) {
    table.before[number] = begins_segment ? ScanSums{} : before.sums;
  }
  if (threadIdx.x == 0) {
    table.tile_sums[blockIdx.x] = total;
  }
}

/// One block. Thread → tile: adds up the sums of the tiles before it. Barrier at the end of each iteration: the next
/// iteration reuses the prefix sum's storage.
__global__ void __launch_bounds__(kJoinThreads) add_up_tiles(const __grid_constant__ JpegJob job) {
  using Scan = cub::BlockScan<SegmentSums, kJoinThreads>;
  __shared__ typename Scan::TempStorage scan;
  const jpeg::SubsequenceTable table = table_of(job);
  if (job.findings->defects != 0) {
    return;
  }
  SegmentSums carry;
  for (std::uint32_t base = 0; base < table.tile_count(); base += kJoinThreads) {
    const std::uint32_t tile = base + threadIdx.x;
    const SegmentSums sums = tile < table.tile_count() ? table.tile_sums[tile] : SegmentSums{};
    SegmentSums before;
    SegmentSums total;
    Scan(scan).ExclusiveScan(sums, before, SegmentSums{}, AddSums{}, total);
    if (tile < table.tile_count()) {
      table.before_tile[tile] = (carry + before).sums;
    }
    carry = carry + total;
    __syncthreads();
  }
}

// --- The coefficients of all blocks ----------------------------------------------------------------------------------

constexpr std::uint32_t kWalkThreads = 256;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kBlockWords = 8;  ///< words of 16 bytes per block
constexpr int kSymbolsAtOnce = 2;         ///< symbols decoded between two votes of the warp
constexpr int kGather = 8;  ///< once this many threads wait, the warp stores their blocks and begins new ones
constexpr std::uint32_t kBufferWords = 9;  ///< one spare word, so that the threads of a warp use different banks

/// A finished block: where to store it, and which lane holds it.
struct FinishedBlock {
  std::uint32_t number;
  std::uint32_t lane;
};

/// Shared memory of write_coefficients(), 58 KiB.
struct WalkMemory {
  alignas(16) uint4 buffers[kWalkThreads][kBufferWords];  ///< one block per thread; zero where nothing is written
  alignas(16) std::uint16_t symbols[jpeg::kSymbolEntries];
  FinishedBlock finished[kWalkThreads];
  jpeg::TransposedZigzag zigzag;
};

/// Stores the blocks that the threads of a warp have finished, four at a time with eight lanes each, and clears their
/// buffers. All lanes must call this; `finished` is true for lanes that hold a finished block.
__device__ void store_blocks(WalkMemory& shared, const JpegJob& job, bool finished, std::uint32_t number) {
  const std::uint32_t lane = threadIdx.x % kWarp;
  const std::uint32_t warp = threadIdx.x - lane;
  const std::uint32_t mask = __ballot_sync(~0U, finished);
  if (finished) {
    const auto place = static_cast<std::uint32_t>(__popc(mask & ((1U << lane) - 1U)));
    shared.finished[warp + place] = {number, lane};
  }
  __syncwarp();  // the list and the buffers are written
  const auto count = static_cast<std::uint32_t>(__popc(mask));
  for (std::uint32_t i = lane / kBlockWords; i < count; i += kWarp / kBlockWords) {
    const FinishedBlock block = shared.finished[warp + i];
    uint4& word = shared.buffers[warp + block.lane][lane % kBlockWords];
    if (block.number != jpeg::BlockWalk::kForeign) {
      reinterpret_cast<uint4*>(job.coefficients)[std::size_t{block.number} * kBlockWords + lane % kBlockWords] = word;
    }
    word = uint4{0, 0, 0, 0};
  }
  __syncwarp();  // the list and the buffers are free
}

/// Thread → subsequence; it decodes the blocks that begin in the subsequence. Dynamic shared memory: WalkMemory.
/// Barrier: the tables are complete and the buffers are clear; after it, warps run independently.
__global__ void __launch_bounds__(kWalkThreads) write_coefficients(const JpegJob job) {
  extern __shared__ uint4 dynamic_shared[];
  WalkMemory& shared = *reinterpret_cast<WalkMemory*>(dynamic_shared);
  const std::uint32_t count = job.findings->subsequences;
  const std::uint32_t number = blockIdx.x * kWalkThreads + threadIdx.x;
  if (blockIdx.x * kWalkThreads >= count || (job.findings->defects & jpeg::Defect::not_synchronized) != 0) {
    return;
  }
  copy_to_shared(shared.symbols, job.huffman->symbols, sizeof(shared.symbols));
  for (std::uint32_t i = 0; i < kBufferWords; ++i) {
    shared.buffers[threadIdx.x][i] = uint4{0, 0, 0, 0};
  }
  if (threadIdx.x == 0) {
    shared.zigzag = jpeg::kTransposedZigzag;
  }
  __syncthreads();
  const jpeg::ScanCode code{job.words, shared.symbols, nullptr, job.mcu};
  // Threads beyond the last subsequence have nothing to decode, but help to store.
  const jpeg::SubsequenceTask task =
      number < count ? jpeg::task_at(job.table, job.segments(), job.layout, number) : jpeg::SubsequenceTask{};
  auto* const buffer = reinterpret_cast<std::int16_t*>(shared.buffers[threadIdx.x]);
  const auto put = [&](std::uint32_t place, std::int16_t value) { buffer[shared.zigzag.place[place]] = value; };
  jpeg::BlockWalk walk(code, task);
  // Storing blocks and beginning new ones takes as long for one thread as for the whole warp. So a thread that reaches
  // the end of a block waits until kGather threads have reached one.
  bool finished = false;
  for (;;) {
    const bool begins = !finished && walk.is_live() && walk.is_at_dc();
    const bool is_busy = !finished && walk.is_live() && !begins;
    const std::uint32_t waiting = __ballot_sync(~0U, finished || begins);
    if (__popc(waiting) >= kGather || __any_sync(~0U, is_busy) == 0) {
      if (waiting == 0) {
        break;
      }
      store_blocks(shared, job, finished, finished ? walk.end_block() : 0);
      finished = false;
      if (walk.is_live() && walk.is_at_dc()) {
        walk.step_dc(put);
      }
    }
    for (int i = 0; i < kSymbolsAtOnce; ++i) {
      if (!finished && walk.is_live() && !walk.is_at_dc()) {
        finished = walk.step_ac(put);
      }
    }
  }
  const std::uint32_t defects = walk.defects();
  if (defects != 0) {
    atomicOr(&job.findings->defects, defects);
  }
}

}  // namespace

void find_states(const Workspace& workspace, const JpegJob& job) {
  const std::uint32_t most = max_subsequences(job.raw_bytes, job.layout.segment_count);
  allow_shared_bytes(workspace, synchronize, sizeof(SyncMemory));
  synchronize<<<most / kTileSize + 1, kTileThreads, sizeof(SyncMemory), workspace.stream()>>>(job);
  check_launch("synchronizing a JPEG's scan");
  repair_tiles<<<1, kJoinThreads, 0, workspace.stream()>>>(job);
  check_launch("joining a JPEG's scan");
  add_up_tile<<<most / kTileSize + 1, kTileThreads, 0, workspace.stream()>>>(job);
  check_launch("joining a JPEG's scan");
  add_up_tiles<<<1, kJoinThreads, 0, workspace.stream()>>>(job);
  check_launch("joining a JPEG's scan");
}

void write_blocks(const Workspace& workspace, const JpegJob& job) {
  const std::uint32_t most = max_subsequences(job.raw_bytes, job.layout.segment_count);
  allow_shared_bytes(workspace, write_coefficients, sizeof(WalkMemory));
  write_coefficients<<<most / kWalkThreads + 1, kWalkThreads, sizeof(WalkMemory), workspace.stream()>>>(job);
  check_launch("decoding a JPEG's coefficients");
}

}  // namespace gpuimg::cuda

// Finds the decoder's state and the sums at the beginning of every subsequence.
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
constexpr std::uint32_t kMaxRounds = 64;
constexpr std::uint32_t kRepairBudget = 256;

struct AddSums {
  __device__ SegmentSums operator()(const SegmentSums& a, const SegmentSums& b) const { return a + b; }
};

using TileScan = cub::BlockScan<SegmentSums, kTileThreads>;

/// Shared memory of synchronize().
struct SyncMemory {
  alignas(16) jpeg::HuffmanTables huffman;
  jpeg::McuCode mcu;
  DecoderState ends[kTileThreads];
  ScanSums own[kTileThreads];
  std::uint32_t flows_to[kTileThreads];  ///< end bit; 0: no state flows into the subsequence
  std::uint8_t changed[2][kTileThreads];
  std::uint32_t changed_count[2];
  typename TileScan::TempStorage scan;
};
static_assert(sizeof(jpeg::HuffmanTables) % sizeof(uint4) == 0);

__device__ jpeg::SubsequenceTable table_of(const JpegJob& job) {
  jpeg::SubsequenceTable table = job.table;
  table.count = job.findings->subsequences;
  return table;
}

/// Skims each subsequence from where its predecessor ends, as long as that changes. Thread → entry of the list of those
/// that changed. In each round, one barrier stands between reading states and writing them, and one between writing and
/// the next round. Returns false if that takes too many rounds.
__device__ bool settle(SyncMemory& shared, const jpeg::ScanCode& code) {
  int now = 0;
  for (std::uint32_t round = 0;; ++round) {
    const std::uint32_t count = shared.changed_count[now];
    if (count == 0 || round == kMaxRounds) {
      return count == 0;
    }
    const std::uint32_t to = threadIdx.x < count ? shared.changed[now][threadIdx.x] + 1U : kTileThreads;
    const bool flows = to < kTileThreads && shared.flows_to[to] != 0;
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
      shared.own[to] = jpeg::skim(code, state, shared.flows_to[to]);
      if (!(state == known)) {
        shared.ends[to] = state;
        shared.changed[1 - now][atomicAdd(&shared.changed_count[1 - now], 1U)] = static_cast<std::uint8_t>(to);
      }
    }
    __syncthreads();
    now = 1 - now;
  }
}

/// Block → tile of 250 subsequences and six before it; thread → subsequence. Dynamic shared memory: SyncMemory, some
/// 45 KiB. The first barrier publishes the tables, the second the guesses.
__global__ void __launch_bounds__(kTileThreads) synchronize(const JpegJob job) {
  extern __shared__ uint4 dynamic_shared[];
  SyncMemory& shared = *reinterpret_cast<SyncMemory*>(dynamic_shared);
  const jpeg::SubsequenceTable table = table_of(job);
  const std::uint32_t first = blockIdx.x * kTileSize;
  if (first >= table.count) {
    return;
  }
  copy_to_shared(&shared.huffman, job.huffman, sizeof(shared.huffman));
  if (threadIdx.x == 0) {
    shared.mcu = job.mcu;
    shared.changed_count[0] = kTileThreads;
  }
  __syncthreads();
  const jpeg::ScanCode code{job.words, shared.huffman.symbols, shared.huffman.groups, &shared.mcu};
  const std::uint32_t number = first + threadIdx.x - kRunIn;  // wraps before the first subsequence
  const bool exists = number < table.count;
  Subsequence place;
  DecoderState state;
  ScanSums own;
  if (exists) {
    place = jpeg::subsequence_at(job.segments(), number);
    state = place.guess();
    own = jpeg::skim(code, state, place.end);
  }
  shared.ends[threadIdx.x] = state;
  shared.own[threadIdx.x] = own;
  shared.flows_to[threadIdx.x] = exists && !place.is_first ? place.end : 0;
  shared.changed[0][threadIdx.x] = static_cast<std::uint8_t>(threadIdx.x);
  __syncthreads();
  if (!settle(shared, code) && threadIdx.x == 0) {
    atomicOr(&job.findings->defects, Defect::not_synchronized);
  }
  const bool owns = exists && threadIdx.x >= kRunIn;
  SegmentSums before;
  SegmentSums total;
  const SegmentSums mine = owns ? SegmentSums{shared.own[threadIdx.x], place.is_first} : SegmentSums{};
  TileScan(shared.scan).ExclusiveScan(mine, before, SegmentSums{}, AddSums{}, total);
  if (owns) {
    table.ends[number] = shared.ends[threadIdx.x];
    table.own[number] = mine.sums;
    table.before[number] = place.is_first ? ScanSums{} : before.sums;
  }
  if (threadIdx.x == 0) {
    table.assumed_ends[blockIdx.x] = shared.ends[kRunIn - 1];
    table.tile_sums[blockIdx.x] = total;
  }
}

/// One thread: walks on where a tile's run-in was too short. Rare.
__device__ void repair_tiles(const JpegJob& job, const jpeg::SubsequenceTable& table) {
  const jpeg::ScanCode code{job.words, job.huffman->symbols, job.huffman->groups, &job.mcu};
  std::uint32_t budget = kRepairBudget;
  for (std::uint32_t tile = 1; tile < table.tile_count(); ++tile) {
    if (!jpeg::tile_agrees(table, job.segments(), tile) &&
        !jpeg::repair_tile(table, job.segments(), code, tile, budget)) {
      atomicOr(&job.findings->defects, Defect::not_synchronized);
      return;
    }
  }
}

/// One block. Thread → tile: repairs tiles that do not agree with the one before, then adds up the sums of all tiles.
/// The barriers let all threads see the repaired sums, and let each turn use the scan's storage again.
__global__ void __launch_bounds__(kJoinThreads) join_tiles(const __grid_constant__ JpegJob job) {
  using Scan = cub::BlockScan<SegmentSums, kJoinThreads>;
  __shared__ typename Scan::TempStorage scan;
  const jpeg::SubsequenceTable table = table_of(job);
  if (job.findings->defects != 0) {
    return;
  }
  bool agrees = true;
  for (std::uint32_t tile = threadIdx.x; tile < table.tile_count(); tile += kJoinThreads) {
    agrees = agrees && jpeg::tile_agrees(table, job.segments(), tile);
  }
  if (__syncthreads_or(agrees ? 0 : 1) != 0 && threadIdx.x == 0) {
    repair_tiles(job, table);
  }
  __syncthreads();
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

}  // namespace

void find_states(const Workspace& workspace, const JpegJob& job) {
  const std::uint32_t most = max_subsequences(job.raw_bytes, job.layout.segment_count);
  allow_shared_bytes(workspace, synchronize, sizeof(SyncMemory));
  synchronize<<<most / kTileSize + 1, kTileThreads, sizeof(SyncMemory), workspace.stream()>>>(job);
  check_launch("synchronizing a JPEG's scan");
  join_tiles<<<1, kJoinThreads, 0, workspace.stream()>>>(job);
  check_launch("joining a JPEG's scan");
}

}  // namespace gpuimg::cuda

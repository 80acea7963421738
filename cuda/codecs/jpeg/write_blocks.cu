// Decodes the coefficients of all blocks, and proves that the states of find_states.cu are those of sequential
// decoding.
#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/jpeg_job.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"

namespace gpuimg::cuda {
namespace {

constexpr std::uint32_t kWalkThreads = 256;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kBlockWords = 8;   ///< of 16 bytes
constexpr int kSymbolsAtOnce = 2;          ///< between two looks at what the other threads do
constexpr int kGather = 8;                 ///< threads that wait at the end of a block before the warp stores theirs
constexpr std::uint32_t kBufferWords = 9;  ///< one more, so that the threads of a warp use different banks

/// A finished block: where to store it, and who holds it.
struct FinishedBlock {
  std::uint32_t number;
  std::uint32_t lane;
};

/// Shared memory of write_coefficients(), 60 KiB.
struct WalkMemory {
  alignas(16) uint4 buffers[kWalkThreads][kBufferWords];  ///< a block each thread, zero where nothing is written
  alignas(16) std::uint16_t symbols[jpeg::kSymbolEntries];
  FinishedBlock finished[kWalkThreads];
  jpeg::TransposedZigzag zigzag;
};

/// A warp stores the blocks that its threads have finished, four at a time with eight lanes each, and clears their
/// buffers. All lanes call it; `finished` says which have one.
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

/// Thread → subsequence, and the blocks that begin in it. Dynamic shared memory: WalkMemory. The barrier publishes the
/// tables and the cleared buffers; from then on warps are on their own.
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
  // Storing blocks and beginning new ones takes as long for one thread as for all, so those that are done wait for some
  // more.
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

void write_blocks(const Workspace& workspace, const JpegJob& job) {
  const std::uint32_t most = max_subsequences(job.raw_bytes, job.layout.segment_count);
  allow_shared_bytes(workspace, write_coefficients, sizeof(WalkMemory));
  write_coefficients<<<most / kWalkThreads + 1, kWalkThreads, sizeof(WalkMemory), workspace.stream()>>>(job);
  check_launch("decoding a JPEG's coefficients");
}

}  // namespace gpuimg::cuda

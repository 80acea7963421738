// Turns the symbols of a PNG's stream into bytes: resolves each supertile by itself, then computes the window before
// each supertile in order, then all bytes and their checksum.
#include "codecs/png/decoder_job.cuh"
#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "png/checksums.hpp"
#include "png/symbols.hpp"

namespace gpuimg::cuda {
namespace {

using png::DecodeShape;
using png::Symbol;

constexpr std::uint32_t kTileSymbols = DecodeShape{}.tile_symbols;
constexpr std::uint32_t kSupertileSymbols = kTileSymbols * DecodeShape{}.tiles_per_supertile;
constexpr std::uint32_t kRingSize = png::ring_size(kTileSymbols);
constexpr std::uint32_t kGroup = png::SymbolStore::kGroup;
static_assert(kSupertileSymbols >= png::kMaxMatchDistance && kRingSize % kTileSymbols == 0);

/// Eight symbols.
union SymbolGroup {
  uint4 all;
  std::uint16_t of[kGroup];
};

// --- Supertiles ------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kResolveThreads = kTileSymbols / kGroup;
constexpr int kSteps = 4;  ///< steps to follow a symbol before the list of open symbols is rebuilt

/// Dynamic shared memory of resolve_supertiles(), 88 KiB.
struct ResolveMemory {
  Symbol ring[kRingSize];
  std::uint16_t lists[2][kTileSymbols];  ///< positions in the tile whose symbols point into the tile
};

/// Three counters that rotate with each iteration: the length of the list being read, the length of the list being
/// filled, and a counter that is cleared for the next iteration.
struct ListCounts {
  std::uint32_t of[3];
};

/// Adds `place` to a list if `is_open`. All lanes of the warp must call this.
__device__ void append(std::uint16_t* list, std::uint32_t& count, bool is_open, std::uint32_t place) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t open = __ballot_sync(~0U, is_open);
  std::uint32_t first = 0;
  if (lane == 0 && open != 0) {
    first = atomicAdd(&count, bit_count(open));
  }
  first = __shfl_sync(~0U, first, 0);
  if (is_open) {
    list[first + bit_count(open & ((1U << lane) - 1U))] = static_cast<std::uint16_t>(place);
  }
}

/// Follows the symbols named by the first list until none points into the tile. Thread → at most eight entries.
/// Barriers of an iteration: the tile is read before its symbols are replaced; the iteration is complete. Final
/// barrier: all threads are done before the counts are reused.
__device__ void follow_list(ResolveMemory& shared, Symbol* tile, ListCounts& counts) {
  std::uint32_t left = counts.of[0];
  for (std::uint32_t turn = 0; left != 0; ++turn) {
    std::uint32_t& fills = counts.of[(turn + 1) % 3];
    std::uint32_t places[kGroup];
    std::uint32_t symbols[kGroup];
#pragma unroll
    for (std::uint32_t k = 0; k < kGroup; ++k) {
      const std::uint32_t i = k * kResolveThreads + threadIdx.x;
      places[k] = i < left ? shared.lists[turn % 2][i] : 0;
      symbols[k] = i < left ? tile[places[k]] : 0;
    }
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (std::uint32_t k = 0; k < kGroup; ++k) {
        symbols[k] = png::followed(symbols[k], tile, 1);
      }
    }
    __syncthreads();
#pragma unroll
    for (std::uint32_t k = 0; k < kGroup; ++k) {
      if (k * kResolveThreads < left) {
        if (k * kResolveThreads + threadIdx.x < left) {
          tile[places[k]] = static_cast<Symbol>(symbols[k]);
        }
        append(shared.lists[(turn + 1) % 2], fills, png::is_in_tile(symbols[k]), places[k]);
      }
    }
    __syncthreads();
    left = fills;
    if (threadIdx.x == 0) {
      counts.of[turn % 3] = 0;
    }
  }
  __syncthreads();
}

/// Block → supertile, tile after tile; thread → eight symbols of a tile, then entries of the list. Barriers: the counts
/// are cleared; per tile, the tile and the list are complete; then those in follow_list.
__global__ void __launch_bounds__(kResolveThreads) resolve_supertiles(const __grid_constant__ PngDecoderJob job) {
  extern __shared__ uint4 dynamic_shared[];
  __shared__ ListCounts counts;
  ResolveMemory& shared = *reinterpret_cast<ResolveMemory*>(dynamic_shared);
  if (!job.is_proved()) {
    return;
  }
  if (threadIdx.x < 3) {
    counts.of[threadIdx.x] = 0;
  }
  __syncthreads();
  const std::uint32_t first = blockIdx.x * kSupertileSymbols;
  const std::uint32_t end = min(first + kSupertileSymbols, job.sizes.tiles * kTileSymbols);
  png::Tile tile{0, kRingSize, 0};
  for (std::uint32_t at = first; at < end; at += kTileSymbols) {
    const std::uint32_t own = threadIdx.x * kGroup;
    SymbolGroup group;
    group.all = at + own < job.sizes.raw_bytes ? *reinterpret_cast<const uint4*>(job.symbols + at + own) : uint4{};
#pragma unroll
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      const std::uint32_t emitted = at + own + i < job.sizes.raw_bytes ? group.of[i] : 0U;
      const std::uint32_t symbol = png::looked_up(emitted, own + i, tile, shared.ring);
      group.of[i] = static_cast<Symbol>(symbol);
      append(shared.lists[0], counts.of[0], png::is_in_tile(symbol), own + i);
    }
    *reinterpret_cast<uint4*>(shared.ring + tile.slot + own) = group.all;
    __syncthreads();
    follow_list(shared, shared.ring + tile.slot, counts);
    *reinterpret_cast<uint4*>(job.symbols + at + own) = *reinterpret_cast<const uint4*>(shared.ring + tile.slot + own);
    tile.slot = tile.slot + kTileSymbols == kRingSize ? 0 : tile.slot + kTileSymbols;
    tile.begin += kTileSymbols;
  }
}

// --- Windows before supertiles ---------------------------------------------------------------------------------------

constexpr std::uint32_t kWindowThreads = 1024;
constexpr std::size_t kWindowBytes = 2 * png::kMaxMatchDistance;

/// One block. Thread → every 1024th group of eight bytes. Dynamic shared memory: two windows, 64 KiB. Barrier of an
/// iteration: the new window is complete; it is the old window of the next iteration.
__global__ void __launch_bounds__(kWindowThreads) chain_windows(const __grid_constant__ PngDecoderJob job) {
  extern __shared__ uint4 dynamic_shared[];
  auto* const windows = reinterpret_cast<std::uint8_t*>(dynamic_shared);
  if (!job.is_proved()) {
    return;
  }
  for (std::uint32_t supertile = 1; supertile < job.sizes.supertiles; ++supertile) {
    const std::uint8_t* const before = windows + supertile % 2 * png::kMaxMatchDistance;
    std::uint8_t* const after = windows + (1 - supertile % 2) * png::kMaxMatchDistance;
    const Symbol* const symbols = job.symbols + supertile * kSupertileSymbols - png::kMaxMatchDistance;
    for (std::uint32_t at = threadIdx.x * kGroup; at < png::kMaxMatchDistance; at += kWindowThreads * kGroup) {
      SymbolGroup group;
      group.all = *reinterpret_cast<const uint4*>(symbols + at);
      std::uint64_t bytes = 0;
#pragma unroll
      for (std::uint32_t i = 0; i < kGroup; ++i) {
        bytes |= std::uint64_t{png::byte_of(group.of[i], before)} << 8 * i;
      }
      *reinterpret_cast<std::uint64_t*>(after + at) = bytes;
      *reinterpret_cast<std::uint64_t*>(job.windows_before + std::size_t{supertile} * png::kMaxMatchDistance + at) =
          bytes;
    }
    __syncthreads();
  }
}

// --- Bytes -----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kByteThreads = 256;

__device__ unsigned long long sum_of_warp(unsigned long long value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(~0U, value, distance);
  }
  return value;
}

/// Adds a thread's sums to the totals. A thread's sums are below 2⁵⁸: a thread has at most 2¹⁶ groups, even if there is
/// only one multiprocessor, and a group adds at most 2¹¹ times its distance to the end, which is at most 2³⁰ bytes.
/// Barrier: the sums of all warps are written.
__device__ void add_sums(const PngDecoderJob& job, const png::AdlerSums& own) {
  __shared__ unsigned long long low[kByteThreads / 32];
  __shared__ unsigned long long high[kByteThreads / 32];
  const unsigned long long warp_low = sum_of_warp(own.low);
  const unsigned long long warp_high = sum_of_warp(own.high % png::kAdlerModulus);
  if (threadIdx.x % 32 == 0) {
    low[threadIdx.x / 32] = warp_low;
    high[threadIdx.x / 32] = warp_high;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    png::AdlerSums sums;
    for (std::uint32_t warp = 0; warp < kByteThreads / 32; ++warp) {
      sums.low += low[warp];
      sums.high += high[warp];
    }
    sums.reduce();
    atomicAdd(&job.findings->adler_low, static_cast<unsigned long long>(sums.low));
    atomicAdd(&job.findings->adler_high, static_cast<unsigned long long>(sums.high));
  }
}

/// Thread → groups of eight bytes, one grid stride apart. Symbols after the last byte are 0.
__global__ void __launch_bounds__(kByteThreads) make_bytes(const __grid_constant__ PngDecoderJob job) {
  if (!job.is_proved()) {
    return;
  }
  png::AdlerSums sums;
  const std::uint32_t stride = gridDim.x * kByteThreads * kGroup;
  for (std::uint32_t at = (blockIdx.x * kByteThreads + threadIdx.x) * kGroup; at < job.sizes.raw_bytes; at += stride) {
    const std::uint8_t* const before =
        job.windows_before + std::size_t{at / kSupertileSymbols} * png::kMaxMatchDistance;
    SymbolGroup group;
    group.all = *reinterpret_cast<const uint4*>(job.symbols + at);
    std::uint64_t bytes = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      bytes |= std::uint64_t{png::byte_of(group.of[i], before)} << 8 * i;
    }
    *reinterpret_cast<std::uint64_t*>(job.raw + at) = bytes;
    const std::uint64_t left = job.sizes.raw_bytes - at;
    sums.add(static_cast<std::uint32_t>(bytes), left);
    if (left > 4) {
      sums.add(static_cast<std::uint32_t>(bytes >> 32), left - 4);
    }
  }
  add_sums(job, sums);
}

}  // namespace

void prepare_resolving(const Workspace& workspace) {
  allow_shared_bytes(workspace, &resolve_supertiles, sizeof(ResolveMemory));
  allow_shared_bytes(workspace, &chain_windows, kWindowBytes);
}

void resolve_symbols(const Workspace& workspace, const PngDecoderJob& job) {
  constexpr int kBlocksPerSm = 8;
  resolve_supertiles<<<job.sizes.supertiles, kResolveThreads, sizeof(ResolveMemory), workspace.stream()>>>(job);
  check_launch("resolving a PNG's bytes");
  if (job.sizes.supertiles > 1) {
    chain_windows<<<1, kWindowThreads, kWindowBytes, workspace.stream()>>>(job);
    check_launch("resolving a PNG's bytes");
  }
  make_bytes<<<block_count(workspace, job.sizes.raw_bytes, kByteThreads * kGroup, kBlocksPerSm), kByteThreads, 0,
               workspace.stream()>>>(job);
  check_launch("making a PNG's bytes");
}

}  // namespace gpuimg::cuda

// Equalizes 8-bit images in one launch: counts, builds the table and maps. For images so small that separate launches
// would take longer than the work. Specified in docs/operations.md, "Equalization" and "Color".
#include <cooperative_groups.h>

#include <algorithm>

#include "count/column_counters.cuh"
#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "map/equalize_map.cuh"
#include "ops/luma.hpp"

namespace gpuimg::cuda {
namespace {

/// Two sets of totals in global memory. A launch adds to one set and clears the other for the next launch, so that no
/// separate launch has to clear them.
struct FusedTotals {
  unsigned long long* now;
  unsigned long long* next;

  /// Clears the next set, on the first threads of block 0.
  __device__ void clear_next() const {
    if (blockIdx.x == 0 && threadIdx.x < kColumnBins) {
      next[threadIdx.x] = 0;
    }
  }

  /// Adds the columns of a block of at least 256 threads.
  __device__ void add(const std::uint32_t* columns) const {
    if (threadIdx.x < kColumnBins) {
      unsigned int sum = 0;
#pragma unroll 8
      for (unsigned c = 0; c < kColumns; ++c) {
        sum += columns[threadIdx.x * kColumns + (threadIdx.x + c) % kColumns];
      }
      if (sum != 0) {
        atomicAdd(now + threadIdx.x, static_cast<unsigned long long>(sum));
      }
    }
  }
};

/// The totals for the next launch. The caller must make this launch next.
inline FusedTotals next_fused_totals(Workspace& workspace) {
  auto* totals =
      workspace.zeroed(workspace.fused_totals, 2 * kColumnBins * sizeof(std::uint64_t)).as<unsigned long long>();
  const bool odd = workspace.fused_launches % 2 != 0;
  return {totals + (odd ? kColumnBins : 0), totals + (odd ? 0 : kColumnBins)};
}

// --- Gray ------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ std::uint32_t mapped_word(std::uint32_t word, const std::uint32_t* table) {
  const std::uint32_t low = __byte_perm(table[__byte_perm(word, 0, 0x4440) * kColumns],
                                        table[__byte_perm(word, 0, 0x4441) * kColumns], 0x7640);
  const std::uint32_t high = __byte_perm(table[__byte_perm(word, 0, 0x4442) * kColumns],
                                         table[__byte_perm(word, 0, 0x4443) * kColumns], 0x7640);
  return __byte_perm(low, high, 0x5410);
}

/// Thread → groups of 16 pixels, the same groups when counting and when mapping. Block: 1024 threads, two per SM;
/// cooperative launch, so all blocks run at once. Shared memory: the columns, reused for the table, repeated in each
/// bank. Barriers: columns clear before counting; columns complete before they are added; grid: all totals added;
/// entries written before they are repeated; repeated before they are read.
__global__ void __launch_bounds__(kColumnThreads, resident_blocks(kColumnThreads, 2))
    equalize_gray(const std::byte* in, std::byte* out, std::uint64_t pixel_count, TableFormula formula,
                  FusedTotals totals, std::uint16_t* map) {
  extern __shared__ uint4 shared[];
  __shared__ SegmentScratch scratch;
  __shared__ std::uint32_t entries[kColumnBins];
  auto* columns = reinterpret_cast<std::uint32_t*>(shared);
  const std::uint32_t* mine = columns + threadIdx.x % kColumns;
  const std::uint32_t counters = column_address(columns);
  for (unsigned i = threadIdx.x; i < kColumnBytes / sizeof(uint4); i += kColumnThreads) {
    shared[i] = make_uint4(0, 0, 0, 0);
  }
  totals.clear_next();
  __syncthreads();

  const std::uint64_t groups = pixel_count / 16;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kColumnThreads + threadIdx.x;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kColumnThreads;
  const std::uint64_t rest = groups * 16 + first;
  for (std::uint64_t i = first; i < groups; i += stride) {
    Samples<std::uint8_t, 16> group;
    load(group, in + i * 16);
#pragma unroll
    for (int p = 0; p < 16; ++p) {
      count_in_column(counters, group.get(p));
    }
  }
  if (rest < pixel_count) {
    count_in_column(counters, static_cast<std::uint32_t>(in[rest]));
  }
  __syncthreads();

  totals.add(columns);
  cooperative_groups::this_grid().sync();

  const std::uint64_t count = threadIdx.x < kColumnBins ? __ldcg(totals.now + threadIdx.x) : 0ULL;
  const std::uint32_t entry = segment_table_entry(formula, count, scratch);
  if (threadIdx.x < kColumnBins) {
    entries[threadIdx.x] = entry;
    if (blockIdx.x == 0) {
      map[threadIdx.x] = static_cast<std::uint16_t>(entry);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kColumnBins * kColumns; i += kColumnThreads) {
    columns[i] = entries[i / kColumns];
  }
  __syncthreads();

  for (std::uint64_t i = first; i < groups; i += stride) {
    const uint4 v = __ldg(reinterpret_cast<const uint4*>(in) + i);
    reinterpret_cast<uint4*>(out)[i] =
        make_uint4(mapped_word(v.x, mine), mapped_word(v.y, mine), mapped_word(v.z, mine), mapped_word(v.w, mine));
  }
  if (rest < pixel_count) {
    out[rest] = static_cast<std::byte>(mine[static_cast<std::uint32_t>(in[rest]) * kColumns]);
  }
}

// --- RGB, preserving hue ---------------------------------------------------------------------------------------------

// Warps per block. kMinWarps fit in 64 KiB of shared memory, and are enough to add 256 totals.
constexpr unsigned kMinWarps = 16;
constexpr unsigned kMaxWarps = 32;
constexpr std::size_t kColorStaticBytes = 1024;  // more than the kernel's SegmentScratch

/// Dynamic shared memory of equalize_color().
constexpr std::size_t color_bytes(std::size_t warps) {
  return kColumnBytes + warps * kWarpStagingBytes<MapLuma8<3, kDefaultLuma>>;
}

/// Thread → groups of 16 pixels, the same groups when counting and when mapping. A turn is 32 groups. Turns go to the
/// first warp of every block, then to the second warp of every block, and so on, so that all multiprocessors have equal
/// work. The last block takes the pixels after the last full turn. Block: as many threads as have work, at least 512,
/// one block per SM; cooperative launch, so all blocks run at once. Shared memory: the columns, reused for the entries
/// of MapLuma8, followed by the staging area of each warp. Barriers: columns clear before counting; columns complete
/// before they are added; grid: all totals added; entries written before they are read.
template <Luma kind>
__global__ void __launch_bounds__(32 * kMaxWarps, 1)
    equalize_color(const std::byte* in, std::byte* out, std::uint64_t pixel_count, TableFormula formula,
                   FusedTotals totals, std::uint16_t* map) {
  using Operation = MapLuma8<3, kind>;
  constexpr int kPixels = Operation::kPixels;
  using Group = typename Operation::template InPixels<kPixels>;
  static_assert(Operation::kSharedBytes == kColumnBytes);
  extern __shared__ uint4 shared[];
  __shared__ SegmentScratch scratch;
  auto* columns = reinterpret_cast<std::uint32_t*>(shared);
  const std::uint32_t counters = column_address(columns);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const std::uint64_t turns = pixel_count / (32 * kPixels);
  const std::uint64_t first_turn = std::uint64_t{warp} * gridDim.x + blockIdx.x;
  const std::uint64_t step = std::uint64_t{gridDim.x} * (blockDim.x / 32);
  const std::uint64_t rest = blockIdx.x == gridDim.x - 1 ? turns * 32 * kPixels + threadIdx.x : pixel_count;
  Group group;
  const auto load_turn = [&](std::uint64_t turn) {
    if (turn < turns) {
      load(group, in + (turn * 32 + lane) * Group::kBytes);
    }
  };
  load_turn(first_turn);
  for (unsigned i = threadIdx.x; i < kColumnBytes / sizeof(uint4); i += blockDim.x) {
    shared[i] = make_uint4(0, 0, 0, 0);
  }
  totals.clear_next();
  __syncthreads();

  for (std::uint64_t turn = first_turn; turn < turns; load_turn(turn)) {
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      const Rgb color = rgb_of<3>(group, p);
      count_in_column(counters, luma_of<kind>(color.r, color.g, color.b));
    }
    turn += step;
  }
  if (rest < pixel_count) {
    const Rgb color = rgb_of<3>(load_pixel<std::uint8_t, 3>(in + rest * 3), 0);
    count_in_column(counters, luma_of<kind>(color.r, color.g, color.b));
  }
  __syncthreads();
  totals.add(columns);
  cooperative_groups::this_grid().sync();

  const std::uint64_t count = threadIdx.x < kColumnBins ? __ldcg(totals.now + threadIdx.x) : 0ULL;
  const std::uint32_t entry = segment_table_entry(formula, count, scratch);
  auto* entries = reinterpret_cast<float2*>(shared);
  if (threadIdx.x < kColumnBins) {
    const float2 value = FastLuma8::entry(threadIdx.x, entry);
#pragma unroll
    for (unsigned copy = 0; copy < Operation::kCopies; ++copy) {  // each lane begins in another bank
      entries[threadIdx.x * Operation::kCopies + (threadIdx.x + copy) % Operation::kCopies] = value;
    }
    if (blockIdx.x == 0) {
      map[threadIdx.x] = static_cast<std::uint16_t>(entry);
    }
  }
  Operation operation{MapRequest{}};
  operation.table = entries + threadIdx.x % Operation::kCopies;
  operation.is_identity = __syncthreads_or(entry != threadIdx.x ? 1 : 0) == 0;

  std::byte* staging = reinterpret_cast<std::byte*>(shared) + kColumnBytes + warp * kWarpStagingBytes<Operation>;
  for (std::uint64_t turn = first_turn; turn < turns; turn += step) {
    if (first_turn + step < turns) {  // otherwise `group` still holds the group that was counted
      load(group, in + (turn * 32 + lane) * Group::kBytes);
    }
    Group result;
    operation.template map<kPixels>(group, result, 0);
    store_group<Operation>(result, out + turn * 32 * Group::kBytes, staging);
  }
  if (rest < pixel_count) {
    Samples<std::uint8_t, 3> pixel;
    operation.template map<1>(load_pixel<std::uint8_t, 3>(in + rest * 3), pixel, 0);
    store_pixel(pixel, out + rest * 3);
  }
}

}  // namespace

void fused_equalize_gray(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula,
                         std::uint16_t* map) {
  FusedTotals both = next_fused_totals(workspace);
  const std::byte* in = pixels_of(from);
  std::byte* out = pixels_of(to);
  std::uint64_t pixel_count = from.pixel_count();
  const int blocks_per_sm = cooperative_blocks_per_sm(equalize_gray, kColumnThreads, kColumnBytes);
  const unsigned blocks = block_count(workspace, pixel_count, kColumnThreads * 16, blocks_per_sm);
  void* arguments[] = {&in, &out, &pixel_count, &formula, &both, &map};
  cuda_check(cudaLaunchCooperativeKernel(equalize_gray, dim3(blocks), dim3(kColumnThreads), arguments, kColumnBytes,
                                         workspace.stream()),
             "equalizing a gray image");
  ++workspace.fused_launches;
}

bool can_fuse_color(const Workspace& workspace) {
  return color_bytes(kMinWarps) + kColorStaticBytes <= workspace.device()->shared_bytes_per_block();
}

void fused_equalize_color(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula, Luma luma,
                          std::uint16_t* map) {
  FusedTotals totals = next_fused_totals(workspace);
  const std::byte* in = pixels_of(from);
  std::byte* out = pixels_of(to);
  std::uint64_t pixel_count = from.pixel_count();
  void* arguments[] = {&in, &out, &pixel_count, &formula, &totals, &map};
  with_luma_kind(luma, [&]<Luma kind>() {
    constexpr std::uint64_t kPixelsOfWarp = 32 * MapLuma8<3, kind>::kPixels;
    const std::size_t staging = workspace.device()->shared_bytes_per_block() - color_bytes(0) - kColorStaticBytes;
    const auto most_warps = std::min<std::uint64_t>(staging / (color_bytes(1) - color_bytes(0)), kMaxWarps);
    // Pixels for four warps per block. More blocks would count faster, but their totals are added one after another.
    const unsigned blocks = block_count(workspace, pixel_count, 4 * kPixelsOfWarp, 1);
    const std::uint64_t wanted_warps = (pixel_count / kPixelsOfWarp + blocks - 1) / blocks;
    const auto warps = static_cast<unsigned>(std::clamp<std::uint64_t>(wanted_warps, kMinWarps, most_warps));
    const auto kernel = equalize_color<kind>;
    allow_shared_bytes(workspace, kernel, color_bytes(most_warps));
    cuda_check(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(32 * warps), arguments, color_bytes(warps),
                                           workspace.stream()),
               "equalizing a color image");
  });
  ++workspace.fused_launches;
}

}  // namespace gpuimg::cuda

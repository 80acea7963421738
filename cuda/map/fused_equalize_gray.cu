// Equalization of an 8-bit gray image in one launch. Specified in docs/operations.md, "Equalization".
#include <cooperative_groups.h>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "map/fused_equalize.hpp"
#include "map/fused_totals.cuh"

namespace gpuimg::cuda {
namespace {

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

}  // namespace gpuimg::cuda

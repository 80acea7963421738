// Hue-preserving equalization of an 8-bit RGB image in one launch.
// Specified in docs/operations.md, "Color".
#include <cooperative_groups.h>

#include "map/equalize_map.cuh"
#include "map/fused_equalize.hpp"
#include "map/fused_totals.cuh"

namespace gpuimg::cuda {
namespace {

constexpr int kColorThreads = 512;

/// Thread → groups of 16 pixels, the same groups when counting and when mapping. The last block takes the pixels after
/// the last full warp. Block: 512 threads, two per SM; cooperative launch, so all blocks run at once. Shared memory:
/// the columns, reused for the entries of MapLuma8, followed by the staging area of each warp. Barriers: columns clear
/// before counting; columns complete before they are added; grid: all totals added; entries written before they are
/// copied; copies written before they are read.
template <Luma kind>
__global__ void __launch_bounds__(kColorThreads, 2)
    equalize_color(const std::byte* in, std::byte* out, std::uint64_t pixel_count, TableFormula formula,
                   FusedTotals totals, std::uint16_t* map) {
  using Operation = MapLuma8<3, kind>;
  constexpr int kPixels = Operation::kPixels;
  constexpr std::uint64_t kWarps = kColorThreads / 32;
  using Group = typename Operation::template InPixels<kPixels>;
  static_assert(Operation::kSharedBytes == kColumnBytes);
  extern __shared__ uint4 shared[];
  __shared__ SegmentScratch scratch;
  __shared__ float2 entries[kColumnBins];
  auto* columns = reinterpret_cast<std::uint32_t*>(shared);
  const std::uint32_t counters = column_address(columns);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const std::uint64_t turns = pixel_count / (32 * kPixels);
  const std::uint64_t first_turn = blockIdx.x * kWarps + warp;
  const std::uint64_t rest = blockIdx.x == gridDim.x - 1 ? turns * 32 * kPixels + threadIdx.x : pixel_count;
  for (unsigned i = threadIdx.x; i < kColumnBytes / sizeof(uint4); i += kColorThreads) {
    shared[i] = make_uint4(0, 0, 0, 0);
  }
  totals.clear_next();
  __syncthreads();

  Group group;
  for (std::uint64_t turn = first_turn; turn < turns; turn += gridDim.x * kWarps) {
    load(group, in + (turn * 32 + lane) * Group::kBytes);
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      const Rgb color = rgb_of<3>(group, p);
      count_in_column(counters, luma_of<kind>(color.r, color.g, color.b));
    }
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
  if (threadIdx.x < kColumnBins) {
    entries[threadIdx.x] = FastLuma8::entry(threadIdx.x, entry);
    if (blockIdx.x == 0) {
      map[threadIdx.x] = static_cast<std::uint16_t>(entry);
    }
  }
  Operation operation{MapRequest{}};
  operation.is_identity = __syncthreads_or(entry != threadIdx.x ? 1 : 0) == 0;
  auto* copies = reinterpret_cast<float2*>(shared);
  for (unsigned i = threadIdx.x; i < kColumnBins * Operation::kCopies; i += kColorThreads) {
    copies[i] = entries[i / Operation::kCopies];
  }
  operation.table = copies + threadIdx.x % Operation::kCopies;
  __syncthreads();

  std::byte* staging = reinterpret_cast<std::byte*>(shared) + kColumnBytes + warp * kWarpStagingBytes<Operation>;
  for (std::uint64_t turn = first_turn; turn < turns; turn += gridDim.x * kWarps) {
    if (first_turn + gridDim.x * kWarps < turns) {  // otherwise `group` still holds the group that was counted
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

void fused_equalize_color(Workspace& workspace, const Picture& from, const Picture& to, TableFormula formula, Luma luma,
                          std::uint16_t* map) {
  FusedTotals totals = next_fused_totals(workspace);
  const std::byte* in = pixels_of(from);
  std::byte* out = pixels_of(to);
  std::uint64_t pixel_count = from.pixel_count();
  void* arguments[] = {&in, &out, &pixel_count, &formula, &totals, &map};
  with_luma_kind(luma, [&]<Luma kind>() {
    constexpr std::size_t kBytes = kColumnBytes + kColorThreads / 32 * kWarpStagingBytes<MapLuma8<3, kind>>;
    allow_shared_bytes(workspace, equalize_color<kind>, kBytes);
    const int blocks_per_sm = cooperative_blocks_per_sm(equalize_color<kind>, kColorThreads, kBytes);
    const unsigned blocks = block_count(workspace, pixel_count, kColorThreads * 16, blocks_per_sm);
    cuda_check(cudaLaunchCooperativeKernel(equalize_color<kind>, dim3(blocks), dim3(kColorThreads), arguments, kBytes,
                                           workspace.stream()),
               "equalizing a color image");
  });
  ++workspace.fused_launches;
}

}  // namespace gpuimg::cuda

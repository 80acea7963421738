// CLAHE of gray images, as in OpenCV's CUDA module: each block makes the table of one tile; then a thread per pixel
// reads the tables of four tiles from global memory.
#include <algorithm>

#include "bench/textbook/textbook.hpp"
#include "device/cuda_check.hpp"

namespace gpuimg::bench::textbook {
namespace {

constexpr int kBins = 256;
constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;
static_assert(kBlockWidth * kBlockHeight == kBins);

/// The inclusive prefix sum over the bins. The distance doubles in each step; barriers separate reads and writes.
__device__ int scanned(int value, int* sums) {
  const int bin = static_cast<int>(threadIdx.y) * kBlockWidth + static_cast<int>(threadIdx.x);
  sums[bin] = value;
  __syncthreads();  // all bins are loaded
  for (int distance = 1; distance < kBins; distance *= 2) {
    const int left = bin >= distance ? sums[bin - distance] : 0;
    __syncthreads();  // all threads have read
    sums[bin] += left;
    __syncthreads();  // all threads have written
  }
  return sums[bin];
}

/// Block → tile; thread → pixels 32 columns and 8 rows apart, then one bin. Shared memory: one histogram per block.
__global__ void make_table(const std::uint8_t* in, int width, int tile_width, int tile_height, int limit,
                           std::uint8_t* tables) {
  __shared__ int counts[kBins];
  __shared__ int sums[kBins];
  const int bin = static_cast<int>(threadIdx.y) * kBlockWidth + static_cast<int>(threadIdx.x);
  counts[bin] = 0;
  __syncthreads();  // the histogram is clear
  const int left = static_cast<int>(blockIdx.x) * tile_width;
  const int top = static_cast<int>(blockIdx.y) * tile_height;
  for (int y = static_cast<int>(threadIdx.y); y < tile_height; y += kBlockHeight) {
    const std::uint8_t* row = in + static_cast<std::size_t>(top + y) * width + left;
    for (int x = static_cast<int>(threadIdx.x); x < tile_width; x += kBlockWidth) {
      atomicAdd(&counts[row[x]], 1);
    }
  }
  __syncthreads();  // the tile is counted
  int count = min(counts[bin], limit);
  (void)scanned(counts[bin] - count, sums);
  const int clipped = sums[kBins - 1];
  __syncthreads();  // all threads have read the sum
  const int rest = clipped % kBins;
  const int step = max(kBins / max(rest, 1), 1);
  count += clipped / kBins + (bin % step == 0 && bin / step < rest ? 1 : 0);
  const float scale = 255.0F / static_cast<float>(tile_width * tile_height);
  const int level = __float2int_rn(static_cast<float>(scanned(count, sums)) * scale);
  tables[(blockIdx.y * gridDim.x + blockIdx.x) * kBins + bin] = static_cast<std::uint8_t>(min(level, 255));
}

/// Thread → one pixel; block: 32 × 8 pixels.
__global__ void interpolate(const std::uint8_t* in, std::uint8_t* out, int width, int height, int2 tile, int2 tiles,
                            const std::uint8_t* tables) {
  const int x = static_cast<int>(blockIdx.x) * kBlockWidth + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockHeight + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) {
    return;
  }
  const float across = static_cast<float>(x) * (1.0F / static_cast<float>(tile.x)) - 0.5F;
  const float down = static_cast<float>(y) * (1.0F / static_cast<float>(tile.y)) - 0.5F;
  const int left = static_cast<int>(floorf(across));
  const int top = static_cast<int>(floorf(down));
  const float xa = across - static_cast<float>(left);
  const float ya = down - static_cast<float>(top);
  const std::size_t at = static_cast<std::size_t>(y) * width + x;
  const auto level = [&](int column, int row) {
    const int i = min(max(column, 0), tiles.x - 1);
    const int j = min(max(row, 0), tiles.y - 1);
    return static_cast<float>(tables[(j * tiles.x + i) * kBins + in[at]]);
  };
  const float upper = level(left, top) * (1.0F - xa) + level(left + 1, top) * xa;
  const float lower = level(left, top + 1) * (1.0F - xa) + level(left + 1, top + 1) * xa;
  out[at] = static_cast<std::uint8_t>(__float2int_rn(upper * (1.0F - ya) + lower * ya));
}

}  // namespace

void clahe_gray(const std::uint8_t* in, std::uint8_t* out, int width, int height, std::uint8_t* tables,
                cudaStream_t stream) {
  const int2 tile = make_int2(width / kClaheTiles, height / kClaheTiles);
  const int limit = std::max(1, static_cast<int>(kClaheClip * tile.x * tile.y / kBins));
  const dim3 block(kBlockWidth, kBlockHeight);
  make_table<<<dim3(kClaheTiles, kClaheTiles), block, 0, stream>>>(in, width, tile.x, tile.y, limit, tables);
  const dim3 blocks(static_cast<unsigned>((width + kBlockWidth - 1) / kBlockWidth),
                    static_cast<unsigned>((height + kBlockHeight - 1) / kBlockHeight));
  interpolate<<<blocks, block, 0, stream>>>(in, out, width, height, tile, make_int2(kClaheTiles, kClaheTiles), tables);
  cuda::check_launch("the textbook CLAHE");
}

}  // namespace gpuimg::bench::textbook

// Textbook equalization of gray images: histogram → share × 255 → inclusive scan → int(x + 0.5) → map.
#include "bench/textbook/textbook.hpp"
#include "device/cuda_check.hpp"

namespace gpuimg::bench::textbook {
namespace {

constexpr int kBins = 256;
constexpr int kTileSide = 16;

/// Thread → one pixel; block: 256 threads. Shared memory: one histogram per block.
__global__ void count(const std::uint8_t* in, std::size_t pixel_count, std::uint32_t* counts) {
  __shared__ std::uint32_t table[kBins];
  table[threadIdx.x] = 0;
  __syncthreads();  // the histogram is clear
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kBins + threadIdx.x;
  if (i < pixel_count) {
    atomicAdd(&table[in[i]], 1U);
  }
  __syncthreads();  // the block has counted all pixels
  atomicAdd(&counts[threadIdx.x], table[threadIdx.x]);
}

/// Thread → one bin.
__global__ void share(const std::uint32_t* counts, float* shares, float pixel_count) {
  shares[threadIdx.x] = static_cast<float>(counts[threadIdx.x]) / pixel_count * 255.0F;
}

/// Thread → one bin. The distance doubles in each step; barriers separate reads and writes.
__global__ void scan(const float* shares, float* cumulative) {
  __shared__ float sums[kBins];
  const unsigned bin = threadIdx.x;
  sums[bin] = shares[bin];
  __syncthreads();  // all bins are loaded
  for (unsigned distance = 1; distance < kBins; distance *= 2) {
    const float left = bin >= distance ? sums[bin - distance] : 0.0F;
    __syncthreads();  // all threads have read
    sums[bin] += left;
    __syncthreads();  // all threads have written
  }
  cumulative[bin] = sums[bin];
}

/// Thread → one bin.
__global__ void round_map(const float* cumulative, std::uint8_t* map) {
  map[threadIdx.x] = static_cast<std::uint8_t>(min(255, static_cast<int>(cumulative[threadIdx.x] + 0.5F)));
}

/// Thread → one pixel; block: 16 × 16 pixels.
__global__ void apply(const std::uint8_t* in, std::uint8_t* out, int width, int height, const std::uint8_t* map) {
  const int x = static_cast<int>(blockIdx.x) * kTileSide + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kTileSide + static_cast<int>(threadIdx.y);
  if (x < width && y < height) {
    const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    out[i] = map[in[i]];
  }
}

}  // namespace

void equalize_gray(const std::uint8_t* in, std::uint8_t* out, int width, int height, EqualizeScratch* scratch,
                   cudaStream_t stream) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  cuda::cuda_check(cudaMemsetAsync(scratch->counts, 0, sizeof(scratch->counts), stream), "clearing counts");
  count<<<static_cast<unsigned>((pixels + kBins - 1) / kBins), kBins, 0, stream>>>(in, pixels, scratch->counts);
  share<<<1, kBins, 0, stream>>>(scratch->counts, scratch->shares, static_cast<float>(pixels));
  scan<<<1, kBins, 0, stream>>>(scratch->shares, scratch->cumulative);
  round_map<<<1, kBins, 0, stream>>>(scratch->cumulative, scratch->map);
  const dim3 tiles(static_cast<unsigned>((width + kTileSide - 1) / kTileSide),
                   static_cast<unsigned>((height + kTileSide - 1) / kTileSide));
  apply<<<tiles, dim3(kTileSide, kTileSide), 0, stream>>>(in, out, width, height, scratch->map);
  cuda::check_launch("the textbook equalization");
}

}  // namespace gpuimg::bench::textbook

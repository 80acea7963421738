// The textbook luma histogram, in a CUDA and an OpenCL version: one histogram per block, with atomics first in shared
// memory, then in global memory.
#include "bench/textbook/textbook.hpp"
#include "device/cuda_check.hpp"
#include "ops/luma.hpp"

namespace gpuimg::bench::textbook {
namespace {

constexpr int kBins = 256;
constexpr int kThreads = 128;
constexpr int kPixelsPerThread = 64;
constexpr int kStridedThreads = 256;
constexpr int kStridedBlocksPerSm = 8;

__device__ std::uint32_t luma_of_pixel(uchar4 p) { return luma_of<Luma::bt601_trunc>(p.x, p.y, p.z); }

/// Thread t of the grid → pixels 64t … 64t + 63. Block: 128 threads. Shared memory: 1 KiB.
__global__ void count_runs(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts) {
  __shared__ std::uint32_t table[kBins];
  for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kThreads) {
    table[bin] = 0;
  }
  __syncthreads();  // the histogram is clear
  const std::size_t first = (static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x) * kPixelsPerThread;
  for (std::size_t i = first; i < first + kPixelsPerThread && i < pixel_count; ++i) {
    atomicAdd(&table[luma_of_pixel(pixels[i])], 1U);
  }
  __syncthreads();  // the block has counted all pixels
  for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kThreads) {
    atomicAdd(&counts[bin], table[bin]);
  }
}

/// Thread t of the grid → pixels t, t + grid size, …. Block: 256 threads. Shared memory: 1 KiB.
__global__ void count_strided(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts) {
  __shared__ std::uint32_t table[kBins];
  table[threadIdx.x] = 0;
  __syncthreads();  // the histogram is clear
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kStridedThreads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kStridedThreads + threadIdx.x; i < pixel_count;
       i += stride) {
    atomicAdd(&table[luma_of_pixel(pixels[i])], 1U);
  }
  __syncthreads();  // the block has counted all pixels
  atomicAdd(&counts[threadIdx.x], table[threadIdx.x]);
}

void clear(std::uint32_t* counts, cudaStream_t stream) {
  cuda::cuda_check(cudaMemsetAsync(counts, 0, kBins * sizeof(std::uint32_t), stream), "clearing counts");
}

}  // namespace

void luma_histogram(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts, cudaStream_t stream) {
  constexpr std::size_t kPixelsPerBlock = std::size_t{kThreads} * kPixelsPerThread;
  clear(counts, stream);
  const auto blocks = static_cast<unsigned>((pixel_count + kPixelsPerBlock - 1) / kPixelsPerBlock);
  count_runs<<<blocks, kThreads, 0, stream>>>(pixels, pixel_count, counts);
  cuda::check_launch("the textbook luma histogram");
}

void luma_histogram_strided(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts, int multiprocessors,
                            cudaStream_t stream) {
  clear(counts, stream);
  const auto blocks = static_cast<unsigned>(multiprocessors * kStridedBlocksPerSm);
  count_strided<<<blocks, kStridedThreads, 0, stream>>>(pixels, pixel_count, counts);
  cuda::check_launch("the textbook luma histogram, strided");
}

}  // namespace gpuimg::bench::textbook

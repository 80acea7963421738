// The kernels of published CUDA and OpenCL course material, written anew from their descriptions
// (docs/performance.md, "The textbook kernels"). Baselines: correct, but as slow as their design makes them.
// All pointers are device memory; all work is queued on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace gpuimg::bench::textbook {

/// Luma (bt601_trunc) of 4-byte pixels into counts[256]: 128 threads a block, 64 consecutive pixels a thread, one table
/// a block in shared memory.
void luma_histogram(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts, cudaStream_t stream);

/// The same the OpenCL way: a fixed grid strides over the pixels.
void luma_histogram_strided(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts, int multiprocessors,
                            cudaStream_t stream);

/// Between the five kernels of equalize_gray.
struct EqualizeScratch {
  std::uint32_t counts[256];
  float shares[256];
  float cumulative[256];
  std::uint8_t map[256];
};

/// Histogram, shares × 255, inclusive scan, int(x + 0.5), map: five kernels.
void equalize_gray(const std::uint8_t* in, std::uint8_t* out, int width, int height, EqualizeScratch* scratch,
                   cudaStream_t stream);

/// r, g, b in [0,1] to H in [−60, 300) degrees, S and L in [0,1]; a thread a pixel.
void hsl(const float3* in, float3* out, std::size_t pixel_count, cudaStream_t stream);

/// Inclusive summed-area table in float32; width and height are multiples of 4. Six kernels.
void integral(const float* in, float* out, int width, int height, cudaStream_t stream);

}  // namespace gpuimg::bench::textbook

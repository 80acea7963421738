// Kernels from published CUDA and OpenCL course material, rewritten from their descriptions. They serve as baselines:
// correct, but only as fast as their design allows. All pointers refer to device memory; all work is queued on the
// stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace gpuimg::bench::textbook {

/// Counts luma (bt601_trunc) of 4-byte pixels into counts[256]. 128 threads per block, 64 consecutive pixels per
/// thread, one histogram per block in shared memory.
void luma_histogram(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts, cudaStream_t stream);

/// The OpenCL version: a fixed grid strides over the pixels.
void luma_histogram_strided(const uchar4* pixels, std::size_t pixel_count, std::uint32_t* counts, int multiprocessors,
                            cudaStream_t stream);

/// Intermediate results of equalize_gray(), which consists of five kernels.
struct EqualizeScratch {
  std::uint32_t counts[256];
  float shares[256];
  float cumulative[256];
  std::uint8_t map[256];
};

/// Histogram, shares × 255, inclusive scan, int(x + 0.5), map: five kernels.
void equalize_gray(const std::uint8_t* in, std::uint8_t* out, int width, int height, EqualizeScratch* scratch,
                   cudaStream_t stream);

inline constexpr int kClaheTiles = 8;  ///< per side
inline constexpr double kClaheClip = 2.0;

/// CLAHE with 8 × 8 tiles; both sides of the image must be multiples of 8. `tables` has 256 bytes per tile. Two
/// kernels.
void clahe_gray(const std::uint8_t* in, std::uint8_t* out, int width, int height, std::uint8_t* tables,
                cudaStream_t stream);

/// Converts r, g, b in [0,1] to H in [−60, 300) degrees, and S and L in [0,1]. One thread per pixel.
void hsl(const float3* in, float3* out, std::size_t pixel_count, cudaStream_t stream);

/// Inclusive summed-area table in float32. Width and height must be multiples of 4. Six kernels.
void integral(const float* in, float* out, int width, int height, cudaStream_t stream);

}  // namespace gpuimg::bench::textbook

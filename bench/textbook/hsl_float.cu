// Textbook HSL conversion: float3 in, float3 out, one thread per pixel, branch-free maximum and minimum.
#include "bench/textbook/textbook.hpp"
#include "device/cuda_check.hpp"

namespace gpuimg::bench::textbook {
namespace {

constexpr int kThreads = 256;

__device__ float larger(float a, float b) { return ((a + b) + fabsf(a - b)) / 2.0F; }
__device__ float smaller(float a, float b) { return ((a + b) - fabsf(a - b)) / 2.0F; }

/// Compares the channels to select the sector, because the maximum computed above is rounded and may differ from all of
/// them.
__device__ float hue_of(float3 p, float chroma) {
  if (p.x >= p.y && p.x >= p.z) {
    return 60.0F * (p.y - p.z) / chroma;
  }
  return p.y >= p.z ? 60.0F * (p.z - p.x) / chroma + 120.0F : 60.0F * (p.x - p.y) / chroma + 240.0F;
}

/// Thread t of the grid → pixel t.
__global__ void convert(const float3* in, float3* out, std::size_t pixel_count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= pixel_count) {
    return;
  }
  const float3 p = in[i];
  const float high = larger(larger(p.x, p.y), p.z);
  const float low = smaller(smaller(p.x, p.y), p.z);
  const float chroma = high - low;
  const float lightness = (high + low) / 2.0F;
  float hue = 0.0F;
  float saturation = 0.0F;
  if (chroma > 0.0F) {
    saturation = lightness <= 0.5F ? chroma / (high + low) : chroma / (2.0F - high - low);
    hue = hue_of(p, chroma);
  }
  out[i] = make_float3(hue, saturation, lightness);
}

}  // namespace

void hsl(const float3* in, float3* out, std::size_t pixel_count, cudaStream_t stream) {
  convert<<<static_cast<unsigned>((pixel_count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(in, out,
                                                                                                   pixel_count);
  cuda::check_launch("the textbook HSL conversion");
}

}  // namespace gpuimg::bench::textbook

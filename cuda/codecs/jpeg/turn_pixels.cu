// Turns pixels: a gather, whose reads the cache puts together.
#include "codecs/jpeg/turn_pixels.cuh"
#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

constexpr unsigned kTurnThreads = 256;

/// Thread → pixel of the result. Block → 16×16 of them, so that rows and columns of both pictures share cache lines.
template <int kBytes>
__global__ void __launch_bounds__(kTurnThreads)
    gather_pixels(const std::uint8_t* from, std::uint8_t* to, int width, int height, const jpeg::Orientation turn) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) {
    return;
  }
  const std::int64_t source = turn.origin + x * turn.along_x + y * turn.along_y;
  const std::int64_t target = static_cast<std::int64_t>(y) * width + x;
#pragma unroll
  for (int i = 0; i < kBytes; ++i) {
    to[target * kBytes + i] = from[source * kBytes + i];
  }
}

}  // namespace

void turn_pixels(const Workspace& workspace, const std::uint8_t* from, std::uint8_t* to, int width, int height,
                 int pixel_bytes, const jpeg::Orientation& turn) {
  const dim3 threads(16, 16);
  const dim3 blocks((static_cast<unsigned>(width) + 15) / 16, (static_cast<unsigned>(height) + 15) / 16);
  const auto kernel = pixel_bytes == 1 ? gather_pixels<1> : gather_pixels<3>;
  kernel<<<blocks, threads, 0, workspace.stream()>>>(from, to, width, height, turn);
  check_launch("turning a JPEG's pixels");
}

}  // namespace gpuimg::cuda

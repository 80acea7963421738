// From coefficients to pixels: inverse DCT, then upsampling and color.
#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/jpeg_job.cuh"
#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

using jpeg::kBlockSide;
using jpeg::kBlockSize;
using jpeg::kPixelRun;

constexpr std::uint32_t kDctThreads = 256;
constexpr std::uint32_t kDctBlocks = kDctThreads / kBlockSide;
constexpr int kPaddedRow = kBlockSide + 1;  // so that columns and rows use different banks
constexpr int kPaddedBlock = kBlockSide * kPaddedRow;

/// A block of a plane.
struct PlaneBlock {
  int component = jpeg::kMaxComponents;  ///< beyond the last: there is no such block
  std::uint32_t column = 0;
  std::uint32_t row = 0;
};

/// Blocks are counted row by row, one component after the other.
__device__ PlaneBlock plane_block(const jpeg::Layout& layout, std::uint32_t number) {
  for (int component = 0; component < layout.component_count; ++component) {
    const std::uint32_t columns = layout.block_columns(component);
    const std::uint32_t blocks = columns * layout.block_rows(component);
    if (number < blocks) {
      return {component, number % columns, number / columns};
    }
    number -= blocks;
  }
  return {};
}

/// Block → 32 blocks of 8×8; eight threads → one of them: first a column each, then a row each. Shared memory holds the
/// columns in between; the eight threads are in one warp, which its own barrier serves.
__global__ void __launch_bounds__(kDctThreads) transform_blocks(const JpegJob job) {
  __shared__ std::int32_t work[kDctBlocks][kPaddedBlock];
  if (job.findings->defects != 0) {
    return;
  }
  const std::uint32_t lane = threadIdx.x % kBlockSide;
  std::int32_t* const own = work[threadIdx.x / kBlockSide];
  const PlaneBlock block = plane_block(job.layout, blockIdx.x * kDctBlocks + threadIdx.x / kBlockSide);
  const bool exists = block.component < job.layout.component_count;
  bool is_tame = true;
  std::int32_t values[kBlockSide];
  if (exists) {
    const std::uint32_t number = job.layout.block_number(block.component, block.column, block.row);
    const uint4 loaded = reinterpret_cast<const uint4*>(job.coefficients)[std::size_t{number} * kBlockSide + lane];
    const uint4 loaded_steps = reinterpret_cast<const uint4*>(job.steps[block.component].step)[lane];
    std::int16_t column[kBlockSide];
    std::uint16_t steps[kBlockSide];
    memcpy(column, &loaded, sizeof(column));
    memcpy(steps, &loaded_steps, sizeof(steps));
    is_tame = jpeg::inverse_dct_column(column, steps, values);
#pragma unroll
    for (int y = 0; y < kBlockSide; ++y) {
      own[y * kPaddedRow + static_cast<int>(lane)] = values[y];
    }
  }
  __syncwarp();
  if (exists) {
#pragma unroll
    for (int x = 0; x < kBlockSide; ++x) {
      values[x] = own[static_cast<int>(lane) * kPaddedRow + x];
    }
    is_tame = jpeg::inverse_dct_row(values) && is_tame;
    std::uint8_t samples[kBlockSide];
#pragma unroll
    for (int x = 0; x < kBlockSide; ++x) {
      samples[x] = jpeg::clamp_sample(values[x]);
    }
    const std::size_t row = std::size_t{block.row} * kBlockSide + lane;
    std::uint8_t* const to = job.planes[block.component] + row * job.layout.plane_pitch(block.component);
    uint2 packed;
    memcpy(&packed, samples, sizeof(packed));
    *reinterpret_cast<uint2*>(to + std::size_t{block.column} * kBlockSide) = packed;
  }
  if (!is_tame) {
    atomicOr(&job.findings->defects, jpeg::Defect::wild_block);
  }
}

constexpr std::uint32_t kColorThreads = 128;
constexpr std::uint32_t kColorPixels = kColorThreads * kPixelRun;
constexpr std::uint32_t kRgb = 3;

/// Block → 1024 pixels of a row, thread → 8 of them. They wait in shared memory for the barrier; then the block stores
/// them as words.
template <int kHorizontal, int kVertical>
__global__ void __launch_bounds__(kColorThreads) convert_colors(const JpegJob job) {
  __shared__ alignas(4) std::uint8_t buffer[kColorPixels * kRgb + 4];
  const auto width = static_cast<std::uint32_t>(job.layout.width);
  const std::uint32_t first = blockIdx.x * kColorPixels;
  const std::uint32_t x = first + threadIdx.x * kPixelRun;
  const std::uint32_t y = blockIdx.y;
  std::uint8_t* const to = job.pixels + (std::size_t{y} * width + first) * kRgb;
  if (x < width) {
    std::uint32_t cb[kPixelRun];
    std::uint32_t cr[kPixelRun];
    jpeg::upsample<kHorizontal, kVertical>(job.plane(1), static_cast<int>(x), static_cast<int>(y), cb);
    jpeg::upsample<kHorizontal, kVertical>(job.plane(2), static_cast<int>(x), static_cast<int>(y), cr);
    // Planes hold whole blocks, so all eight samples are there.
    const uint2 loaded =
        *reinterpret_cast<const uint2*>(job.planes[0] + std::size_t{y} * job.layout.plane_pitch(0) + x);
    std::uint8_t luma[kPixelRun];
    memcpy(luma, &loaded, sizeof(luma));
    std::uint8_t* const rgb = buffer + word_offset(to) + threadIdx.x * kPixelRun * kRgb;
#pragma unroll
    for (int i = 0; i < kPixelRun; ++i) {
      const jpeg::Rgb8 pixel = jpeg::rgb_of_ycc(luma[i], cb[i], cr[i]);
      rgb[3 * i] = pixel.r;
      rgb[3 * i + 1] = pixel.g;
      rgb[3 * i + 2] = pixel.b;
    }
  }
  __syncthreads();
  store_words(to, buffer, min(width - first, kColorPixels) * kRgb);
}

using ColorKernel = void (*)(JpegJob);

ColorKernel color_kernel(const jpeg::Layout& layout) {
  if (layout.vertical_sampling == 1) {
    return layout.horizontal_sampling == 1 ? convert_colors<1, 1> : convert_colors<2, 1>;
  }
  return layout.horizontal_sampling == 1 ? convert_colors<1, 2> : convert_colors<2, 2>;
}

}  // namespace

void make_pixels(const Workspace& workspace, const JpegJob& job) {
  const jpeg::Layout& layout = job.layout;
  const std::uint32_t blocks = (layout.block_count() + kDctBlocks - 1) / kDctBlocks;
  transform_blocks<<<blocks, kDctThreads, 0, workspace.stream()>>>(job);
  check_launch("transforming a JPEG's blocks");
  const auto width = static_cast<std::uint32_t>(layout.width);
  const auto height = static_cast<std::uint32_t>(layout.height);
  if (layout.component_count == 1) {
    cuda_check(cudaMemcpy2DAsync(job.pixels, width, job.planes[0], layout.plane_pitch(0), width, height,
                                 cudaMemcpyDeviceToDevice, workspace.stream()),
               "copying a gray JPEG's pixels");
    return;
  }
  const dim3 grid((width + kColorPixels - 1) / kColorPixels, height);
  color_kernel(layout)<<<grid, kColorThreads, 0, workspace.stream()>>>(job);
  check_launch("converting a JPEG's colors");
}

}  // namespace gpuimg::cuda

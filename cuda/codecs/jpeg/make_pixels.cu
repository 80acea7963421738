// From coefficients to pixels: inverse DCT, upsampling, color conversion, and rotation by the EXIF orientation.
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

/// On entry, `row` is the number of a row of blocks, counted through all components. Returns the component of this row,
/// and changes `row` to its number within the component.
__device__ int component_of_row(const jpeg::Layout& layout, std::uint32_t& row) {
  int component = 0;
  for (; component + 1 < layout.component_count && row >= layout.block_rows(component); ++component) {
    row -= layout.block_rows(component);
  }
  return component;
}

/// Transposes a block that eight threads hold, one row each. Barriers: the rows are complete in `work`; `work` is free
/// again. All lanes of the warp must call this.
__device__ void transpose(std::int32_t* work, int lane, std::int16_t values[kBlockSide]) {
#pragma unroll
  for (int x = 0; x < kBlockSide; ++x) {
    work[lane * kPaddedRow + x] = values[x];
  }
  __syncwarp();
#pragma unroll
  for (int y = 0; y < kBlockSide; ++y) {
    values[y] = static_cast<std::int16_t>(work[y * kPaddedRow + lane]);
  }
  __syncwarp();
}

/// The number of a block if blocks are numbered by component, and within a component row by row.
__device__ std::uint32_t number_in_planes(const jpeg::Layout& layout, int component, std::uint32_t column,
                                          std::uint32_t row) {
  std::uint32_t number = row * layout.block_columns(component) + column;
  for (int before = 0; before < component; ++before) {
    number += layout.block_columns(before) * layout.block_rows(before);
  }
  return number;
}

/// Thread block → 32 adjacent 8×8 blocks in a row of one component. Eight threads of a warp → one of these blocks:
/// first one column each, then one row each. Shared memory holds the columns in between. Warp barrier: the columns are
/// complete.
template <bool kIsCodedOrder>
__global__ void __launch_bounds__(kDctThreads) transform_blocks(const __grid_constant__ JpegJob job) {
  __shared__ std::int32_t work[kDctBlocks][kPaddedBlock];
  std::uint32_t row = blockIdx.y;
  const int component = component_of_row(job.layout, row);
  const std::uint32_t columns = job.layout.block_columns(component);
  if (blockIdx.x * kDctBlocks >= columns || job.findings->defects != 0) {
    return;
  }
  const std::uint32_t lane = threadIdx.x % kBlockSide;
  std::int32_t* const own = work[threadIdx.x / kBlockSide];
  const std::uint32_t column = blockIdx.x * kDctBlocks + threadIdx.x / kBlockSide;
  const bool exists = column < columns;
  bool is_tame = true;
  std::int32_t values[kBlockSide];
  std::int16_t coefficients[kBlockSide] = {};
  if (exists) {
    const std::uint32_t number = kIsCodedOrder ? job.layout.block_number(component, column, row)
                                               : number_in_planes(job.layout, component, column, row);
    const uint4 loaded = reinterpret_cast<const uint4*>(job.coefficients)[std::size_t{number} * kBlockSide + lane];
    memcpy(coefficients, &loaded, sizeof(coefficients));
  }
  if constexpr (!kIsCodedOrder) {
    transpose(own, static_cast<int>(lane), coefficients);
  }
  if (exists) {
    const uint4 loaded_steps = reinterpret_cast<const uint4*>(job.steps[component].step)[lane];
    std::uint16_t steps[kBlockSide];
    memcpy(steps, &loaded_steps, sizeof(steps));
    is_tame = jpeg::inverse_dct_column(coefficients, steps, values);
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
    const std::size_t y = std::size_t{row} * kBlockSide + lane;
    std::uint8_t* const to = job.planes[component] + y * job.layout.plane_pitch(component);
    *reinterpret_cast<uint2*>(to + std::size_t{column} * kBlockSide) =
        uint2{jpeg::pack_clamped(values[0], values[1], values[2], values[3]),
              jpeg::pack_clamped(values[4], values[5], values[6], values[7])};
  }
  if (!is_tame) {
    atomicOr(&job.findings->defects, jpeg::Defect::wild_block);
  }
}

constexpr std::uint32_t kColorThreads = 128;
constexpr std::uint32_t kColorPixels = kColorThreads * kPixelRun;
constexpr std::uint32_t kRgb = 3;
constexpr std::uint32_t kRunWords = kPixelRun * kRgb / sizeof(std::uint32_t);

/// Block → 1024 pixels of a row, thread → 8 of them. Threads write their pixels to shared memory; after the barrier,
/// the block stores them together.
template <int kHorizontal, int kVertical>
__global__ void __launch_bounds__(kColorThreads) convert_colors(const __grid_constant__ JpegJob job) {
  __shared__ uint4 buffer[kColorThreads * kRunWords / 4];
  const auto width = static_cast<std::uint32_t>(job.layout.width);
  const std::uint32_t first = blockIdx.x * kColorPixels;
  const std::uint32_t x = first + threadIdx.x * kPixelRun;
  const std::uint32_t y = blockIdx.y;
  if (job.findings->defects != 0) {
    return;
  }
  if (x < width) {
    std::uint32_t cb[kPixelRun];
    std::uint32_t cr[kPixelRun];
    jpeg::upsample<kHorizontal, kVertical>(job.plane(1), static_cast<int>(x), static_cast<int>(y), cb);
    jpeg::upsample<kHorizontal, kVertical>(job.plane(2), static_cast<int>(x), static_cast<int>(y), cr);
    // Planes hold whole blocks, so all eight samples exist.
    const uint2 loaded =
        *reinterpret_cast<const uint2*>(job.planes[0] + std::size_t{y} * job.layout.plane_pitch(0) + x);
    const std::uint32_t luma[2] = {loaded.x, loaded.y};
    std::uint32_t rgb[kRunWords];
    jpeg::rgb_run(luma, cb, cr, rgb);
    uint2* const to = reinterpret_cast<uint2*>(buffer) + threadIdx.x * (kRunWords / 2);
    to[0] = uint2{rgb[0], rgb[1]};
    to[1] = uint2{rgb[2], rgb[3]};
    to[2] = uint2{rgb[4], rgb[5]};
  }
  __syncthreads();
  store_bytes(job.pixels + (std::size_t{y} * width + first) * kRgb, buffer, min(width - first, kColorPixels) * kRgb);
}

/// Like convert_colors, for a gray image, whose samples are its pixels.
__global__ void __launch_bounds__(kColorThreads) copy_samples(const __grid_constant__ JpegJob job) {
  __shared__ uint4 buffer[kColorPixels / sizeof(uint4)];
  const auto width = static_cast<std::uint32_t>(job.layout.width);
  const std::uint32_t first = blockIdx.x * kColorPixels;
  const std::uint32_t x = first + threadIdx.x * kPixelRun;
  const std::uint32_t y = blockIdx.y;
  if (job.findings->defects != 0) {
    return;
  }
  if (x < width) {
    reinterpret_cast<uint2*>(buffer)[threadIdx.x] =
        *reinterpret_cast<const uint2*>(job.planes[0] + std::size_t{y} * job.layout.plane_pitch(0) + x);
  }
  __syncthreads();
  store_bytes(job.pixels + std::size_t{y} * width + first, buffer, min(width - first, kColorPixels));
}

using PixelKernel = void (*)(JpegJob);

PixelKernel color_kernel(const jpeg::Layout& layout) {
  if (layout.component_count == 1) {
    return copy_samples;
  }
  if (layout.vertical_sampling == 1) {
    return layout.horizontal_sampling == 1 ? convert_colors<1, 1> : convert_colors<2, 1>;
  }
  return layout.horizontal_sampling == 1 ? convert_colors<1, 2> : convert_colors<2, 2>;
}

// --- Rotation: a gather whose reads the cache combines ---------------------------------------------------------------

constexpr unsigned kTurnThreads = 256;

/// Thread → pixel of the result. Block → 16×16 pixels, so that rows and columns of both pictures share cache lines.
template <int kBytes>
__global__ void __launch_bounds__(kTurnThreads)
    gather_pixels(const std::uint8_t* from, std::uint8_t* to, int width, int height, const Orientation turn) {
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

void make_pixels(const Workspace& workspace, const JpegJob& job) {
  const jpeg::Layout& layout = job.layout;
  std::uint32_t rows = 0;
  for (int component = 0; component < layout.component_count; ++component) {
    rows += layout.block_rows(component);
  }
  const dim3 blocks((layout.block_columns(0) + kDctBlocks - 1) / kDctBlocks, rows);
  const PixelKernel transform = job.is_coded_order ? transform_blocks<true> : transform_blocks<false>;
  transform<<<blocks, kDctThreads, 0, workspace.stream()>>>(job);
  check_launch("transforming a JPEG's blocks");
  const auto width = static_cast<std::uint32_t>(layout.width);
  const auto height = static_cast<std::uint32_t>(layout.height);
  const dim3 grid((width + kColorPixels - 1) / kColorPixels, height);
  color_kernel(layout)<<<grid, kColorThreads, 0, workspace.stream()>>>(job);
  check_launch("making a JPEG's pixels");
}

void turn_pixels(const Workspace& workspace, const std::uint8_t* from, std::uint8_t* to, int width, int height,
                 int pixel_bytes, const Orientation& turn) {
  const dim3 threads(16, 16);
  const dim3 blocks((static_cast<unsigned>(width) + 15) / 16, (static_cast<unsigned>(height) + 15) / 16);
  const auto kernel = pixel_bytes == 1 ? gather_pixels<1> : gather_pixels<3>;
  kernel<<<blocks, threads, 0, workspace.stream()>>>(from, to, width, height, turn);
  check_launch("turning a JPEG's pixels");
}

}  // namespace gpuimg::cuda

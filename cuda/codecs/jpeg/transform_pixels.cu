// From pixels to quantized coefficients, and to the length of their AC codes.
#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/encoder_job.cuh"
#include "codecs/jpeg/pixel_tile.cuh"
#include "device/cuda_check.hpp"

namespace gpuimg::cuda {
namespace {

using jpeg::kBlockSide;

/// Eight threads of a warp → a block: first a row each, then a column each, which they quantize. Shared memory holds
/// the rows in between; the barriers of the warp serve its blocks.
template <class Shape>
__device__ void transform_block(TileMemory<Shape>& shared, std::uint32_t block, int lane, int component) {
  std::int32_t* const work = shared.work[block];
  std::int32_t values[kBlockSide];
#pragma unroll
  for (int x = 0; x < kBlockSide; ++x) {
    values[x] = work[lane * kPaddedRow + x];
  }
  jpeg::forward_dct_1d<jpeg::DctPass::rows>(values);
#pragma unroll
  for (int x = 0; x < kBlockSide; ++x) {
    work[lane * kPaddedRow + x] = values[x];
  }
  __syncwarp();
#pragma unroll
  for (int y = 0; y < kBlockSide; ++y) {
    values[y] = work[y * kPaddedRow + lane];
  }
  jpeg::forward_dct_1d<jpeg::DctPass::columns>(values);
  const jpeg::Quantizer* const quantizers = shared.quantizers[component].of;
#pragma unroll
  for (int y = 0; y < kBlockSide; ++y) {
    const jpeg::Quantizer quantizer = quantizers[y * kBlockSide + lane];
    shared.coefficients[block][quantizer.place] = static_cast<std::int16_t>(quantizer.quantize(values[y]));
  }
}

/// Eight coefficients, and which of them are coded as AC.
struct Eighth {
  uint4 coefficients;
  std::uint32_t nonzero;
};

template <class Shape>
__device__ Eighth load_eighth(const TileMemory<Shape>& shared, std::uint32_t block, int lane, bool is_filler) {
  Eighth eighth{reinterpret_cast<const uint4*>(shared.coefficients[block])[lane], 0};
  std::int16_t values[kBlockSide];
  memcpy(values, &eighth.coefficients, sizeof(values));
#pragma unroll
  for (int i = 0; i < kBlockSide; ++i) {
    eighth.nonzero |= values[i] != 0 ? 1U << i : 0U;
  }
  if (lane == 0) {
    eighth.nonzero &= ~1U;  // DC
  }
  if (is_filler) {
    eighth.nonzero = 0;
  }
  return eighth;
}

/// Eight threads of a warp → a block. Returns the length of its AC codes to all eight; `nonzero` receives all its bits.
template <class Shape>
__device__ std::uint32_t measure_block(TileMemory<Shape>& shared, std::uint32_t block, int lane, int component,
                                       const Eighth& eighth, std::uint64_t& nonzero) {
  shared.nonzero[block][lane] = static_cast<std::uint8_t>(eighth.nonzero);
  __syncwarp();
  nonzero = *reinterpret_cast<const std::uint64_t*>(shared.nonzero[block]);
  std::uint32_t bits = jpeg::ac_bits(shared.coefficients[block], nonzero, static_cast<std::uint32_t>(lane),
                                     shared.codes.of[component == 0 ? 0 : 1]);
#pragma unroll
  for (int distance = 1; distance < kBlockSide; distance *= 2) {
    bits += __shfl_xor_sync(~0U, bits, distance);
  }
  return bits;
}

/// Block → a tile of MCUs; eight threads of a warp → a block of coefficients. The barriers separate loading,
/// converting, and what the blocks of an MCU need of each other. Threads of MCUs beyond the right edge do as the others
/// do, on pixels that repeat the last ones, but store nothing.
template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads) transform_tile(const EncoderJob job) {
  static_assert(Shape::kThreads % 32 == 0 && Shape::kThreads <= 512 && sizeof(TileMemory<Shape>) <= 48 * 1024);
  __shared__ TileMemory<Shape> shared;
  copy_to_shared(shared.quantizers, job.tables->quantizers, sizeof(shared.quantizers));
  copy_to_shared(&shared.codes, &job.tables->codes, sizeof(shared.codes));
  const TilePlace place{static_cast<int>(blockIdx.x) * kTileWidth, static_cast<int>(blockIdx.y) * Shape::kRows};
  load_pixels(job, place, shared);
  __syncthreads();
  make_samples(job, place, shared);
  __syncthreads();
  const std::uint32_t block = threadIdx.x / kBlockSide;
  const int lane = static_cast<int>(threadIdx.x) % kBlockSide;
  const std::uint32_t mcu_column = blockIdx.x * Shape::kMcus + block / Shape::kMcuBlocks;
  const std::uint32_t within = block % Shape::kMcuBlocks;
  const int component = within < Shape::kLumaBlocks ? 0 : static_cast<int>(within) - Shape::kLumaBlocks + 1;
  transform_block(shared, block, lane, component);
  __syncthreads();
  const auto is_filler = [&](std::uint32_t i) { return job.layout.is_filler(mcu_column, blockIdx.y, i); };
  const Eighth eighth = load_eighth(shared, block, lane, is_filler(within));
  std::uint64_t nonzero = 0;
  const std::uint32_t ac_bits = measure_block(shared, block, lane, component, eighth, nonzero);
  if (mcu_column >= job.layout.mcu_columns) {
    return;
  }
  const std::uint32_t number = (blockIdx.y * job.layout.mcu_columns + mcu_column) * Shape::kMcuBlocks + within;
  if (eighth.nonzero != 0) {
    reinterpret_cast<uint4*>(job.coefficients)[std::size_t{number} * kBlockSide + lane] = eighth.coefficients;
  }
  if (lane == 0) {
    std::uint32_t of_dc = block;
    for (std::uint32_t i = within; is_filler(i); --i) {  // the first block of an MCU is none
      --of_dc;
    }
    job.nonzero[number] = nonzero;
    job.ac_bits[number] = static_cast<std::uint16_t>(ac_bits);
    job.dc[number] = shared.coefficients[of_dc][0];
  }
}

template <class Shape>
void launch(const Workspace& workspace, const EncoderJob& job) {
  const dim3 tiles((job.layout.mcu_columns + Shape::kMcus - 1) / Shape::kMcus, job.layout.mcu_rows);
  transform_tile<Shape><<<tiles, Shape::kThreads, 0, workspace.stream()>>>(job);
  check_launch("transforming pixels for a JPEG");
}

}  // namespace

void transform_pixels(const Workspace& workspace, const EncoderJob& job) {
  const jpeg::Layout& layout = job.layout;
  if (layout.component_count == 1) {
    return launch<TileShape<1, 1, 1>>(workspace, job);
  }
  switch (10 * layout.horizontal_sampling + layout.vertical_sampling) {
    case 11: return launch<TileShape<3, 1, 1>>(workspace, job);
    case 12: return launch<TileShape<3, 1, 2>>(workspace, job);
    case 21: return launch<TileShape<3, 2, 1>>(workspace, job);
    default: return launch<TileShape<3, 2, 2>>(workspace, job);
  }
}

}  // namespace gpuimg::cuda

// From pixels to quantized coefficients, and to the length of their AC codes.
#include <cstddef>
#include <cstdint>

#include "codecs/jpeg/block_memory.cuh"
#include "codecs/jpeg/encoder_job.cuh"
#include "device/cuda_check.hpp"
#include "jpeg/encode.hpp"

namespace gpuimg::cuda {
namespace {

using jpeg::kBlockSide;

// --- The pixels and samples of one thread block ----------------------------------------------------------------------

constexpr int kTileWidth = 128;                   ///< pixels
constexpr int kRun = 4;                           ///< adjacent pixels that a thread converts at a time
constexpr int kPaddedRow = jpeg::kBlockSide + 1;  ///< so that columns and rows use different banks
constexpr int kPaddedBlock = jpeg::kBlockSide * kPaddedRow;

/// The tile of one thread block: MCUs side by side.
template <int channels, int horizontal, int vertical>
struct TileShape {
  static constexpr int kChannels = channels;
  static constexpr int kHorizontal = horizontal;  ///< sampling of luma
  static constexpr int kVertical = vertical;
  static constexpr int kMcuWidth = jpeg::kBlockSide * kHorizontal;
  static constexpr int kMcus = kTileWidth / kMcuWidth;
  static constexpr int kLumaBlocks = kHorizontal * kVertical;
  static constexpr int kMcuBlocks = kLumaBlocks + kChannels - 1;
  static constexpr int kBlocks = kMcus * kMcuBlocks;
  static constexpr int kThreads = kBlocks * jpeg::kBlockSide;  ///< eight per block of coefficients
  static constexpr int kRows = jpeg::kBlockSide * kVertical;
  static constexpr int kRowWords = kTileWidth * kChannels / 4 + 1;  ///< one extra for rows that begin within a word
};

template <class Shape>
struct TileMemory {
  std::uint32_t pixels[Shape::kRows][Shape::kRowWords];
  std::uint32_t shifts[Shape::kRows];  ///< bits of each row's first word that come before the row's pixels
  std::int32_t work[Shape::kBlocks][kPaddedBlock];
  alignas(16) std::int16_t coefficients[Shape::kBlocks][jpeg::kBlockSize];
  alignas(8) std::uint8_t nonzero[Shape::kBlocks][jpeg::kBlockSide];  ///< one bit per coefficient, lowest first
  alignas(16) jpeg::Quantizers quantizers[jpeg::kMaxComponents];
  alignas(16) jpeg::CodeTables codes;
};

/// The first pixel of a tile.
struct TilePlace {
  int x;
  int y;
};

/// Loads whole words. Only for a tile away from the right edge, or for one that ends at that edge if the image's rows
/// are whole words. A row's words may begin up to three bytes before the tile's row and end up to three bytes after it,
/// but stay inside the picture.
template <class Shape>
__device__ void load_words(const EncoderJob& job, const TilePlace& place, TileMemory<Shape>& shared) {
  for (int i = static_cast<int>(threadIdx.x); i < Shape::kRows * Shape::kRowWords; i += Shape::kThreads) {
    const int row = i / Shape::kRowWords;
    const int word = i % Shape::kRowWords;
    const int y = min(place.y + row, job.layout.height - 1);
    const std::uint8_t* const from =
        job.pixels + (static_cast<std::size_t>(y) * job.layout.width + place.x) * Shape::kChannels;
    const auto shift = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) & 3U);
    if (word < Shape::kRowWords - 1 || shift != 0) {
      shared.pixels[row][word] = __ldg(reinterpret_cast<const std::uint32_t*>(from - shift) + word);
    }
    if (word == 0) {
      shared.shifts[row] = 8 * shift;
    }
  }
}

/// Loads pixel by pixel. For all other tiles at the right edge.
template <class Shape>
__device__ void load_bytes(const EncoderJob& job, const TilePlace& place, TileMemory<Shape>& shared) {
  for (int i = static_cast<int>(threadIdx.x); i < Shape::kRows * kTileWidth; i += Shape::kThreads) {
    const int row = i / kTileWidth;
    const int column = i % kTileWidth;
    const int y = min(place.y + row, job.layout.height - 1);
    const int x = min(place.x + column, job.layout.width - 1);
    const std::uint8_t* const from =
        job.pixels + (static_cast<std::size_t>(y) * job.layout.width + x) * Shape::kChannels;
    auto* const to = reinterpret_cast<std::uint8_t*>(shared.pixels[row]) + column * Shape::kChannels;
#pragma unroll
    for (int c = 0; c < Shape::kChannels; ++c) {
      to[c] = from[c];
    }
    if (column == 0) {
      shared.shifts[row] = 0;
    }
  }
}

/// Loads the tile's pixels. Pixels beyond the edges repeat the last column and the last row.
template <class Shape>
__device__ void load_pixels(const EncoderJob& job, const TilePlace& place, TileMemory<Shape>& shared) {
  const int end = place.x + kTileWidth;
  const int width = job.layout.width;
  if (end + 3 <= width || (end == width && width % 4 == 0)) {
    load_words(job, place, shared);
  } else {
    load_bytes(job, place, shared);
  }
}

/// The bytes of four pixels of a row, the first byte lowest.
template <class Shape>
struct PixelRun {
  std::uint32_t words[Shape::kChannels];

  __device__ PixelRun(const TileMemory<Shape>& shared, int row, int run) {
    const std::uint32_t* const from = shared.pixels[row] + run * Shape::kChannels;
    const std::uint32_t shift = shared.shifts[row];
    std::uint32_t low = from[0];
#pragma unroll
    for (int i = 0; i < Shape::kChannels; ++i) {
      const std::uint32_t high = from[i + 1];
      words[i] = __funnelshift_r(low, high, shift);
      low = high;
    }
  }

  [[nodiscard]] __device__ std::int32_t byte(int i) const {
    return static_cast<std::int32_t>(words[i / 4] >> (8 * (i % 4)) & 0xFFU);
  }
  [[nodiscard]] __device__ std::int32_t luma(int pixel) const {
    if constexpr (Shape::kChannels == 1) {
      return byte(pixel);
    } else {
      return jpeg::luma_of_rgb(byte(3 * pixel), byte(3 * pixel + 1), byte(3 * pixel + 2));
    }
  }
  [[nodiscard]] __device__ jpeg::Chroma chroma(int pixel) const {
    return jpeg::chroma_of_rgb(byte(3 * pixel), byte(3 * pixel + 1), byte(3 * pixel + 2));
  }
};

/// The sums of a run's chroma, one for each sample.
template <class Shape>
struct ChromaRun {
  static constexpr int kSamples = kRun / Shape::kHorizontal;
  jpeg::Chroma sums[kSamples];

  __device__ void add(const PixelRun<Shape>& pixels) {
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      sums[i / Shape::kHorizontal] += pixels.chroma(i);
    }
  }

  /// Stores the means minus 128.
  __device__ void store(std::int32_t* cb, std::int32_t* cr) const {
#pragma unroll
    for (int i = 0; i < kSamples; ++i) {
      cb[i] = jpeg::mean_sample<Shape::kHorizontal, Shape::kVertical>(sums[i].cb, i) - jpeg::kLevelShift;
      cr[i] = jpeg::mean_sample<Shape::kHorizontal, Shape::kVertical>(sums[i].cr, i) - jpeg::kLevelShift;
    }
  }
};

/// Converts kVertical rows of a run of pixels to samples minus 128: their luma, and one row of chroma. `group` is the
/// number of that chroma row in the tile.
template <class Shape>
__device__ void convert_run(const EncoderJob& job, const TilePlace& place, TileMemory<Shape>& shared, int group,
                            int run) {
  constexpr int kMcuRuns = Shape::kMcuWidth / kRun;
  const int x = run % kMcuRuns * kRun;  // in the MCU
  std::int32_t(*const blocks)[kPaddedBlock] = shared.work + run / kMcuRuns * Shape::kMcuBlocks;
  ChromaRun<Shape> chroma{};
#pragma unroll
  for (int k = 0; k < Shape::kVertical; ++k) {
    const int row = group * Shape::kVertical + k;
    const PixelRun<Shape> pixels(shared, row, run);
    std::int32_t* const luma = blocks[row / jpeg::kBlockSide * Shape::kHorizontal + x / jpeg::kBlockSide] +
                               row % jpeg::kBlockSide * kPaddedRow + x % jpeg::kBlockSide;
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      luma[i] = pixels.luma(i) - jpeg::kLevelShift;
    }
    if constexpr (Shape::kChannels == 3) {
      chroma.add(pixels);
    }
  }
  if constexpr (Shape::kChannels == 3) {
    const int first_row = place.y / Shape::kVertical;  // the tile's first chroma row
    const int stands_for = jpeg::chroma_row(first_row + group, job.layout.plane_height(1)) - first_row;
    if (Shape::kVertical > 1 && stands_for != group) {
      chroma = {};
#pragma unroll
      for (int k = 0; k < Shape::kVertical; ++k) {
        chroma.add(PixelRun<Shape>(shared, stands_for * Shape::kVertical + k, run));
      }
    }
    const int at = group * kPaddedRow + x / Shape::kHorizontal;
    chroma.store(blocks[Shape::kLumaBlocks] + at, blocks[Shape::kLumaBlocks + 1] + at);
  }
}

/// Thread → a run of pixels.
template <class Shape>
__device__ void make_samples(const EncoderJob& job, const TilePlace& place, TileMemory<Shape>& shared) {
  constexpr int kRuns = kTileWidth / kRun;
  for (int i = static_cast<int>(threadIdx.x); i < kRuns * jpeg::kBlockSide; i += Shape::kThreads) {
    convert_run(job, place, shared, i / kRuns, i % kRuns);
  }
}

// --- From samples to coefficients ------------------------------------------------------------------------------------

/// Eight threads of a warp → a block: first one row each, then one column each, which they quantize. Shared memory
/// holds the rows in between. Warp barrier: the rows are complete.
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

/// Eight coefficients, and a mask of those that are coded as AC.
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

/// Eight threads of a warp → a block. Returns the length of the block's AC codes to all eight threads; `nonzero`
/// receives the bits of the whole block.
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

/// Block → a tile of MCUs; eight threads of a warp → a block of coefficients. Barriers: the pixels are loaded; the
/// samples are converted; the coefficients are complete, because a filler block reads another block's DC. Threads of
/// MCUs beyond the right edge do the same work on repeated pixels, but store nothing.
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
    for (std::uint32_t i = within; is_filler(i); --i) {  // the first block of an MCU is never a filler
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

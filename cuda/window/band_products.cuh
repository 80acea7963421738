// The parts of the kernel in window/sum_bands.cuh: products of small byte matrices on tensor cores, the row sums that a
// warp keeps and their digits, the job, the layout of shared memory, the image as tensors, and the writing of pixels.
// core/window/bands.hpp defines the arithmetic.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>

#include "ops/window.hpp"
#include "window/bands.hpp"

namespace gpuimg::cuda {

// --- Products of bytes (compute capability 8.0; NVIDIA's PTX manual, "Warp-level matrix instructions") ---------------

using Quad = std::uint32_t[4];

/// Row sums, indexed by pair of 8-column tiles, then by half of the 16 rows.
using AcrossRows = Quad[2][2];

/// d = c + a·b for 16 × 32 unsigned bytes `a`, and 32 × 8 bytes `b`.
template <bool kSigned>
__device__ __forceinline__ void multiply(Quad& d, const Quad& a, std::uint32_t b0, std::uint32_t b1, const Quad& c) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kSigned) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  } else {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
#else
  __trap();
#endif
}

/// Loads the levels of 16 rows and 32 columns from shared memory, as the operands of two products.
__device__ __forceinline__ void load_levels(Quad& levels, std::uint32_t address) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(levels[0]), "=r"(levels[1]), "=r"(levels[2]), "=r"(levels[3])
               : "r"(address));
#endif
}

/// Loads eight levels of a row from shared memory.
__device__ __forceinline__ uint2 load_eight_levels(std::uint32_t address) {
  uint2 levels{};
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(levels.x), "=r"(levels.y) : "r"(address));
  return levels;
}

/// Copies 16 bytes to shared memory, or writes zeros there if `bytes` is 0.
__device__ __forceinline__ void copy_ahead(std::uint32_t to, const std::uint8_t* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
#endif
}

// --- Row sums, kept until the rows leave the windows -----------------------------------------------------------------

/// Indexed by pair of tiles, half of the rows, and row of the thread. A word holds 16 bits for the thread's column in
/// each tile of the pair.
using RowPairs = std::uint32_t[2][2][2];

__device__ __forceinline__ void pack_rows(RowPairs& pairs, const AcrossRows& across) {
  constexpr std::uint32_t kLowHalves = 0x5410;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const Quad& sums = across[i / 4][i / 2 % 2];
    pairs[i / 4][i / 2 % 2][i % 2] = __byte_perm(sums[i % 2], sums[i % 2 + 2], kLowHalves);
  }
}

/// The row sums that a warp keeps in shared memory. A row has 16 bits for each of 32 columns. A thread stores and loads
/// 8 bytes of each of 4 rows.
class RowSums {
 public:
  /// The memory repeats the first 16 rows after the last row, so any 16 consecutive rows are adjacent.
  static constexpr int kRows = (kMaxBandWindow / kBandRows + 2) * kBandRows;
  static constexpr int kPitch = 2 * kBandColumns + 16;  ///< keeps the four rows of a quarter in different banks
  static constexpr int kBytes = (kRows + kBandRows) * kPitch;

  __device__ RowSums(std::uint32_t address, int lane) : address_(address + 2 * (lane % 4) * kPitch + lane / 4 * 8) {}

  /// Stores the sums of the next 16 rows.
  __device__ __forceinline__ void keep(const RowPairs& pairs) const {
    store(first_, pairs);
    if (first_ == 0) {
      store(kRows, pairs);
    }
  }

  /// Subtracts, from each of the rows that were kept last, the row `size` rows before it. The upper half of a word is
  /// even, so its lowest bit is free: set to 1, it absorbs the borrow of the lower half.
  __device__ __forceinline__ void subtract_leaving(RowPairs& pairs, int size) const {
    constexpr std::uint32_t kStop = 0x10000;
    __syncwarp();
    const int from = first_ - size + (first_ < size ? kRows : 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      std::uint32_t left[2];
      asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(left[0]), "=r"(left[1]) : "r"(place(from, i)));
      pairs[0][i / 2][i % 2] += kStop - left[0];
      pairs[1][i / 2][i % 2] += kStop - left[1];
    }
    __syncwarp();
  }

  __device__ __forceinline__ void advance() { first_ = first_ == kRows - kBandRows ? 0 : first_ + kBandRows; }

 private:
  [[nodiscard]] __device__ std::uint32_t place(int row, int i) const {
    return address_ + static_cast<std::uint32_t>((row + i / 2 * 8 + i % 2) * kPitch);
  }

  __device__ __forceinline__ void store(int row, const RowPairs& pairs) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(place(row, i)), "r"(pairs[0][i / 2][i % 2]),
                   "r"(pairs[1][i / 2][i % 2]));
    }
  }

  std::uint32_t address_;
  int first_ = 0;  ///< where keep() stores the next 16 rows
};

// --- The change of the window sums with each row, as digits of one byte ----------------------------------------------

/// The digits of four rows and one column.
struct Digits {
  std::uint32_t first;
  std::uint32_t second;
};

// Byte selectors for two words: the lower halves of both, interleaved; the upper halves, interleaved; the first two
// bytes of each; the last two bytes of each.
inline constexpr std::uint32_t kLowerBytes = 0x5140;
inline constexpr std::uint32_t kUpperBytes = 0x7362;
inline constexpr std::uint32_t kFirstTwo = 0x5410;
inline constexpr std::uint32_t kLastTwo = 0x7632;

__device__ __forceinline__ void split_digits(Digits (&digits)[4], const RowPairs& pairs) {
  constexpr std::uint32_t kSevenBits = 0x7F7F7F7F;  // without the bits that stopped a borrow
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const auto& rows = pairs[pair];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t halves = i == 0 ? kLowerBytes : kUpperBytes;
      const std::uint32_t above = __byte_perm(rows[0][0], rows[0][1], halves);
      const std::uint32_t below = __byte_perm(rows[1][0], rows[1][1], halves);
      const std::uint32_t first = __byte_perm(above, below, kFirstTwo) >> 1;
      digits[2 * pair + i].first = i == 0 ? first : first & kSevenBits;
      digits[2 * pair + i].second = __byte_perm(above, below, kLastTwo);
    }
  }
}

/// The entries of the triangle matrix that a thread holds: 1 for the first digits, kBandDigit for the second.
__device__ __forceinline__ void make_triangles(Quad& triangles, int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    triangles[i] = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      triangles[i] |= row_of_entry(4 * (lane % 4) + k) <= lane / 4 + 8 * i ? 1U << (8 * k) : 0U;
    }
    triangles[i + 2] = kBandDigit * triangles[i];
  }
}

/// The window sums of 16 rows, from the window sums of the row before them.
__device__ __forceinline__ void add_up(Quad& sums, const Quad& triangles, const Digits& digits, const Quad& before) {
  multiply<true>(sums, triangles, digits.first, digits.second, before);
}

// --- The job ---------------------------------------------------------------------------------------------------------

inline constexpr int kBandWarps = 8;
inline constexpr int kBandThreads = 32 * kBandWarps;
inline constexpr int kBandBlockColumns = kBandWarps * kBandColumns;
inline constexpr int kBandTiles = 4;                 ///< tiles of 8 columns per warp
inline constexpr int kBandStepRows = 2 * kBandRows;  ///< rows per step, between two barriers

/// The pixels that a block computes.
struct BandBlock {
  int strip;  ///< number of the strip of kBandBlockColumns columns
  int top;
  int rows;
};

struct BandJob {
  const std::uint8_t* levels = nullptr;
  std::uint8_t* out = nullptr;
  int width = 0;
  int height = 0;
  Border border = Border::reflect101;
  BandLayout layout;
  int strips = 0;       ///< strips of kBandBlockColumns columns
  int rows = 0;         ///< rows per block; a multiple of kBandStepRows
  int edge_strips = 0;  ///< strips on each side whose blocks have edge_rows rows; these blocks come first
  int edge_rows = 0;
  std::int64_t half_bytes = 0;     ///< bytes of kBandRows / 2 rows of the result
  std::uint32_t sum_base = 0;      ///< added to all sums
  bool has_whole = true;           ///< if false, the operation computes all pixels with cut()
  std::uint8_t* copies = nullptr;  ///< copied columns of strips that are not wholly inside the image, or not aligned
  int left_copies = 0;             ///< number of such strips on the left; all strips if the rows are not aligned
  int first_right_copy = 0;        ///< the first such strip on the right

  [[nodiscard]] GPUIMG_HD std::size_t place(int column, int row) const {
    return static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
  }
  [[nodiscard]] GPUIMG_HD int copied_strips() const { return left_copies + strips - first_right_copy; }
  [[nodiscard]] GPUIMG_HD int edge_blocks() const {
    return edge_strips == 0 ? 0 : 2 * edge_strips * ((height - 1) / edge_rows + 1);
  }
  [[nodiscard]] GPUIMG_HD int all_blocks() const {
    return edge_blocks() + (strips - 2 * edge_strips) * ((height - 1) / rows + 1);
  }
  [[nodiscard]] GPUIMG_HD BandBlock block(int number) const {
    const int edges = edge_blocks();
    if (number < edges) {
      const int strip = number % (2 * edge_strips);
      return {strip < edge_strips ? strip : strips - 2 * edge_strips + strip, number / (2 * edge_strips) * edge_rows,
              edge_rows};
    }
    const int inner = strips - 2 * edge_strips;
    return {edge_strips + (number - edges) % inner, (number - edges) / inner * rows, rows};
  }
};

/// Layout of a block's shared memory: a ring of boxes with the image rows that entered last, one box per step; then the
/// row sums of each warp; then the barriers.
struct BandTile {
  static constexpr int kColumns = kBandBlockColumns + (kBandSteps - 1) * kBandDepth;
  static constexpr int kPitch = kColumns + 16;
  static constexpr int kBoxBytes = kBandStepRows * kPitch;
  static constexpr int kSlots = 4;  ///< one step each
  static constexpr int kRows = kSlots * kBandStepRows;
  static constexpr int kRowSums = kSlots * kBoxBytes;  ///< offset of the row sums
  static constexpr int kBarriers = kRowSums + kBandWarps * RowSums::kBytes;
  static constexpr int kBytes = kBarriers + kSlots * 16;  ///< two barriers per slot
  static_assert(kPitch / 16 % 2 == 1, "eight rows share no bank");
  static_assert(kBoxBytes % 128 == 0, "copies of boxes start at multiples of 128 bytes");
  static_assert(kMaxBandWindow / 2 + 2 * kBandStepRows <= kRows);
};

// --- The image, and the copies of its borders, as tensors ------------------------------------------------------------

struct BandMaps {
  CUtensorMap image;
  CUtensorMap copies;  ///< one layer per copied strip
};

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// Finds the driver's function at run time, so that programs start without a driver. Null if the driver lacks it.
inline EncodeTiled find_encode_tiled() {
  constexpr unsigned kSince = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kSince, cudaEnableDefault, &found);
#else
  static_assert(CUDART_VERSION >= kSince);
  const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return reinterpret_cast<EncodeTiled>(function);
}

/// A map of `layers` images of bytes, as words of four bytes. `width` is a multiple of 16. Reads outside an image give
/// zeros. Returns nullopt if the driver does not support maps. See "Tensor Map Object Management" in the manual of the
/// CUDA Driver API.
inline std::optional<CUtensorMap> tensor_map(const std::uint8_t* levels, int width, int height, int layers,
                                             int box_columns) {
  static const EncodeTiled encode = find_encode_tiled();
  if (encode == nullptr) {
    return std::nullopt;
  }
  constexpr unsigned kWord = 4;
  const auto row_bytes = static_cast<cuuint64_t>(width);
  const auto rows = static_cast<cuuint64_t>(height);
  const cuuint64_t sizes[] = {row_bytes / kWord, rows, static_cast<cuuint64_t>(layers)};
  const cuuint64_t pitches[] = {row_bytes, row_bytes * rows};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns) / kWord, kBandStepRows, 1};
  const cuuint32_t strides[] = {1, 1, 1};
  CUtensorMap map{};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, const_cast<std::uint8_t*>(levels), sizes,
                                 pitches, box, strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? std::optional(map) : std::nullopt;
}

/// Returns nullopt if the driver does not support tensor maps.
inline std::optional<BandMaps> band_maps(const BandJob& job) {
  BandMaps maps{};
  const int copies = job.copied_strips();
  if (copies < job.strips) {
    const auto image = tensor_map(job.levels, job.width, job.height, 1, BandTile::kPitch);
    if (!image) {
      return std::nullopt;
    }
    maps.image = *image;
  }
  if (copies > 0) {
    const auto layers = tensor_map(job.copies, BandTile::kColumns, job.height, copies, BandTile::kPitch);
    if (!layers) {
      return std::nullopt;
    }
    maps.copies = *layers;
  }
  return maps;
}

// --- Pixels, eight at a time -----------------------------------------------------------------------------------------

/// Packs the low byte of each of eight words.
__device__ __forceinline__ uint2 packed_bytes(const std::uint32_t (&words)[8]) {
  constexpr std::uint32_t kLowest = 0x0040;
  constexpr std::uint32_t kPairs = 0x5410;
  return make_uint2(
      __byte_perm(__byte_perm(words[0], words[1], kLowest), __byte_perm(words[2], words[3], kLowest), kPairs),
      __byte_perm(__byte_perm(words[4], words[5], kLowest), __byte_perm(words[6], words[7], kLowest), kPairs));
}

/// 255 for each of eight words that is negative, else 0.
__device__ __forceinline__ uint2 packed_signs(const std::uint32_t (&words)[8]) {
  constexpr std::uint32_t kPairs = 0x5410;
  const auto signs = [](std::uint32_t first, std::uint32_t second) {
    std::uint32_t pair = 0;
    asm("prmt.b32 %0, %1, %2, 0x00FB;" : "=r"(pair) : "r"(first), "r"(second));  // selector + 8: the byte's sign
    return pair;
  };
  return make_uint2(__byte_perm(signs(words[0], words[1]), signs(words[2], words[3]), kPairs),
                    __byte_perm(signs(words[4], words[5]), signs(words[6], words[7]), kPairs));
}

/// Byte `i` of eight bytes.
__device__ __forceinline__ std::uint32_t byte_of(uint2 eight, int i) {
  return __byte_perm(i < 4 ? eight.x : eight.y, 0, 0x4440 + i % 4);
}

/// Number of pixels that count in the windows of eight adjacent pixels.
struct WindowCounts {
  uint2 columns;  ///< one byte per pixel
  std::uint32_t rows;

  [[nodiscard]] __device__ std::uint32_t pixels(int i) const { return rows * byte_of(columns, i); }
};

/// Number of columns that count in the window of each of eight pixels, starting at `column`. Arbitrary for pixels
/// outside the image.
__device__ __forceinline__ uint2 counted_columns(const BandJob& job, int column) {
  const int radius = job.layout.radius;
  const bool is_cut = job.border == Border::cut;
  const int least = is_cut ? 0 : column - radius;
  const int most = is_cut ? job.width - 1 : column + 7 + radius;
  std::uint32_t counts[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    counts[i] = static_cast<std::uint32_t>(min(column + i + radius, most) - max(column + i - radius, least) + 1);
  }
  return packed_bytes(counts);
}

/// Writes eight pixels one by one. Skips pixels outside the image.
template <class Operation>
__device__ __noinline__ void write_separate_pixels(const BandJob& job, const Operation& operation, int column, int row,
                                                   uint2 columns, uint4 first_sums, uint4 last_sums) {
  const std::uint32_t sums[8] = {first_sums.x, first_sums.y, first_sums.z, first_sums.w,
                                 last_sums.x,  last_sums.y,  last_sums.z,  last_sums.w};
  const WindowCounts counts{columns, counted_positions(row, job.layout.radius, job.height, job.border)};
  const std::size_t at = job.place(column, row);
  uint2 levels{};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t level = column + i < job.width ? __ldg(job.levels + at + i) : 0U;
    (i < 4 ? levels.x : levels.y) |= level << (i % 4 * 8);
  }
  const uint2 results = operation.cut(sums, counts, levels);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < job.width) {
      job.out[at + i] = static_cast<std::uint8_t>((i < 4 ? results.x : results.y) >> (i % 4 * 8));
    }
  }
}

/// Writes eight pixels whose windows may be cut by the border. Uses `levels` only if the width is a multiple of 8.
template <class Operation>
__device__ __forceinline__ void write_border_pixels(const BandJob& job, const Operation& operation, int column, int row,
                                                    uint2 columns, const std::uint32_t (&sums)[8], uint2 levels) {
  if (job.width % 8 != 0) {
    write_separate_pixels(job, operation, column, row, columns, make_uint4(sums[0], sums[1], sums[2], sums[3]),
                          make_uint4(sums[4], sums[5], sums[6], sums[7]));
    return;
  }
  const WindowCounts counts{columns, counted_positions(row, job.layout.radius, job.height, job.border)};
  __stcs(reinterpret_cast<uint2*>(job.out + job.place(column, row)), operation.cut(sums, counts, levels));
}

}  // namespace gpuimg::cuda

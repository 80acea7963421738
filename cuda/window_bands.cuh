// Sums of windows over 8-bit levels as products with band matrices on tensor cores: time hardly depends on the window,
// and no table is written. Layout and arithmetic: gpuimg/ops/window_bands.hpp. Used by window.cu and threshold.cu for
// images of one channel.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>

#include "device/cuda_picture.hpp"
#include "device/launch.cuh"
#include "gpuimg/ops/window.hpp"
#include "gpuimg/ops/window_bands.hpp"

namespace gpuimg::cuda {

inline constexpr int kBandWarps = 8;
inline constexpr int kBandThreads = 32 * kBandWarps;
inline constexpr int kBandBlockColumns = kBandWarps * kBandColumns;
inline constexpr int kBandTiles = 4;                 ///< of 8 columns, of a warp
inline constexpr int kBandStepRows = 2 * kBandRows;  ///< between two barriers

struct BandJob {
  const std::uint8_t* levels = nullptr;
  std::uint8_t* out = nullptr;
  int width = 0;
  int height = 0;
  Border border = Border::reflect101;
  BandLayout layout;
  int strips = 0;                     ///< of kBandBlockColumns columns
  int rows = 0;                       ///< of a block: a multiple of kBandStepRows
  std::uint8_t* copies = nullptr;     ///< what blocks read whose columns are not all inside, or not aligned
  int left_copies = 0;                ///< number of such blocks on the left; all if the rows are not aligned
  int first_right_copy = 0;           ///< the first such block on the right
  std::uint32_t* prefixes = nullptr;  ///< of larger windows: sums of a row's first blocks of kBandDepth levels
  int blocks = 0;                     ///< of a row, from layout.margin columns before the image
};

using Quad = std::uint32_t[4];

/// d = c + a·b for 16 × 32 ones and zeros `a`, and 32 × 8 levels `b`.
__device__ __forceinline__ void multiply(Quad& d, const Quad& a, std::uint32_t b0, std::uint32_t b1, const Quad& c) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#else
  __trap();
#endif
}

/// d = c + a·b for 16 × 16 ones and zeros `a`, and 16 × 8 bytes `b`.
template <bool kSigned>
__device__ __forceinline__ void multiply(Quad& d, const std::uint32_t (&a)[2], std::uint32_t b, const Quad& c) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kSigned) {
    asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
#endif
}

/// The levels of 16 rows and 32 columns in shared memory, as both halves of two products take them.
__device__ __forceinline__ void load_levels(Quad& levels, std::uint32_t address) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(levels[0]), "=r"(levels[1]), "=r"(levels[2]), "=r"(levels[3])
               : "r"(address));
#endif
}

/// Added to all sums.
template <int kSteps>
inline constexpr std::uint32_t kBandSumBase = kSteps == kFewBandSteps ? kFloatBase : 0U;

/// What a block keeps of the image in shared memory. Of small windows: the last rows, each in the place of its number
/// modulo kRows. Of larger ones: for two steps, the rows that enter and those that leave.
template <int kSteps>
struct BandTile {
  static constexpr bool kHasMiddle = kSteps > kFewBandSteps;
  static constexpr int kParts = kHasMiddle ? 2 : 1;  ///< of a row
  static constexpr int kPartColumns = kBandBlockColumns + (kHasMiddle ? 1 : kSteps - 1) * kBandDepth;
  static constexpr int kColumns = kParts * kPartColumns;
  static constexpr int kPitch = kColumns / 16 % 2 == 0 ? kColumns + 16 : kColumns;  ///< eight rows share no bank
  static constexpr int kRows = kHasMiddle ? 4 * kBandStepRows : 128;
  static constexpr int kBytes = kRows * kPitch;
  static constexpr int kFilledRows = kHasMiddle ? 2 * kBandStepRows : kBandStepRows;  ///< in a step
  static_assert(kHasMiddle || kMaxFewStepWindow + 2 * kBandStepRows <= kRows);

  /// Where a warp's product reads, from its first column.
  static __device__ constexpr int at(int step) {
    return step >= 2 && kHasMiddle ? kPartColumns + (step - 2) * kBandDepth : step * kBandDepth;
  }
};

/// Copies 16 bytes to shared memory, or writes zeros there if `bytes` is 0.
__device__ __forceinline__ void copy_ahead(std::uint32_t to, const std::uint8_t* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
#endif
}

/// Sixteen levels from anywhere.
__device__ __forceinline__ uint4 load_unaligned(const std::uint8_t* from) {
  const auto misplaced = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from - misplaced);
  std::uint32_t word[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    word[i] = __ldg(words + i);
  }
  const std::uint32_t shift = 8 * misplaced;
  return make_uint4(__funnelshift_r(word[0], word[1], shift), __funnelshift_r(word[1], word[2], shift),
                    __funnelshift_r(word[2], word[3], shift), __funnelshift_r(word[3], word[4], shift));
}

/// Sixteen levels of a row from `column` on, which may lie outside the image.
inline __device__ __noinline__ uint4 border_levels(const std::uint8_t* line, int width, Border border, int column) {
  constexpr std::uint32_t kReversed = 0x0123;
  if (column >= 0 && column + 16 <= width) {
    return load_unaligned(line + column);
  }
  const int mirrored = (column < 0 ? -column : 2 * (width - 1) - column) - 15;
  if (border == Border::reflect101 && (column <= -16 || column >= width) && mirrored >= 0 && mirrored + 16 <= width) {
    const uint4 levels = load_unaligned(line + mirrored);
    return make_uint4(__byte_perm(levels.w, 0, kReversed), __byte_perm(levels.z, 0, kReversed),
                      __byte_perm(levels.y, 0, kReversed), __byte_perm(levels.x, 0, kReversed));
  }
  std::uint32_t word[4] = {};
#pragma unroll
  for (int w = 0; w < 4; ++w) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      const int source = source_position(column + 4 * w + i, width, border);
      word[w] |= (source < 0 ? 0U : std::uint32_t{__ldg(line + source)}) << (8 * i);
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/// Eight results, of which each word's low byte counts.
__device__ __forceinline__ uint2 packed_bytes(const std::uint32_t (&words)[8]) {
  constexpr std::uint32_t kLowest = 0x0040;
  constexpr std::uint32_t kPairs = 0x5410;
  return make_uint2(
      __byte_perm(__byte_perm(words[0], words[1], kLowest), __byte_perm(words[2], words[3], kLowest), kPairs),
      __byte_perm(__byte_perm(words[4], words[5], kLowest), __byte_perm(words[6], words[7], kLowest), kPairs));
}

/// Writes eight pixels, of which some may be outside the image, and whose windows may be cut by its border.
template <class Operation>
__device__ __noinline__ void write_border_pixels(const BandJob& job, const Operation& operation, int column, int row,
                                                 uint4 first_sums, uint4 last_sums) {
  const std::uint32_t sums[8] = {first_sums.x, first_sums.y, first_sums.z, first_sums.w,
                                 last_sums.x,  last_sums.y,  last_sums.z,  last_sums.w};
  const int radius = job.layout.radius;
  const std::size_t at = static_cast<std::size_t>(row) * job.width + static_cast<std::size_t>(column);
  const bool is_aligned = job.width % 8 == 0;
  uint2 levels{};
  if (is_aligned) {
    levels = __ldg(reinterpret_cast<const uint2*>(job.levels + at));
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t level = column + i < job.width ? __ldg(job.levels + at + i) : 0U;
      (i < 4 ? levels.x : levels.y) |= level << (i % 4 * 8);
    }
  }
  const std::uint32_t down = counted_positions(row, radius, job.height, job.border);
  std::uint32_t counts[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    counts[i] = down * counted_positions(min(column + i, job.width - 1), radius, job.width, job.border);
  }
  const uint2 results = operation.cut(sums, counts, levels);
  if (is_aligned) {
    *reinterpret_cast<uint2*>(job.out + at) = results;
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < job.width) {
      job.out[at + i] = static_cast<std::uint8_t>((i < 4 ? results.x : results.y) >> (i % 4 * 8));
    }
  }
}

/// Makes eight pixels of the sums of their windows: operation.whole(sums, levels) where all count size² pixels, with
/// kBandSumBase in the sums and a pointer to the levels, else operation.cut(sums, counts, levels). Block → job.rows
/// rows of kBandBlockColumns columns; warp → 32 columns; thread → 8 adjacent pixels of rows g and g + 8 of 16, g = lane
/// / 4. The rows of a step are copied to shared memory one step ahead. Barrier: a step's rows are there, and all warps
/// have read those that the next copies replace. Windows of the first row are summed by steps without results and
/// leaving rows.
template <int kSteps, class Operation>
__global__ void __launch_bounds__(kBandThreads, resident_blocks(kBandThreads, 2))
    sum_bands(const __grid_constant__ BandJob job, const __grid_constant__ Operation operation) {
  using Tile = BandTile<kSteps>;
  constexpr int kThreadsPerRow = kBandThreads / Tile::kFilledRows;
  constexpr int kChunks = (Tile::kPartColumns / 16 - 1) / kThreadsPerRow + 1;
  constexpr unsigned kAll = 0xFFFFFFFFU;
  extern __shared__ __align__(16) std::uint8_t tiles[];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int group = lane / 4;
  const int quarter = lane % 4;
  const int radius = job.layout.radius;
  const int block = static_cast<int>(blockIdx.x) % job.strips;
  const int block_column = block * kBandBlockColumns;
  const int top = static_cast<int>(blockIdx.x) / job.strips * job.rows;
  const int end = min(job.height, top + job.rows);
  const int starts = (job.layout.size() + kBandStepRows - 1) / kBandStepRows;  // steps without results
  const int first_counted = top - radius - 1;                                  // row; those above it count nothing
  const int steps = starts + (end - top + kBandStepRows - 1) / kBandStepRows;
  const int base = top - starts * kBandStepRows;
  // The steps whose rows are all inside the image.
  const int inside_begin = max(starts, (radius + 1 - base + kBandStepRows - 1) / kBandStepRows);
  const int inside_end = (job.height - radius - base) / kBandStepRows;

  const auto tile_address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tiles));
  const int tile_row = thread / kThreadsPerRow;
  const int first_chunk = thread % kThreadsPerRow;
  const bool fills = tile_row < Tile::kFilledRows;
  const bool leaves = tile_row >= kBandStepRows;
  const int ahead =
      base + (leaves ? -radius - 1 : radius) + tile_row % kBandStepRows;  // the row that a thread fills first
  const bool is_copied = block < job.left_copies || block >= job.first_right_copy;
  const int copy = block < job.left_copies ? block : block - job.first_right_copy + job.left_copies;
  const std::uint8_t* const source =
      16 * first_chunk + (is_copied ? job.copies + static_cast<std::size_t>(copy) * job.height * Tile::kColumns
                                    : job.levels + block_column - job.layout.margin);
  if (Tile::kHasMiddle || is_copied) {
    wait_for_kernel_before();
  }
  const int source_pitch = is_copied ? Tile::kColumns : job.width;
  const int source_part = is_copied ? Tile::kPartColumns : step_offset(job.layout, 2);
  const std::uint32_t tile_at = tile_address + static_cast<std::uint32_t>(16 * first_chunk);
  const std::uint8_t* next = source + static_cast<std::int64_t>(ahead) * source_pitch;
  const std::int64_t step_bytes = static_cast<std::int64_t>(kBandStepRows) * source_pitch;
  const auto place_of = [&](int step, int logical, int row_of_tile) {
    return Tile::kHasMiddle ? step % 2 * Tile::kFilledRows + row_of_tile : logical & (Tile::kRows - 1);
  };
  const auto row_of = [&](int logical) {
    return logical < first_counted ? -1 : source_position(logical, job.height, job.border);
  };
  const auto fill = [&](int step) {
    const int logical = ahead + step * kBandStepRows;
    const std::uint32_t to = tile_at + static_cast<std::uint32_t>(place_of(step, logical, tile_row) * Tile::kPitch);
    const auto copy_row = [&](const std::uint8_t* from, int bytes) {
#pragma unroll
      for (int part = 0; part < Tile::kParts; ++part) {
#pragma unroll
        for (int i = 0; i < kChunks; ++i) {
          constexpr int kApart = 16 * kThreadsPerRow;
          if (first_chunk + kThreadsPerRow * i < Tile::kPartColumns / 16) {
            copy_ahead(to + part * Tile::kPartColumns + kApart * i, from + part * source_part + kApart * i, bytes);
          }
        }
      }
    };
    if (step >= inside_begin && step < min(steps, inside_end)) {
      if (fills) {
        copy_row(next, 16);
      }
    } else if (fills && step < steps && (!leaves || step >= starts)) {
      const int row = row_of(logical);
      copy_row(source + static_cast<std::size_t>(max(row, 0)) * source_pitch, row < 0 ? 0 : 16);
    }
    next += step_bytes;
    __pipeline_commit();
  };

  Quad bands[2][kSteps];
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = column_of_entry(2 * pair + i % 2, group);
        std::uint32_t bits = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int offset = step_offset(job.layout, step) + i / 2 * 16 + 4 * quarter + k;
          bits |= is_in_band(job.layout, column, offset) ? 1U << (8 * k) : 0U;
        }
        bands[pair][step][i] = bits;
      }
    }
  }
  std::uint32_t triangle[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    triangle[i] = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      triangle[i] |= row_of_entry(4 * quarter + k) <= group + 8 * i ? 1U << (8 * k) : 0U;
    }
  }
  const std::uint32_t bias = band_bias(job.layout);
  const Quad minus_bias = {0U - bias, 0U - bias, 0U - bias, 0U - bias};
  const std::uint32_t middle_bias = 255U * kBandDepth * static_cast<std::uint32_t>(job.layout.middle_blocks) - bias;
  const int warp_column = block_column + warp * kBandColumns;
  const std::uint32_t* middle = nullptr;
  if constexpr (Tile::kHasMiddle) {
    middle = job.prefixes + min(warp_column / kBandDepth + 2, job.blocks - job.layout.middle_blocks);
  }
  Quad before[kBandTiles];  // the sums of the row before a step, twice
#pragma unroll
  for (auto& sums : before) {
    sums[0] = sums[1] = sums[2] = sums[3] = kBandSumBase<kSteps>;
  }
  const int level_row = lane / 16 * 8 + lane % 8;  // of a step, whose address the lane gives
  const std::uint32_t levels_at = tile_address + static_cast<std::uint32_t>(lane / 8 % 2 * 16 + warp * kBandColumns);
  const int out_column = warp_column + quarter * 8;
  // The steps, and the threads, whose results are all written and have windows of size² pixels.
  const int cut = job.border == Border::cut ? radius : 0;
  const int whole_begin = max(starts, (cut - base + kBandStepRows - 1) / kBandStepRows);
  const int whole_end = (min(end, job.height - cut) - base) / kBandStepRows;
  const bool is_whole = job.width % 8 == 0 && out_column >= cut && out_column + 8 <= job.width - cut;
  std::size_t out_at = static_cast<std::size_t>(top + group) * job.width + static_cast<std::size_t>(out_column);
  const std::size_t half_bytes = std::size_t{8} * static_cast<std::size_t>(job.width);

  const auto sum_rows = [&]<bool kStarts>(int step, int part, Quad(&sums)[kBandTiles]) {
    const int in_step = part * kBandRows + level_row;
    const int level_y = base + step * kBandStepRows + in_step;
    const std::uint32_t enter =
        levels_at + static_cast<std::uint32_t>(place_of(step, level_y + radius, in_step) * Tile::kPitch);
    const std::uint32_t leave =
        levels_at +
        static_cast<std::uint32_t>(place_of(step, level_y - radius - 1, kBandStepRows + in_step) * Tile::kPitch);
    Quad across[2][2];  // by pair of tiles and half of the rows
    if constexpr (Tile::kHasMiddle) {
      const int y = base + step * kBandStepRows + part * kBandRows + lane % kBandRows;
      const int logical = lane < 16 ? y + radius : y - radius - 1;
      const bool is_inside = step >= inside_begin && step < inside_end;
      const int row = is_inside ? logical : kStarts && lane >= 16 ? -1 : row_of(logical);
      std::uint32_t sum = 0;
      if (row >= 0) {
        const std::uint32_t* entry = middle + static_cast<std::size_t>(row) * (job.blocks + 1);
        sum = __ldg(entry + job.layout.middle_blocks) - __ldg(entry);
      }
      sum -= __shfl_down_sync(kAll, sum, 16);
      sum += kStarts ? 0 : middle_bias;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const std::uint32_t of_row = __shfl_sync(kAll, sum, half * 8 + 2 * quarter + i);
#pragma unroll
          for (int pair = 0; pair < 2; ++pair) {
            across[pair][half][i] = of_row;
            across[pair][half][i + 2] = of_row;
          }
        }
      }
    }
    if constexpr (!Tile::kHasMiddle) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        across[i / 8][i / 4 % 2][i % 4] = kStarts ? 0 : minus_bias[i % 4];
      }
    }
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      Quad levels;
      load_levels(levels, enter + Tile::at(s));
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          multiply(across[pair][half], bands[pair][s], levels[2 * half], levels[2 * half + 1], across[pair][half]);
        }
      }
      if constexpr (!kStarts) {
        load_levels(levels, leave + Tile::at(s));
#pragma unroll
        for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            multiply(across[pair][half], bands[pair][s], ~levels[2 * half], ~levels[2 * half + 1], across[pair][half]);
          }
        }
      }
    }
#pragma unroll
    for (int t = 0; t < kBandTiles; ++t) {
      const Quad& upper = across[t / 2][0];
      const Quad& lower = across[t / 2][1];
      constexpr std::uint32_t kLow = 0x5140;  // byte 0 of both, then byte 1
      const int i = t % 2 * 2;
      const std::uint32_t above = __byte_perm(upper[i], upper[i + 1], kLow);
      const std::uint32_t below = __byte_perm(lower[i], lower[i + 1], kLow);
      Quad& sum = sums[t];
      constexpr Quad kNone = {};
      multiply<false>(sum, triangle, __byte_perm(above, below, 0x5410), before[t]);
      Quad high;
      multiply<!Tile::kHasMiddle>(high, triangle, __byte_perm(above, below, 0x7632), kNone);
      if constexpr (Tile::kHasMiddle) {
        constexpr std::uint32_t kHigh = 0x7362;  // byte 2 of both, then byte 3
        Quad highest;
        multiply<true>(
            highest, triangle,
            __byte_perm(__byte_perm(upper[i], upper[i + 1], kHigh), __byte_perm(lower[i], lower[i + 1], kHigh), 0x5410),
            kNone);
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          high[r] += highest[r] << 8;
        }
      }
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum[r] += high[r] << 8;
      }
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        before[t][r] = __shfl_sync(kAll, sum[2 + r], 28 + quarter);
        before[t][r + 2] = before[t][r];
      }
    }
  };

  fill(0);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(0);
    __syncthreads();
    fill(step + 1);
    if (warp_column >= job.width) {
      continue;
    }
    const bool is_plain = step >= whole_begin && step < whole_end && is_whole;
#pragma unroll 1
    for (int part = 0; part < 2; ++part) {
      Quad sums[kBandTiles];
      if (step < starts) {
        sum_rows.template operator()<true>(step, part, sums);
        continue;
      }
      sum_rows.template operator()<false>(step, part, sums);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::uint32_t run[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          run[i] = sums[i / 2][2 * half + i % 2];
        }
        const std::size_t at = out_at + half * half_bytes;
        if (is_plain) {
          __stcs(reinterpret_cast<uint2*>(job.out + at), operation.whole(run, job.levels + at));
        } else {
          const int y = base + step * kBandStepRows + part * kBandRows + group + 8 * half;
          if (y < end && out_column < job.width) {
#pragma unroll
            for (std::uint32_t& sum : run) {
              sum -= kBandSumBase<kSteps>;
            }
            write_border_pixels(job, operation, out_column, y, make_uint4(run[0], run[1], run[2], run[3]),
                                make_uint4(run[4], run[5], run[6], run[7]));
          }
        }
      }
      out_at += 2 * half_bytes;
    }
  }
}

/// Copies what blocks read whose columns are not all inside the image, or not aligned. Warp → a row; lane → 16 levels.
template <int kSteps>
__global__ void __launch_bounds__(kBandThreads) copy_borders(BandJob job) {
  using Tile = BandTile<kSteps>;
  const int copy = static_cast<int>(blockIdx.y);
  const int block = copy < job.left_copies ? copy : copy - job.left_copies + job.first_right_copy;
  for (int row = static_cast<int>(blockIdx.x * kBandWarps + threadIdx.x / 32); row < job.height;
       row += static_cast<int>(gridDim.x) * kBandWarps) {
    const std::uint8_t* line = job.levels + static_cast<std::size_t>(row) * job.width;
    std::uint8_t* to = job.copies + (static_cast<std::size_t>(copy) * job.height + row) * Tile::kColumns;
    for (int at = static_cast<int>(threadIdx.x % 32) * 16; at < Tile::kColumns; at += 32 * 16) {
      const int part = at / Tile::kPartColumns;
      const int column = block * kBandBlockColumns - job.layout.margin + at - part * Tile::kPartColumns +
                         step_offset(job.layout, 2 * part);
      *reinterpret_cast<uint4*>(to + at) =
          column < job.width + job.layout.radius ? border_levels(line, job.width, job.border, column) : uint4{};
    }
  }
}

/// Sums of each row's first blocks of kBandDepth levels, from job.layout.margin columns before the image on. Warp → a
/// row; lane → a block of each 32.
inline __global__ void __launch_bounds__(kBandThreads) sum_blocks(BandJob job) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int rows_of_grid = static_cast<int>(gridDim.x) * kBandWarps;
  for (int row = static_cast<int>(blockIdx.x) * kBandWarps + static_cast<int>(threadIdx.x / 32); row < job.height;
       row += rows_of_grid) {
    const std::uint8_t* line = job.levels + static_cast<std::size_t>(row) * job.width;
    std::uint32_t* to = job.prefixes + static_cast<std::size_t>(row) * (job.blocks + 1);
    std::uint32_t through = 0;
    if (lane == 0) {
      to[0] = 0;
    }
#pragma unroll 4
    for (int first = 0; first < job.blocks; first += 32) {
      const int column = (first + lane) * kBandDepth - job.layout.margin;
      const bool is_inside = column >= 0 && column + kBandDepth <= job.width && job.width % 16 == 0;
      std::uint32_t sum = 0;
#pragma unroll
      for (int i = 0; i < kBandDepth; i += 16) {
        const uint4 levels = is_inside ? __ldg(reinterpret_cast<const uint4*>(line + column + i))
                             : column + i < job.width + job.layout.radius
                                 ? border_levels(line, job.width, job.border, column + i)
                                 : uint4{};
        for (const std::uint32_t word : {levels.x, levels.y, levels.z, levels.w}) {
          sum = __dp4a(word, 0x01010101U, sum);
        }
      }
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t before = __shfl_up_sync(kAll, sum, distance);
        sum += lane >= distance ? before : 0;
      }
      if (first + lane < job.blocks) {
        to[first + lane + 1] = through + sum;
      }
      through += __shfl_sync(kAll, sum, 31);
    }
  }
}

/// The products need code for compute capability 8.0 or later.
template <class Kernel>
bool has_products(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "planning a launch");
  return attributes.ptxVersion >= 80;
}

template <int kSteps, class Operation>
bool try_bands(Workspace& workspace, BandJob job, const Operation& operation, const char* doing) {
  using Tile = BandTile<kSteps>;
  // Steps at a cut border take longer. Smaller blocks share them out, but sum more rows before their first one.
  const int blocks_per_sm = job.border == Border::cut && !Tile::kHasMiddle ? 4 : 2;
  constexpr int kMinRows = 2 * kBandStepRows;
  const auto kernel = sum_bands<kSteps, Operation>;
  if (!has_products(kernel) || Tile::kBytes > workspace.device()->shared_bytes_per_block()) {
    return false;
  }
  allow_shared_bytes(workspace, kernel, Tile::kBytes);
  const auto wanted = std::max(1, workspace.device()->multiprocessors() * blocks_per_sm / job.strips);
  const auto rows = (job.height - 1) / wanted + 1;
  job.rows = std::max((rows - 1) / kBandStepRows + 1, kMinRows / kBandStepRows) * kBandStepRows;
  const int read = step_offset(job.layout, Tile::kHasMiddle ? 2 : 0) + Tile::kPartColumns - job.layout.margin;
  job.left_copies =
      job.width % 16 != 0 ? job.strips : std::min(job.strips, (job.layout.margin - 1) / kBandBlockColumns + 1);
  const int inside = job.width < read ? 0 : (job.width - read) / kBandBlockColumns + 1;
  job.first_right_copy = std::max(job.left_copies, std::min(job.strips, inside));
  const auto copies = static_cast<unsigned>(job.left_copies + job.strips - job.first_right_copy);
  const auto height = static_cast<std::size_t>(job.height);
  const unsigned row_blocks = static_cast<unsigned>((job.height - 1) / kBandWarps + 1);
  const DeviceMemory copy_memory(workspace.device(), copies * height * Tile::kColumns);
  DeviceMemory prefix_memory;
  if (copies > 0) {
    job.copies = copy_memory.as<std::uint8_t>();
    copy_borders<kSteps><<<dim3(row_blocks, copies), kBandThreads, 0, workspace.stream()>>>(job);
    check_launch("copying the borders of an image");
  }
  if constexpr (Tile::kHasMiddle) {
    job.blocks = (job.width - 1) / kBandDepth + 3 + job.layout.middle_blocks;
    prefix_memory =
        DeviceMemory(workspace.device(), height * static_cast<std::size_t>(job.blocks + 1) * sizeof(std::uint32_t));
    job.prefixes = prefix_memory.as<std::uint32_t>();
    sum_blocks<<<row_blocks, kBandThreads, 0, workspace.stream()>>>(job);
    check_launch("summing blocks of rows");
  }
  const auto blocks = static_cast<unsigned>(job.strips) * static_cast<unsigned>((job.height - 1) / job.rows + 1);
  if (can_overlap(kernel)) {
    launch_overlapping(workspace, kernel, blocks, kBandThreads, Tile::kBytes, doing, job, operation);
  } else {
    kernel<<<blocks, kBandThreads, Tile::kBytes, workspace.stream()>>>(job, operation);
    check_launch(doing);
  }
  return true;
}

/// Makes `result` of the sums of `picture`'s windows, both of one channel of 8 bits:
/// make_operation.operator()<kSteps>() gives the operation. False, without having done anything, if windows are too
/// large or the device lacks the products.
template <class MakeOperation>
bool try_bands(Workspace& workspace, const Picture& picture, const Picture& result, int radius, Border border,
               const MakeOperation& make_operation, const char* doing) {
  if (picture.format() != PixelFormat{Sample::u8, 1} || 2 * radius + 1 > kMaxBandWindow) {
    return false;
  }
  BandJob job;
  job.levels = reinterpret_cast<const std::uint8_t*>(pixels_of(picture));
  job.out = reinterpret_cast<std::uint8_t*>(pixels_of(result));
  job.width = picture.width();
  job.height = picture.height();
  job.border = border;
  job.layout = band_layout(radius);
  job.strips = (job.width - 1) / kBandBlockColumns + 1;
  if (job.layout.size() <= kMaxFewStepWindow) {
    return try_bands<kFewBandSteps>(workspace, job, make_operation.template operator()<kFewBandSteps>(), doing);
  }
  return try_bands<kManyBandSteps>(workspace, job, make_operation.template operator()<kManyBandSteps>(), doing);
}

}  // namespace gpuimg::cuda

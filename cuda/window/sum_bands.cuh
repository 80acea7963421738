// The kernel that sums windows over 8-bit levels by products with band matrices. Layout and arithmetic:
// gpuimg/ops/window_bands.hpp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "device/launch.cuh"
#include "window/band_job.cuh"
#include "window/band_pixels.cuh"
#include "window/byte_products.cuh"
#include "window/digits.cuh"
#include "window/row_sums.cuh"

namespace gpuimg::cuda {

/// Makes eight pixels of the sums of their windows: operation.whole(sums, levels) where all count size² pixels, with
/// job.sum_base in the sums, else operation.cut(sums, counts, levels). Block → job.rows
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
  const BandBlock own = job.block(static_cast<int>(blockIdx.x));
  const int block = own.strip;
  const int block_column = block * kBandBlockColumns;
  const int top = own.top;
  const int end = min(job.height, top + own.rows);
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
          bits |= is_in_band(job.layout, column, offset) ? kBandWeight << (8 * k) : 0U;
        }
        bands[pair][step][i] = bits;
      }
    }
  }
  Quad triangles;
  make_triangles(triangles, lane);
  const int warp_column = block_column + warp * kBandColumns;
  const std::uint32_t* middle = nullptr;
  if constexpr (Tile::kHasMiddle) {
    middle = job.prefixes + min(warp_column / kBandDepth + 2, job.blocks - job.layout.middle_blocks);
  }
  Quad before[kBandTiles];  // the sums of the row before a step, twice
#pragma unroll
  for (auto& sums : before) {
    sums[0] = sums[1] = sums[2] = sums[3] = job.sum_base;
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
  const std::uint8_t* const own_levels = tiles + job.layout.margin + warp * kBandColumns + quarter * 8;
  const std::size_t half_bytes = std::size_t{8} * static_cast<std::size_t>(job.width);

  RowSums row_sums(tile_address + Tile::kRows * Tile::kPitch + warp * RowSums::kBytes, lane);
  const auto sum_rows = [&]<bool kStarts>(int step, int part, Quad(&sums)[kBandTiles]) {
    const int in_step = part * kBandRows + level_row;
    const int level_y = base + step * kBandStepRows + in_step;
    const std::uint32_t enter =
        levels_at + static_cast<std::uint32_t>(place_of(step, level_y + radius, in_step) * Tile::kPitch);
    const std::uint32_t leave =
        levels_at +
        static_cast<std::uint32_t>(place_of(step, level_y - radius - 1, kBandStepRows + in_step) * Tile::kPitch);
    AcrossRows across = {};
    AcrossRows leaving = {};
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
      sum *= kBandWeight;
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
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      Quad levels;
      load_levels(levels, enter + Tile::at(s));
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          multiply<false>(across[pair][half], bands[pair][s], levels[2 * half], levels[2 * half + 1],
                          across[pair][half]);
        }
      }
      if constexpr (!kStarts && Tile::kHasMiddle) {
        load_levels(levels, leave + Tile::at(s));
#pragma unroll
        for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            multiply<false>(leaving[pair][half], bands[pair][s], levels[2 * half], levels[2 * half + 1],
                            leaving[pair][half]);
          }
        }
      }
    }
    Digits digits[kBandTiles];
    if constexpr (Tile::kHasMiddle) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        across[i / 8][i / 4 % 2][i % 4] -= leaving[i / 8][i / 4 % 2][i % 4];
      }
      split_words(digits, across);
    } else {
      RowPairs pairs;
      pack_rows(pairs, across);
      row_sums.keep(pairs);
      if constexpr (!kStarts) {
        row_sums.subtract_leaving(pairs, job.layout.size());
      }
      row_sums.advance();
      split_pairs(digits, pairs);
    }
#pragma unroll
    for (int t = 0; t < kBandTiles; ++t) {
      add_up<Tile::kHasMiddle>(sums[t], triangles, digits[t], before[t]);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        before[t][r] = __shfl_sync(kAll, sums[t][2 + r], 28 + quarter);
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
      const int row = base + step * kBandStepRows + part * kBandRows + group;
      uint2 levels[2] = {};
      if constexpr (Tile::kHasMiddle && Operation::kReadsLevels) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          if (job.width % 8 == 0 && out_column < job.width && row + 8 * half < end) {
            levels[half] = __ldg(reinterpret_cast<const uint2*>(job.levels + out_at + half * half_bytes));
          }
        }
      }
      sum_rows.template operator()<false>(step, part, sums);
      const auto sums_of = [&](std::uint32_t(&eight)[8], int half, std::uint32_t less) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          eight[i] = sums[i / 2][2 * half + i % 2] - less;
        }
      };
      if constexpr (!Tile::kHasMiddle && Operation::kReadsLevels) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int place = (row + 8 * half) & (Tile::kRows - 1);
          levels[half] = *reinterpret_cast<const uint2*>(own_levels + place * Tile::kPitch);
        }
      }
      std::uint32_t eight[8];
      if (is_plain) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          sums_of(eight, half, 0);
          __stcs(reinterpret_cast<uint2*>(job.out + out_at + half * half_bytes), operation.whole(eight, levels[half]));
        }
      } else if (out_column < job.width) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          if (row + 8 * half < end) {
            sums_of(eight, half, job.sum_base);
            write_border_pixels(job, operation, out_column, row + 8 * half, eight, levels[half]);
          }
        }
      }
      out_at += 2 * half_bytes;
    }
  }
}

}  // namespace gpuimg::cuda

// The kernel that sums small windows over 8-bit levels by products with band matrices. Layout and arithmetic:
// core/window/bands.hpp.
#pragma once

#include <cstdint>

#include "device/launch.cuh"
#include "window/band_job.cuh"
#include "window/band_pixels.cuh"
#include "window/byte_products.cuh"
#include "window/digits.cuh"
#include "window/row_sums.cuh"
#include "window/tile_rows.cuh"

namespace gpuimg::cuda {

/// Makes eight pixels of the sums of their windows: operation.whole(sums, levels) where all count size² pixels, else
/// operation.cut(sums, counts, levels), both with job.sum_base in the sums. Block → job.rows rows of kBandBlockColumns
/// columns; warp → 32 columns; thread → 8 adjacent pixels of rows g and g + 8 of 16, g = lane / 4. Windows of the first
/// row are summed by steps without results and leaving rows.
template <class Operation>
__global__ void __launch_bounds__(kBandThreads, resident_blocks(kBandThreads, 2))
    sum_bands(const __grid_constant__ BandJob job, const __grid_constant__ BandMaps maps,
              const __grid_constant__ Operation operation) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  extern __shared__ __align__(128) std::uint8_t tiles[];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int group = lane / 4;
  const int quarter = lane % 4;
  const int radius = job.layout.radius;
  const BandBlock own = job.block(static_cast<int>(blockIdx.x));
  const int block_column = own.strip * kBandBlockColumns;
  const int top = own.top;
  const int end = min(job.height, top + own.rows);
  const auto tile_address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tiles));
  TileRows rows(job, maps, own, tile_address);
  const int starts = rows.starts;
  const int base = rows.base;
  const int steps = rows.steps;
  rows.begin();

  Quad bands[2][kBandSteps];
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
    for (int step = 0; step < kBandSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = column_of_entry(2 * pair + i % 2, group);
        std::uint32_t bits = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int offset = kBandDepth * step + i / 2 * 16 + 4 * quarter + k;
          bits |= is_in_band(job.layout, column, offset) ? kBandWeight << (8 * k) : 0U;
        }
        bands[pair][step][i] = bits;
      }
    }
  }
  Quad triangles;
  make_triangles(triangles, lane);
  rows.clear_rows_above();  // the first copy takes a while
  const int warp_column = block_column + warp * kBandColumns;
  const Quad ones = {0x01010101U, 0x01010101U, 0x01010101U * kBandDigit, 0x01010101U * kBandDigit};
  Quad before[kBandTiles];  // the sums of the row before, in all rows
#pragma unroll
  for (auto& sums : before) {
    sums[0] = sums[1] = sums[2] = sums[3] = job.sum_base;
  }
  const int level_row = lane / 16 * 8 + lane % 8;  // of a step, whose address the lane gives
  const std::uint32_t levels_at = tile_address + static_cast<std::uint32_t>(lane / 8 % 2 * 16 + warp * kBandColumns);
  const int out_column = warp_column + quarter * 8;
  // The steps, and the threads or warps, whose results are all written and have windows of size² pixels.
  const int cut = job.border == Border::cut ? radius : 0;
  const int whole_begin = max(starts, (cut - base + kBandStepRows - 1) / kBandStepRows);
  const int whole_end = (min(end, job.height - cut) - base) / kBandStepRows;
  const bool is_whole = __all_sync(  // so that no warp diverges
      kAll, job.has_whole && job.width % 8 == 0 && out_column >= cut && out_column + 8 <= job.width - cut);
  std::uint8_t* out = job.out + job.place(out_column, top + group);
  const std::uint32_t own_levels = tile_address + job.layout.margin + warp * kBandColumns + quarter * 8;

  RowSums row_sums(tile_address + BandTile::kRowSums + warp * RowSums::kBytes, lane);
  const auto sum_rows = [&]<bool kStarts>(int step, int part, RowPairs& entered) {
    const std::uint32_t enter = levels_at + rows.place(step, part * kBandRows + level_row);
    AcrossRows across = {};
#pragma unroll
    for (int s = 0; s < kBandSteps; ++s) {
      Quad levels;
      load_levels(levels, enter + kBandDepth * s);
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          multiply<false>(across[pair][half], bands[pair][s], levels[2 * half], levels[2 * half + 1],
                          across[pair][half]);
        }
      }
    }
    pack_rows(entered, across);
    row_sums.keep(entered);
    if constexpr (!kStarts) {
      row_sums.subtract_leaving(entered, job.layout.size());
    }
    row_sums.advance();
  };
  const auto add_rows = [&](const RowPairs& entered, Quad(&sums)[kBandTiles]) {
    Digits digits[kBandTiles];
    split_digits(digits, entered);
#pragma unroll
    for (int t = 0; t < kBandTiles; ++t) {
      add_up(sums[t], triangles, digits[t], before[t]);
      add_up(before[t], ones, digits[t], before[t]);
    }
  };

  if (warp_column >= job.width) {
    for (int step = 0; step < steps; ++step) {
      rows.wait(step);
      rows.release(step);
    }
    return;
  }
  for (int step = 0; step < starts; ++step) {
    rows.wait(step);
#pragma unroll 1
    for (int part = 0; part < 2; ++part) {
      RowPairs entered;
      Quad sums[kBandTiles];
      sum_rows.template operator()<true>(step, part, entered);
      add_rows(entered, sums);
    }
    rows.release(step);
  }
  const auto make_step = [&]<bool kPlain>(int step) {
    rows.wait(step);
    [[maybe_unused]] const uint2 columns = kPlain ? uint2{} : counted_columns(job, out_column);
    RowPairs entered[2];  // of both parts, before the first is finished
    sum_rows.template operator()<false>(step, 0, entered[0]);
    sum_rows.template operator()<false>(step, 1, entered[1]);
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int row = base + step * kBandStepRows + part * kBandRows + group;
      uint2 levels[2] = {};
      Quad sums[kBandTiles];
      add_rows(entered[part], sums);
      if constexpr (Operation::kReadsLevels) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int entry = (row - base - radius + 8 * half) & (BandTile::kRows - 1);
          levels[half] = load_eight_levels(own_levels + entry * BandTile::kPitch);
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::uint32_t eight[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          eight[i] = sums[i / 2][2 * half + i % 2];
        }
        if constexpr (kPlain) {
          __stcs(reinterpret_cast<uint2*>(out + half * job.half_bytes), operation.whole(eight, levels[half]));
        } else if (out_column < job.width && row + 8 * half < end) {
          write_border_pixels(job, operation, out_column, row + 8 * half, columns, eight, levels[half]);
        }
      }
      out += 2 * job.half_bytes;
    }
    rows.release(step);
  };
  for (int step = starts; step < steps;) {
    // Most steps are made by a loop that holds nothing for borders in registers.
    if (is_whole && step >= whole_begin && step < whole_end) {
      for (; step < whole_end; ++step) {
        make_step.template operator()<true>(step);
      }
    } else {
      make_step.template operator()<false>(step++);
    }
  }
}

}  // namespace gpuimg::cuda

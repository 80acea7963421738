// The kernel of the summed-area table; its data are described in integral.cuh, how tiles exchange sums in
// tile_sums.cuh.
#pragma once

#include "tile_sums.cuh"

namespace gpuimg::cuda {

/// Row 0 and column 0 of a padded table.
template <class Tile>
__device__ void clear_borders(const TableJob& job, const Place<Tile>& place) {
  auto* table = static_cast<typename Tile::Entry*>(job.table);
  if (place.tile_y == 0) {
    for (int c = static_cast<int>(threadIdx.x); c < kTileColumns; c += Tile::kThreads) {
      const std::int64_t x = std::int64_t{place.tile_x} * kTileColumns + c;
      if (x < job.width) {
        table[x - job.table_pitch] = 0;
      }
    }
    if (place.tile == 0 && threadIdx.x == 0) {
      table[-job.table_pitch - 1] = 0;
    }
  }
  if (place.tile_x == 0) {
    for (int r = static_cast<int>(threadIdx.x); r < Tile::kRows; r += Tile::kThreads) {
      const std::int64_t y = place.tile_y * Tile::kRows + r;
      if (y < job.height) {
        table[y * job.table_pitch - 1] = 0;
      }
    }
  }
}

/// Writes the warp's rows: each adds its prefix sums, and what lies left of the warp, to the entries above it.
template <class Tile>
__device__ void write_rows(const TableJob& job, const Place<Tile>& place, const TileShared<Tile>& shared,
                           const Samples<typename Tile::Pixel, kLanePixels> (&rows)[Tile::kWarpRows]) {
  using Sum = typename Tile::Sum;
  using Entry = typename Tile::Entry;
  Sum entries[kLanePixels];
#pragma unroll
  for (int i = 0; i < kLanePixels; ++i) {
    entries[i] = shared.column_sums[place.warp_y][place.warp_x * kWarpColumns + place.lane * kLanePixels + i];
  }
  const std::int64_t x = place.x();
  const bool is_full = x - place.lane * kLanePixels + kWarpColumns <= job.width;
  auto* to = static_cast<Entry*>(job.table) + place.y() * job.table_pitch + x;
#pragma unroll
  for (int r = 0; r < Tile::kWarpRows; ++r) {
    if (place.y() + r >= job.height) {
      break;
    }
    Sum prefix[kLanePixels];
    Sum sum = 0;
#pragma unroll
    for (int i = 0; i < kLanePixels; ++i) {
      sum += value_of<Sum>(rows[r], i, job.square);
      prefix[i] = sum;
    }
    const Sum left = sum_before_lane(sum) + shared.row_sums[place.warp_y * Tile::kWarpRows + r][place.warp_x];
    Entry out[kLanePixels];
#pragma unroll
    for (int i = 0; i < kLanePixels; ++i) {
      entries[i] += left + prefix[i];
      out[i] = table_entry<Entry>(entries[i]);
    }
    if (is_full) {
      store_full_row(to, out);
    } else {
#pragma unroll
      for (int i = 0; i < kLanePixels; ++i) {
        if (x + i < job.width) {
          to[i] = out[i];
        }
      }
    }
    to += job.table_pitch;
  }
}

/// Block → one tile of 1024 columns, taken from the ticket counter, so that the tiles to the left and above belong to
/// blocks that run already. Warp → 128 columns and kWarpRows rows, lane → 4 columns, whose pixels stay in registers.
/// Shared: TileShared. Barriers: the ticket; the warps' row sums; the sums left of each warp; the warps' column sums;
/// the entries above each warp.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads) sum_tiles(TableJob job) {
  using Sum = typename Tile::Sum;
  __shared__ TileShared<Tile> shared;
  if (threadIdx.x == 0) {
    shared.ticket = atomicAdd(job.ticket, 1U);
    if (shared.ticket == job.tiles - 1) {
      *job.ticket = 0;  // the last one taken: the next launch starts anew
    }
  }
  __syncthreads();
  const Place<Tile> place(job, shared.ticket);

  Samples<typename Tile::Pixel, kLanePixels> rows[Tile::kWarpRows];
#pragma unroll
  for (int r = 0; r < Tile::kWarpRows; ++r) {
    rows[r] = load_four<typename Tile::Pixel>(job, place.x(), place.y() + r);
  }
  Sum columns[kLanePixels] = {};
  Sum row_total = 0;  // of row `lane` of the warp
#pragma unroll
  for (int r = 0; r < Tile::kWarpRows; ++r) {
    Sum sum = 0;
#pragma unroll
    for (int i = 0; i < kLanePixels; ++i) {
      const Sum value = value_of<Sum>(rows[r], i, job.square);
      columns[i] += value;
      sum += value;
    }
    const Sum total = warp_total(sum);
    row_total = place.lane == r ? total : row_total;
  }
  if (place.lane < Tile::kWarpRows) {
    shared.row_sums[place.warp_y * Tile::kWarpRows + place.lane][place.warp_x] = row_total;
  }
  __syncthreads();
  resolve_rows(job, place, shared);
  __syncthreads();
  const Sum left_of_row = place.lane < Tile::kWarpRows
                              ? shared.row_sums[place.warp_y * Tile::kWarpRows + place.lane][place.warp_x]
                              : Sum{0};
  const Sum left_of_rows = warp_total(left_of_row);
#pragma unroll
  for (int i = 1; i < kLanePixels; ++i) {
    columns[i] += columns[i - 1];
  }
  const Sum left = sum_before_lane(columns[kLanePixels - 1]) + left_of_rows;
#pragma unroll
  for (int i = 0; i < kLanePixels; ++i) {
    shared.column_sums[place.warp_y][place.warp_x * kWarpColumns + place.lane * kLanePixels + i] = left + columns[i];
  }
  __syncthreads();
  resolve_columns(job, place, shared);
  if (job.padded) {
    clear_borders(job, place);
  }
  __syncthreads();
  write_rows(job, place, shared, rows);
}

/// Tiles of this kind for a job whose pixels, table, size and flags are set; fills in the rest.
template <class Tile>
void launch_sum_tiles(Workspace& workspace, TableJob job) {
  using State = typename Tile::State;
  constexpr std::uint32_t kLastEpoch = 0x7FFFFFFFU;
  constexpr std::size_t kTicketBytes = 256;
  job.tiles_across = (job.width - 1) / kTileColumns + 1;
  job.tiles = std::int64_t{job.tiles_across} * ((job.height - 1) / Tile::kRows + 1);
  if (job.tiles > std::int64_t{0x7FFFFFFF}) {
    throw Error(ErrorKind::unsupported, "integral: the image has too many rows and columns; cut it into parts");
  }
  if (workspace.tile_epoch >= kLastEpoch) {
    workspace.tile_states.reset();
    workspace.tile_epoch = 0;
  }
  const auto tiles = static_cast<std::size_t>(job.tiles);
  const std::size_t row_bytes = tiles * Tile::kRows * sizeof(State);
  const std::size_t column_bytes = tiles * kTileColumns * sizeof(State);
  std::byte* memory = workspace.zeroed(workspace.tile_states, kTicketBytes + row_bytes + column_bytes).data();
  job.ticket = reinterpret_cast<unsigned int*>(memory);
  job.row_states = memory + kTicketBytes;
  job.column_states = memory + kTicketBytes + row_bytes;
  job.epoch = ++workspace.tile_epoch;
  sum_tiles<Tile><<<static_cast<unsigned>(job.tiles), Tile::kThreads, 0, workspace.stream()>>>(job);
  check_launch("summing tiles");
}

/// T is the picture's sample type. One file each: integral_u8.cu, integral_u16.cu.
template <class T>
void launch_integral(Workspace& workspace, const TableJob& job, Sample type);
template <>
void launch_integral<std::uint8_t>(Workspace& workspace, const TableJob& job, Sample type);
template <>
void launch_integral<std::uint16_t>(Workspace& workspace, const TableJob& job, Sample type);

}  // namespace gpuimg::cuda

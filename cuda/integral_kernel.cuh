// The kernel of the summed-area table; its pieces and its data are described in integral.cuh.
#pragma once

#include "integral.cuh"

namespace gpuimg::cuda {

/// Where a block and a thread are in the image.
template <class Tile>
struct Place {
  std::int64_t tile;
  std::int64_t tile_y;
  int tile_x;
  int lane;
  int warp_x;
  int warp_y;

  __device__ Place(const TableJob& job, unsigned int ticket)
      : tile(ticket),
        tile_y(tile / job.tiles_across),
        tile_x(static_cast<int>(tile - tile_y * job.tiles_across)),
        lane(static_cast<int>(threadIdx.x) % 32),
        warp_x(static_cast<int>(threadIdx.x) / 32 % kWarpsAcross),
        warp_y(static_cast<int>(threadIdx.x) / 32 / kWarpsAcross) {}
  [[nodiscard]] __device__ std::int64_t x() const {
    return std::int64_t{tile_x} * kTileColumns + warp_x * kWarpColumns + lane * kLanePixels;
  }
  [[nodiscard]] __device__ std::int64_t y() const { return tile_y * Tile::kRows + warp_y * Tile::kWarpRows; }
};

template <class Tile>
struct TileShared {
  using Sum = typename Tile::Sum;
  Sum row_sums[Tile::kRows][kWarpsAcross];  ///< each warp's row totals; then all that lies left of the warp in the row
  alignas(16) Sum column_sums[Tile::kWarpsDown][kTileColumns];  ///< likewise: the table's entry just above the warp
  unsigned int ticket;
};

/// Sum of a row over all tiles to the left: looks at kWindow tiles at a time, nearest first, back to the first that knows
/// the whole of its row. All lanes of a warp call this; kWindow neighbouring lanes share a row.
template <class Tile>
__device__ typename Tile::Sum sum_left_of_tile(const TableJob& job, const Place<Tile>& place, int row) {
  using Sum = typename Tile::Sum;
  const Epoch epoch(job.epoch);
  const int position = place.lane % Tile::kWindow;
  const auto* states = static_cast<const volatile typename Tile::State*>(job.row_states);
  Sum before = 0;
  int nearest = place.tile_x - 1;
  bool done = nearest < 0;
  while (__any_sync(0xFFFFFFFFU, !done)) {
    Published<Sum> seen{0, epoch.whole};
    if (!done && nearest - position >= 0) {
      const std::int64_t tile = place.tile - place.tile_x + nearest - position;
      seen = awaited(states + tile * Tile::kRows + row, epoch);
    }
    const unsigned wholes = __ballot_sync(0xFFFFFFFFU, seen.mark == epoch.whole);
    constexpr unsigned kMask = Tile::kWindow == 32 ? 0xFFFFFFFFU : (1U << Tile::kWindow) - 1U;
    const unsigned mine = wholes >> (place.lane - position) & kMask;
    const int last = mine == 0 ? Tile::kWindow : __ffs(static_cast<int>(mine)) - 1;
    Sum part = !done && position <= last ? seen.sum : Sum{0};
#pragma unroll
    for (int distance = 1; distance < Tile::kWindow; distance *= 2) {
      part += __shfl_xor_sync(0xFFFFFFFFU, part, distance);
    }
    before += part;
    done = done || mine != 0;
    nearest -= Tile::kWindow;
  }
  return before;
}

/// Publishes the tile's row sums and turns row_sums into what lies left of each warp. Rows are shared out among warps.
template <class Tile>
__device__ void resolve_rows(const TableJob& job, const Place<Tile>& place, TileShared<Tile>& shared) {
  using Sum = typename Tile::Sum;
  const Epoch epoch(job.epoch);
  const int position = place.lane % Tile::kWindow;
  const int row = static_cast<int>(threadIdx.x) / 32 * Tile::kRowsPerWarp + place.lane / Tile::kWindow;
  auto* state = static_cast<volatile typename Tile::State*>(job.row_states) + place.tile * Tile::kRows + row;
  Sum total = 0;
  Sum left_in_tile = 0;
#pragma unroll
  for (int w = 0; w < kWarpsAcross; ++w) {
    left_in_tile = w == position ? total : left_in_tile;
    total += shared.row_sums[row][w];
  }
  if (position == 0) {
    state->publish(total, place.tile_x == 0 ? epoch.whole : epoch.own);
  }
  const Sum before = sum_left_of_tile(job, place, row);
  if (position == 0 && place.tile_x != 0) {
    state->publish(before + total, epoch.whole);
  }
  if (position < kWarpsAcross) {
    shared.row_sums[row][position] = before + left_in_tile;
  }
}

/// Publishes the tile's column sums (of whole rows) and turns column_sums into the table's entries above each warp.
template <class Tile>
__device__ void resolve_columns(const TableJob& job, const Place<Tile>& place, TileShared<Tile>& shared) {
  using Sum = typename Tile::Sum;
  constexpr int kColumns = Tile::kColumnsPerThread;
  const Epoch epoch(job.epoch);
  auto* states = static_cast<volatile typename Tile::State*>(job.column_states);
  Sum total[kColumns] = {};
  Sum before[kColumns] = {};
  bool done[kColumns];
#pragma unroll
  for (int k = 0; k < kColumns; ++k) {
    const int column = static_cast<int>(threadIdx.x) + k * Tile::kThreads;
    for (int w = 0; w < Tile::kWarpsDown; ++w) {
      const Sum sum = shared.column_sums[w][column];
      shared.column_sums[w][column] = total[k];
      total[k] += sum;
    }
    const bool is_in_image = std::int64_t{place.tile_x} * kTileColumns + column < job.width;
    done[k] = place.tile_y == 0 || !is_in_image;
    if (is_in_image) {
      states[place.tile * kTileColumns + column].publish(total[k], place.tile_y == 0 ? epoch.whole : epoch.own);
    }
  }
  constexpr int kAhead = kColumns == 1 ? 4 : 1;  // tiles above whose sums are asked for before the first is needed
  for (std::int64_t tile = place.tile - job.tiles_across; tile >= 0; tile -= kAhead * job.tiles_across) {
    bool all_done = true;
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int column = static_cast<int>(threadIdx.x) + k * Tile::kThreads;
      Published<Sum> seen[kAhead];
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        const std::int64_t from = tile - a * job.tiles_across;
        seen[a] = done[k] || from < 0 ? Published<Sum>{0, 0} : states[from * kTileColumns + column].read();
      }
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        if (!done[k]) {
          const std::int64_t from = tile - a * job.tiles_across;
          if (!epoch.is_written(seen[a].mark)) {
            seen[a] = awaited(states + from * kTileColumns + column, epoch);
          }
          before[k] += seen[a].sum;
          done[k] = seen[a].mark == epoch.whole;
        }
      }
      all_done = all_done && done[k];
    }
    if (all_done) {
      break;
    }
  }
#pragma unroll
  for (int k = 0; k < kColumns; ++k) {
    const int column = static_cast<int>(threadIdx.x) + k * Tile::kThreads;
    if (place.tile_y != 0 && std::int64_t{place.tile_x} * kTileColumns + column < job.width) {
      states[place.tile * kTileColumns + column].publish(before[k] + total[k], epoch.whole);
    }
    for (int w = 0; w < Tile::kWarpsDown; ++w) {
      shared.column_sums[w][column] += before[k];
    }
  }
}

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
/// Shared: TileShared. Barriers: the ticket; the warps' row sums; the sums left of each warp; the warps' column sums; the
/// entries above each warp.
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
  const Sum left_of_row =
      place.lane < Tile::kWarpRows
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
  std::byte* memory =
      workspace.zeroed(workspace.tile_states, kTicketBytes + row_bytes + column_bytes).data();
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

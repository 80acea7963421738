// The parts of the kernel that builds a summed-area table in one launch (decoupled look-back). Blocks take tiles in
// order from a counter, and tiles pass on their row and column sums. A sum and its mark are written as one word, so
// that no fence is needed and readers never see one without the other. This file defines how the threads of a tile load
// their pixels, where they keep them until they write the table, and how a tile gets the sums to its left and above
// while other tiles are still being computed. The kernel is in integral.cu. Specified in docs/operations.md, "Integral
// image"; design and measurements in docs/performance.md.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "device/levels.cuh"
#include "gpuimg/ops/integral.hpp"

namespace gpuimg::cuda {

// --- Look-back -------------------------------------------------------------------------------------------------------

/// The marks of one launch, which tell which tiles a published sum covers. Each launch uses larger numbers than all
/// launches before it, so entries of earlier launches count as not yet written.
struct Epoch {
  std::uint32_t own;    ///< this tile only
  std::uint32_t whole;  ///< everything up to and including this tile

  __host__ __device__ explicit Epoch(std::uint32_t number) : own(2 * number), whole(2 * number + 1) {}
  [[nodiscard]] __device__ bool is_written(std::uint32_t mark) const { return mark == own || mark == whole; }
};

template <class Sum>
struct Published {
  Sum sum;
  std::uint32_t mark;
};

/// For 32-bit sums: mark and sum side by side in 64 bits.
struct State32 {
  using Sum = std::uint32_t;
  unsigned long long word;

  __device__ void publish(Sum sum, std::uint32_t mark) volatile {
    word = static_cast<unsigned long long>(mark) << 32 | sum;
  }
  [[nodiscard]] __device__ Published<Sum> read() const volatile {
    const unsigned long long now = word;
    return {static_cast<std::uint32_t>(now), static_cast<std::uint32_t>(now >> 32)};
  }
};

/// For 64-bit sums: two words of mark and sum, each with half of the sum. If their marks differ, the entry was read
/// while it was being written.
struct State64 {
  using Sum = std::uint64_t;
  unsigned long long low;
  unsigned long long high;

  __device__ void publish(Sum sum, std::uint32_t mark) volatile {
    const unsigned long long tag = static_cast<unsigned long long>(mark) << 32;
    low = tag | (sum & 0xFFFFFFFFULL);
    high = tag | (sum >> 32);
  }
  [[nodiscard]] __device__ Published<Sum> read() const volatile {
    const unsigned long long now_low = low;
    const unsigned long long now_high = high;
    const auto mark = static_cast<std::uint32_t>(now_low >> 32);
    const bool agree = mark == static_cast<std::uint32_t>(now_high >> 32);
    return {now_high << 32 | (now_low & 0xFFFFFFFFULL), agree ? mark : 0};
  }
};

/// Spins until a sum of this epoch is published. Terminates, because the tile that publishes the sum has an earlier
/// ticket and is therefore running or done.
template <class State>
__device__ __forceinline__ Published<typename State::Sum> wait_for(const volatile State* state, const Epoch& epoch) {
  auto seen = state->read();
  while (!epoch.is_written(seen.mark)) {
    __nanosleep(20);
    seen = state->read();
  }
  return seen;
}

// --- Tiles -----------------------------------------------------------------------------------------------------------

/// A lane has 4 columns, a warp 128.
constexpr int kLanePixels = 4;
constexpr int kWarpColumns = 32 * kLanePixels;
constexpr std::size_t kStoreBytes = 16;

/// One image and its table. `table` points to the entry of pixel (0, 0). This address and the pitch are multiples of
/// kStoreBytes.
struct TableJob {
  const std::byte* pixels = nullptr;
  void* table = nullptr;
  std::int64_t table_pitch = 0;  ///< entries from one row of the table to the next
  int width = 0;
  int height = 0;
  bool padded = false;
  bool square = false;
  int tiles_across = 0;
  std::int64_t tiles = 0;
  unsigned int* ticket = nullptr;  ///< zero between launches
  void* row_states = nullptr;      ///< one per row and tile
  void* column_states = nullptr;   ///< one per column and tile
  std::uint32_t epoch = 0;
};

/// How a tile is divided into warps, and how many earlier tiles a thread polls at once.
template <int rows_a_warp, int warps_across, int warps_down, int blocks_a_multiprocessor, int tiles_ahead,
          bool stages_pixels>
struct Shape {
  static constexpr int kWarpRows = rows_a_warp;
  static constexpr int kWarpsAcross = warps_across;
  static constexpr int kWarpsDown = warps_down;
  static constexpr int kBlocks = blocks_a_multiprocessor;  ///< blocks per multiprocessor, which limits the registers
  static constexpr int kAhead = tiles_ahead;
  static constexpr bool kStaged = stages_pixels;  ///< pixels are kept in shared memory instead of registers
  static constexpr int kRows = kWarpRows * kWarpsDown;
  static constexpr int kThreads = kWarpsAcross * kWarpsDown * 32;
  static constexpr int kLanesPerRow = kThreads / kRows;   ///< lanes that together look back for one row
  static constexpr int kRowsPerWarp = 32 / kLanesPerRow;  ///< rows for which one warp looks back
  static_assert(kRows * kLanesPerRow == kThreads && kLanesPerRow >= kWarpsAcross && kWarpRows % 4 == 0);
};

template <class T, class EntryType, class SumState, bool squares, class ItsShape>
struct Tile : ItsShape {
  using Pixel = T;
  using Entry = EntryType;
  using State = SumState;
  using Sum = typename State::Sum;
  static constexpr bool kSquare = squares;
  static constexpr int kColumns = ItsShape::kWarpsAcross * kWarpColumns;
  static constexpr int kColumnsPerThread = (kColumns + ItsShape::kThreads - 1) / ItsShape::kThreads;
  /// Sums of 128 such pixels fit in 16 bits, so two rows are summed at once, one in each half of a word.
  static constexpr bool kPairsRows = sizeof(T) == 1 && !squares;
};

/// The value that a pixel adds to a sum.
template <class Tile>
__device__ __forceinline__ typename Tile::Sum value_of(const Samples<typename Tile::Pixel, kLanePixels>& four, int i) {
  const typename Tile::Sum value = four.get(i);
  return Tile::kSquare ? value * value : value;
}

/// Sum of the first `count` bytes of a word.
template <int count>
__device__ __forceinline__ std::uint32_t sum_of_bytes(std::uint32_t word) {
  return count == 1 ? word & 0xFFU : __dp4a(word, 0x01010101U >> (32 - 8 * count), 0U);
}

/// Sum over all lanes, returned to every lane.
template <class Sum>
__device__ __forceinline__ Sum warp_total(Sum value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  }
  return value;
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ __forceinline__ std::uint32_t warp_total<std::uint32_t>(std::uint32_t value) {
  return __reduce_add_sync(0xFFFFFFFFU, value);
}
#endif

/// Sum over the lanes to the left.
template <class Sum>
__device__ __forceinline__ Sum sum_before_lane(Sum value) {
  const unsigned lane = threadIdx.x % 32;
  Sum through = value;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const Sum left = __shfl_up_sync(0xFFFFFFFFU, through, distance);
    through += lane >= distance ? left : Sum{0};
  }
  return through - value;
}

// --- Pixels ----------------------------------------------------------------------------------------------------------

/// Loads four adjacent pixels of a row; pixels beyond the row are 0. An unaligned address is read as the two aligned
/// words around it.
template <class T>
__device__ __forceinline__ Samples<T, kLanePixels> load_four(const TableJob& job, std::int64_t x, std::int64_t y) {
  Samples<T, kLanePixels> four;
  if (x >= job.width || y >= job.height) {
    return four;
  }
  const int present = static_cast<int>(min(std::int64_t{kLanePixels}, job.width - x));
  const std::byte* from = job.pixels + (y * job.width + x) * static_cast<std::int64_t>(sizeof(T));
  const auto offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from - offset);
  if (offset == 0) {
#pragma unroll
    for (int i = 0; i < four.kWords; ++i) {
      four.words[i] = __ldg(words + i);
    }
  } else {
    std::uint32_t low = __ldg(words);
#pragma unroll
    for (int i = 0; i < four.kWords; ++i) {
      const std::uint32_t high = __ldg(words + i + 1);
      four.words[i] = __funnelshift_r(low, high, offset * 8);
      low = high;
    }
  }
#pragma unroll
  for (int i = 0; i < four.kWords; ++i) {
    const int bytes = present * static_cast<int>(sizeof(T)) - 4 * i;  // bytes of this word that belong to the row
    four.words[i] &= bytes >= 4 ? 0xFFFFFFFFU : bytes <= 0 ? 0U : (1U << (8 * bytes)) - 1U;
  }
  return four;
}

/// A thread's pixels of a tile while it waits for the neighbor tiles' sums: in registers, or in shared memory, where
/// each thread reads only what it wrote.
template <class Tile>
struct Rows {
  using Four = Samples<typename Tile::Pixel, kLanePixels>;
  static constexpr std::size_t kStagedBytes = Tile::kStaged ? sizeof(Four) * Tile::kWarpRows * Tile::kThreads : 0;

  Four kept[Tile::kStaged ? 1 : Tile::kWarpRows];
  Four* staged;  ///< rows are kThreads apart

  __device__ explicit Rows(std::byte* shared) : staged(reinterpret_cast<Four*>(shared) + threadIdx.x) {}

  [[nodiscard]] __device__ __forceinline__ Four at(int r) const {
    if constexpr (Tile::kStaged) {
      return staged[r * Tile::kThreads];
    } else {
      return kept[r];
    }
  }
  __device__ __forceinline__ void put(int r, const Four& four) {
    if constexpr (Tile::kStaged) {
      staged[r * Tile::kThreads] = four;
    } else {
      kept[r] = four;
    }
  }
  __device__ __forceinline__ void put_from(int r, const std::byte* aligned) {
    if constexpr (Tile::kStaged) {
      __pipeline_memcpy_async(staged + r * Tile::kThreads, aligned, sizeof(Four));
    } else if constexpr (sizeof(Four) == 8) {
      const uint2 words = __ldcs(reinterpret_cast<const uint2*>(aligned));
      kept[r].words[0] = words.x;
      kept[r].words[1] = words.y;
    } else {
      kept[r].words[0] = __ldcs(reinterpret_cast<const unsigned int*>(aligned));
    }
  }
};

/// Begins to load the thread's rows of a tile; wait_for_rows must follow. Aligned rows inside the image skip the bounds
/// checks.
template <class Tile, class Place>
__device__ __forceinline__ void load_rows(const TableJob& job, const Place& place, Rows<Tile>& rows) {
  using Pixel = typename Tile::Pixel;
  constexpr int kBytes = kLanePixels * static_cast<int>(sizeof(Pixel));
  const std::int64_t x = place.x();
  const std::int64_t y = place.y();
  const std::int64_t pitch = std::int64_t{job.width} * static_cast<std::int64_t>(sizeof(Pixel));
  const bool is_inside = x - place.lane * kLanePixels + kWarpColumns <= job.width && y + Tile::kWarpRows <= job.height;
  if (is_inside && (pitch | static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(job.pixels))) % kBytes == 0) {
    const std::byte* from = job.pixels + y * pitch + x * static_cast<std::int64_t>(sizeof(Pixel));
#pragma unroll
    for (int r = 0; r < Tile::kWarpRows; ++r) {
      rows.put_from(r, from);
      from += pitch;
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < Tile::kWarpRows; ++r) {
    rows.put(r, load_four<Pixel>(job, x, y + r));
  }
}

/// Waits until the calling thread's rows are loaded. The rows of other threads may still be loading.
template <class Tile>
__device__ __forceinline__ void wait_for_rows() {
  if constexpr (Tile::kStaged) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
}

/// For each of two rows, the sum of the pixels in the lanes to the left.
template <class Tile>
__device__ __forceinline__ void sums_before_lane(const Samples<typename Tile::Pixel, kLanePixels> (&rows)[2],
                                                 typename Tile::Sum (&before)[2]) {
  if constexpr (Tile::kPairsRows) {
    const std::uint32_t both =
        sum_before_lane(sum_of_bytes<4>(rows[0].words[0]) + (sum_of_bytes<4>(rows[1].words[0]) << 16));
    before[0] = both & 0xFFFFU;
    before[1] = both >> 16;
  } else {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      typename Tile::Sum sum = 0;
#pragma unroll
      for (int i = 0; i < kLanePixels; ++i) {
        sum += value_of<Tile>(rows[k], i);
      }
      before[k] = sum_before_lane(sum);
    }
  }
}

/// Adds a row to the entries above it. `left` is the sum of the pixels to the left of the lane's pixels.
template <class Tile>
__device__ __forceinline__ void add_row(const Samples<typename Tile::Pixel, kLanePixels>& row, typename Tile::Sum left,
                                        typename Tile::Sum (&entries)[kLanePixels]) {
  if constexpr (Tile::kPairsRows) {
    entries[0] += left + sum_of_bytes<1>(row.words[0]);
    entries[1] += left + sum_of_bytes<2>(row.words[0]);
    entries[2] += left + sum_of_bytes<3>(row.words[0]);
    entries[3] += left + sum_of_bytes<4>(row.words[0]);
  } else {
#pragma unroll
    for (int i = 0; i < kLanePixels; ++i) {
      left += value_of<Tile>(row, i);
      entries[i] += left;
    }
  }
}

// --- Sums to the left and above --------------------------------------------------------------------------------------

/// Position of a block and thread in the image.
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
        tile_y(ticket / static_cast<unsigned int>(job.tiles_across)),
        tile_x(static_cast<int>(ticket % static_cast<unsigned int>(job.tiles_across))),
        lane(static_cast<int>(threadIdx.x) % 32),
        warp_x(static_cast<int>(threadIdx.x) / 32 % Tile::kWarpsAcross),
        warp_y(static_cast<int>(threadIdx.x) / 32 / Tile::kWarpsAcross) {}
  [[nodiscard]] __device__ std::int64_t x() const { return std::int64_t{tile_x} * Tile::kColumns + column(); }
  /// The lane's first column in the tile.
  [[nodiscard]] __device__ int column() const { return warp_x * kWarpColumns + lane * kLanePixels; }
  [[nodiscard]] __device__ std::int64_t y() const { return tile_y * Tile::kRows + warp_y * Tile::kWarpRows; }
};

template <class Tile>
struct TileShared {
  using Sum = typename Tile::Sum;
  Sum row_sums[Tile::kRows][Tile::kWarpsAcross];  ///< row totals of each warp; later the sum of everything left of the
                                                  ///< warp in the row
  alignas(16) Sum column_sums[Tile::kWarpsDown]
                             [Tile::kColumns];  ///< column totals of each warp; later the table entry above the warp
  unsigned int ticket;
};

/// Sums a row over the tiles to the left, back to the nearest tile that has published the sum from the beginning of the
/// row. All lanes of the warp must call this. kLanesPerRow adjacent lanes share a row; each polls kAhead tiles at once,
/// and the first lane polls the nearest tiles.
template <class Tile>
__device__ typename Tile::Sum look_back_left(const TableJob& job, const Place<Tile>& place, int row) {
  using Sum = typename Tile::Sum;
  const Epoch epoch(job.epoch);
  const int position = place.lane % Tile::kLanesPerRow;
  const auto* states = static_cast<const volatile typename Tile::State*>(job.row_states) +
                       (place.tile - place.tile_x) * Tile::kRows + row;
  Sum before = 0;
  bool done = place.tile_x == 0;
  for (int nearest = place.tile_x - 1; __any_sync(0xFFFFFFFFU, !done); nearest -= Tile::kLanesPerRow * Tile::kAhead) {
    Published<Sum> seen[Tile::kAhead];
    const int first = nearest - position * Tile::kAhead;
#pragma unroll
    for (int a = 0; a < Tile::kAhead; ++a) {
      seen[a] = {0, epoch.whole};
      if (!done && first >= a) {
        seen[a] = states[std::int64_t{first - a} * Tile::kRows].read();
      }
    }
    Sum part = 0;
    bool knows_whole = false;
#pragma unroll
    for (int a = 0; a < Tile::kAhead; ++a) {
      if (!knows_whole) {
        if (!epoch.is_written(seen[a].mark)) {
          seen[a] = wait_for(states + std::int64_t{first - a} * Tile::kRows, epoch);
        }
        part += seen[a].sum;
        knows_whole = seen[a].mark == epoch.whole;
      }
    }
    const unsigned wholes = __ballot_sync(0xFFFFFFFFU, knows_whole);
    constexpr unsigned kMask = Tile::kLanesPerRow == 32 ? 0xFFFFFFFFU : (1U << Tile::kLanesPerRow) - 1U;
    const unsigned mine = wholes >> (place.lane - position) & kMask;
    const int last = mine == 0 ? Tile::kLanesPerRow : __ffs(static_cast<int>(mine)) - 1;
    part = !done && position <= last ? part : Sum{0};
#pragma unroll
    for (int distance = 1; distance < Tile::kLanesPerRow; distance *= 2) {
      part += __shfl_xor_sync(0xFFFFFFFFU, part, distance);
    }
    before += part;
    done = done || mine != 0;
  }
  return before;
}

/// The row for which a thread looks back. kLanesPerRow adjacent lanes share a row, and the warps divide the rows among
/// themselves.
template <class Tile>
struct SharedRow {
  using Sum = typename Tile::Sum;
  int position;   ///< among the lanes of the row
  int row;        ///< in the tile
  Sum total = 0;  ///< sum of the row in the tile
  Sum left = 0;   ///< sum of the warps left of warp `position`
  volatile typename Tile::State* state;

  __device__ SharedRow(const TableJob& job, const Place<Tile>& place, const TileShared<Tile>& shared)
      : position(place.lane % Tile::kLanesPerRow),
        row(static_cast<int>(threadIdx.x) / 32 * Tile::kRowsPerWarp + place.lane / Tile::kLanesPerRow),
        state(static_cast<volatile typename Tile::State*>(job.row_states) + place.tile * Tile::kRows + row) {
#pragma unroll
    for (int w = 0; w < Tile::kWarpsAcross; ++w) {
      left = w == position ? total : left;
      total += shared.row_sums[row][w];
    }
  }
};

/// Publishes the tile's row sums.
template <class Tile>
__device__ void publish_rows(const TableJob& job, const Place<Tile>& place, const TileShared<Tile>& shared) {
  const Epoch epoch(job.epoch);
  const SharedRow<Tile> mine(job, place, shared);
  if (mine.position == 0) {
    mine.state->publish(mine.total, place.tile_x == 0 ? epoch.whole : epoch.own);
  }
}

/// Looks back, publishes the sums up to the tile's last column, and replaces row_sums with the sums left of each warp.
/// Call after publish_rows.
template <class Tile>
__device__ void resolve_rows(const TableJob& job, const Place<Tile>& place, TileShared<Tile>& shared) {
  const Epoch epoch(job.epoch);
  const SharedRow<Tile> mine(job, place, shared);
  const typename Tile::Sum before = look_back_left(job, place, mine.row);
  if (mine.position == 0 && place.tile_x != 0) {
    mine.state->publish(before + mine.total, epoch.whole);
  }
  __syncwarp();  // other lanes have read the values that are overwritten next
  if (mine.position < Tile::kWarpsAcross) {
    shared.row_sums[mine.row][mine.position] = before + mine.left;
  }
}

/// A column of the tile that the calling thread handles.
template <class Tile>
struct Column {
  using Sum = typename Tile::Sum;
  int index = 0;         ///< in the tile
  bool is_used = false;  ///< inside the image
  bool done = true;      ///< `before` is complete
  Sum total = 0;
  Sum before = 0;

  __device__ void start(const TableJob& job, const Place<Tile>& place, int k) {
    index = static_cast<int>(threadIdx.x) + k * Tile::kThreads;
    is_used = index < Tile::kColumns && std::int64_t{place.tile_x} * Tile::kColumns + index < job.width;
    done = place.tile_y == 0 || !is_used;
  }

  /// Adds the sum of a tile above. `seen` is the state as last read, which may not have been written yet.
  __device__ void add(const volatile typename Tile::State* state, Published<Sum> seen, const Epoch& epoch) {
    if (!epoch.is_written(seen.mark)) {
      seen = wait_for(state, epoch);
    }
    before += seen.sum;
    done = seen.mark == epoch.whole;
  }
};

/// Publishes a column's sum over the tile, and replaces each warp's part of this sum with the total of the warps above
/// it.
template <class Tile>
__device__ void publish_column(Column<Tile>& column, const Place<Tile>& place, const Epoch& epoch,
                               TileShared<Tile>& shared, volatile typename Tile::State* states) {
  if (!column.is_used) {
    return;
  }
  for (int w = 0; w < Tile::kWarpsDown; ++w) {
    const typename Tile::Sum sum = shared.column_sums[w][column.index];
    shared.column_sums[w][column.index] = column.total;
    column.total += sum;
  }
  states[place.tile * Tile::kColumns + column.index].publish(column.total, place.tile_y == 0 ? epoch.whole : epoch.own);
}

/// Sums columns over the tiles above, back to the nearest tile that has published the sum from the top of the column.
template <class Tile, int kColumns>
__device__ void look_back_up(const TableJob& job, const Place<Tile>& place, const Epoch& epoch,
                             const volatile typename Tile::State* states, Column<Tile> (&columns)[kColumns]) {
  constexpr int kAhead = (Tile::kAhead + kColumns - 1) / kColumns;
#pragma unroll 1
  for (std::int64_t tile = place.tile - job.tiles_across; tile >= 0; tile -= kAhead * job.tiles_across) {
    bool all_done = true;
#pragma unroll
    for (Column<Tile>& column : columns) {
      Published<typename Tile::Sum> seen[kAhead];
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        const std::int64_t from = tile - a * job.tiles_across;
        seen[a] = {0, 0};
        if (!column.done && from >= 0) {
          seen[a] = states[from * Tile::kColumns + column.index].read();
        }
      }
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        if (!column.done) {
          const std::int64_t from = tile - a * job.tiles_across;
          column.add(states + from * Tile::kColumns + column.index, seen[a], epoch);
        }
      }
      all_done = all_done && column.done;
    }
    if (all_done) {
      break;
    }
  }
}

/// The columns of a tile that the calling thread handles. publish() comes first; resolve() then uses what it stored
/// here.
template <class Tile>
struct Columns {
  Column<Tile> each[Tile::kColumnsPerThread];

  /// Publishes the tile's column sums (over whole rows), and replaces column_sums with the sums above each warp inside
  /// the tile.
  __device__ void publish(const TableJob& job, const Place<Tile>& place, TileShared<Tile>& shared) {
    const Epoch epoch(job.epoch);
    auto* states = static_cast<volatile typename Tile::State*>(job.column_states);
#pragma unroll
    for (int k = 0; k < Tile::kColumnsPerThread; ++k) {
      each[k].start(job, place, k);
      publish_column(each[k], place, epoch, shared, states);
    }
  }

  /// Looks back, publishes the sums down to the tile's last row, and replaces column_sums with the table entries above
  /// each warp.
  __device__ void resolve(const TableJob& job, const Place<Tile>& place, TileShared<Tile>& shared) {
    const Epoch epoch(job.epoch);
    auto* states = static_cast<volatile typename Tile::State*>(job.column_states);
    look_back_up<Tile>(job, place, epoch, states, each);
#pragma unroll
    for (const Column<Tile>& column : each) {
      if (!column.is_used || place.tile_y == 0) {
        continue;
      }
      states[place.tile * Tile::kColumns + column.index].publish(column.before + column.total, epoch.whole);
      for (int w = 0; w < Tile::kWarpsDown; ++w) {
        shared.column_sums[w][column.index] += column.before;
      }
    }
  }
};

}  // namespace gpuimg::cuda

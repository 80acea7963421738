// Data of the one-launch summed-area table: tiles, taken in order from a counter, pass on row and column sums. A sum
// and its mark are written as one word, so no fence is needed and readers never see half of it (decoupled look-back).
// Specified in docs/operations.md, "Integral image"; design and measurements in docs/performance.md.
#pragma once

#include <cstdint>

#include "device/cuda_check.hpp"
#include "device/launch.cuh"
#include "device/levels.cuh"
#include "gpuimg/ops/integral.hpp"

namespace gpuimg::cuda {

// --- Look-back -------------------------------------------------------------------------------------------------------

/// What a published sum covers. Each launch uses larger numbers than all launches before it, so entries of earlier
/// launches count as not yet written.
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

/// For 64-bit sums: two such words with half of the sum each. Different marks mean that the entry was read while it
/// changed.
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

/// Spins until a sum of this epoch is published. Terminates because the tile that publishes it has an earlier ticket
/// and so is running.
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

/// One image and its table. `table` points to the entry of pixel (0, 0). Both that address and the pitch are multiples
/// of kStoreBytes.
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
  /// Sums of 128 such pixels fit 16 bits, so two rows are summed at once, one in each half of a word.
  static constexpr bool kPairsRows = sizeof(T) == 1 && !squares;
};

/// What a pixel adds to a sum.
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

}  // namespace gpuimg::cuda
